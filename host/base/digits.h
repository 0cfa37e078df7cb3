/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, digit for digit as snprintf() writes them, but several times sooner:
 * reports of large programs are millions of them. Each returns what snprintf() does.
 */
#ifndef MCUPROF_HOST_DIGITS_H
#define MCUPROF_HOST_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* For these bytes they are sooner; with fewer, the same. */
enum { DIGITS_ROOM = 40 };

/* "%s%" PRIu64 "%s" */
int digits_whole(char *text, size_t size, const char *before, uint64_t number,
                 const char *behind);
/* "%.*f" */
int digits_fixed(char *text, size_t size, double number, int decimals);
/* "%.12g" */
int digits_general(char *text, size_t size, double number);

#endif
