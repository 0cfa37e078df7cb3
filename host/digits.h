/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, digit for digit as printf() writes them, but several times sooner: the
 * reports of large programs are millions of them. Each returns the bytes written, without
 * the 0 that ends them; `text` has room for DIGITS_MAX.
 */
#ifndef MCUPROF_HOST_DIGITS_H
#define MCUPROF_HOST_DIGITS_H

#include <stddef.h>
#include <stdint.h>

enum { DIGITS_MAX = 352 }; /* a double has up to 309 digits before its point */

/* "%" PRIu64 */
size_t digits_whole(char *text, uint64_t number);
/* "%.*f", of at most 20 decimals */
size_t digits_fixed(char *text, double number, int decimals);
/* "%.12g" */
size_t digits_general(char *text, double number);

#endif
