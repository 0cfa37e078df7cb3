/* SPDX-License-Identifier: MIT */
/* Binary search in sorted arrays. */
#ifndef MCUPROF_HOST_SEARCH_H
#define MCUPROF_HOST_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Searches the indices from `low` to below `high` and sets `low` to the first for which
 * `before`, an expression in `middle`, is false, or to `high` if there is none. Once
 * `before` is false it must be false for all later indices. */
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

/* Sets `low` to the number of the `count` items for which `before` is true; these must
 * come first. On entry `low` is the result of the last such search, or 0. If the answer
 * is near it, the search takes few steps. */
#define SEARCH_NEAR(low, count, before)                                                  \
    do {                                                                                 \
        const size_t search_count = (count);                                             \
        int search_steps = 4;                                                            \
        if ((low) > 0) {                                                                 \
            const size_t middle = (low)-1;                                               \
            if (middle >= search_count || !(before))                                     \
                (low) = 0;                                                               \
        }                                                                                \
        for (; search_steps > 0; search_steps--, (low)++) {                              \
            const size_t middle = (low);                                                 \
            if (middle == search_count || !(before))                                     \
                break;                                                                   \
        }                                                                                \
        if (search_steps == 0)                                                           \
            SEARCH(low, search_count, before);                                           \
    } while (false)

#endif
