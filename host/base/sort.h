/* SPDX-License-Identifier: MIT */
/*
 * A stable sort, whatever the C library's qsort() is. It compares in the order in which
 * glibc 2.36's does: where a comparator is no order, as some of GNU gprof's, the result
 * shows which sort it was.
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
