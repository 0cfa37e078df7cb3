/* SPDX-License-Identifier: MIT */
/* What qsort() and tsearch() lack. */
#ifndef MCUPROF_HOST_PORT_SORT_H
#define MCUPROF_HOST_PORT_SORT_H

#include <stddef.h>

/* qsort_r() with glibc's order of arguments: qsort() whose comparison gets a context. */
void port_qsort_r(void *items, size_t count, size_t size,
                  int (*compare)(const void *left, const void *right, void *context),
                  void *context);

/* tdestroy(): frees a tree of tsearch(), and each of its items with `release`. */
void port_tdestroy(void *tree, void (*release)(void *item));

#endif
