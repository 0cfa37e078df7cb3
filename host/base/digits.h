/* SPDX-License-Identifier: MIT */
/*
 * Writes numbers as text, digit for digit as snprintf() does but several times faster:
 * reports of large programs hold millions of them. Each function returns what snprintf()
 * returns.
 */
#ifndef MCUPROF_HOST_DIGITS_H
#define MCUPROF_HOST_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions are faster than snprintf() if the buffer has at least this size. */
enum { DIGITS_ROOM = 40 };

/* "%s%" PRIu64 "%s" */
int digits_whole(char *text, size_t size, const char *before, uint64_t number,
                 const char *behind);
/* "%.*f" */
int digits_fixed(char *text, size_t size, double number, int decimals);
/* "%.12g" */
int digits_general(char *text, size_t size, double number);

/* The parts of these functions, for callers who know the width: digits_of() counts a
 * number's digits, digits_put() writes its last digits before `end`. */
static inline int digits_of(uint64_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static inline void digits_put(char *end, uint64_t number, int digits)
{
    for (; digits > 0; digits--) {
        *--end = (char)('0' + number % 10);
        number /= 10;
    }
}

/* The number times 10^decimals, rounded as "%.*f" would round it. false: it is negative,
 * too large, or too near the middle between two whole numbers. */
bool digits_scale(double number, int decimals, uint64_t *whole);

#endif
