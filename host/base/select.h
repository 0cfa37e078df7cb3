/* SPDX-License-Identifier: MIT */
/* The first ones of many, without sorting the others. */
#ifndef MCUPROF_HOST_SELECT_H
#define MCUPROF_HOST_SELECT_H

#include <stddef.h>

/* Items are of so many bytes at most. */
enum { SELECT_BYTES = 64 };

/* Moves the `first` least of `count` items to the front, in order; the others follow in
 * any. `compare` as for qsort(). */
void sort_first(void *items, size_t count, size_t size, size_t first,
                int (*compare)(const void *, const void *));

#endif
