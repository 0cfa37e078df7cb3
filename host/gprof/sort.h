/* SPDX-License-Identifier: MIT */
/*
 * A stable sort that does not depend on the C library's qsort(). It compares in the same
 * order as that of glibc 2.36: where a comparator is no order, as some of GNU gprof's
 * are, the result shows which sort was used.
 */
#ifndef MCUPROF_HOST_SORT_H
#define MCUPROF_HOST_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts an array of pointers. false: out of memory, and nothing has changed. */
bool sort_stable(void **items, size_t count,
                 int (*compare)(const void *left, const void *right, void *context),
                 void *context);

#endif
