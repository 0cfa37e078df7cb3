/* SPDX-License-Identifier: MIT */
#include "sort.h"

#include <search.h>
#include <stdlib.h>

void port_qsort_r(void *items, size_t count, size_t size,
                  int (*compare)(const void *left, const void *right, void *context),
                  void *context)
{
    qsort_r(items, count, size, compare, context);
}

void port_tdestroy(void *tree, void (*release)(void *item))
{
    tdestroy(tree, release);
}
