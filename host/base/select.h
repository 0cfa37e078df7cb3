/* SPDX-License-Identifier: MIT */
/* Finds the first items in an order without sorting the others. */
#ifndef MCUPROF_HOST_SELECT_H
#define MCUPROF_HOST_SELECT_H

#include <stddef.h>

/* The largest size of an item. */
enum { SELECT_BYTES = 64 };

/* Moves the `first` least of `count` items to the front, in order; the others follow in
 * any order. `compare` is as for qsort(). */
void sort_first(void *items, size_t count, size_t size, size_t first,
                int (*compare)(const void *, const void *));

#endif
