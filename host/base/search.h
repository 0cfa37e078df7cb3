/* SPDX-License-Identifier: MIT */
/* The binary search of sorted arrays. */
#ifndef MCUPROF_HOST_SEARCH_H
#define MCUPROF_HOST_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Moves `low`, the first index of a range, to the first one up to `high` for which
 * `before`, an expression of `middle`, is false; to `high` if it is true of all. Where it
 * is false it must be false of all that follow. */
#define SEARCH(low, high, before)                                                        \
    do {                                                                                 \
        size_t search_end = (high);                                                      \
        while ((low) < search_end) {                                                     \
            size_t middle = (low) + (search_end - (low)) / 2;                            \
            if (before)                                                                  \
                (low) = middle + 1;                                                      \
            else                                                                         \
                search_end = middle;                                                     \
        }                                                                                \
    } while (false)

#endif
