/* SPDX-License-Identifier: MIT */
/* Orders for qsort(): the result is below, above or equal to 0, as strcmp()'s. */
#ifndef MCUPROF_HOST_COMPARE_H
#define MCUPROF_HOST_COMPARE_H

#include <stdint.h>
#include <string.h>

static inline int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* In a comparator: the smaller comes first; where both are equal, what follows decides.
 */
#define ORDER_BY(a, b)                                                                   \
    do                                                                                   \
        if ((a) != (b))                                                                  \
            return (a) < (b) ? -1 : 1;                                                   \
    while (0)

/* NULL comes first. */
static inline int compare_text(const char *a, const char *b)
{
    if (a == b || a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

/* NULL comes last: what is not known. */
static inline int compare_known(const char *a, const char *b)
{
    return (a == NULL) != (b == NULL) ? -compare_text(a, b) : compare_text(a, b);
}

#endif
