/* SPDX-License-Identifier: MIT */
/*
 * Merge sort, top down, the shorter half first. A comparator may be no order; then the
 * output shows in which order items are compared, and that equal ones stay in place: so
 * nothing here may be reordered. The depth is log2(count).
 */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

struct sorter {
    int (*compare)(const void *left, const void *right, void *context);
    void *context;
    void **merged; /* room for all items */
};

static void merge(const struct sorter *sorter, void **items, size_t left_count,
                  size_t count)
{
    void **left = items, **left_end = items + left_count;
    void **right = left_end, **right_end = items + count;
    void **out = sorter->merged;

    while (left < left_end && right < right_end)
        *out++ =
            sorter->compare(*left, *right, sorter->context) <= 0 ? *left++ : *right++;
    while (left < left_end)
        *out++ = *left++;
    /* what is left of the right half is where it belongs */
    memcpy(items, sorter->merged, (size_t)(out - sorter->merged) * sizeof *items);
}

static void sort(const struct sorter *sorter, void **items, size_t count)
{
    if (count <= 1)
        return;
    sort(sorter, items, count / 2);
    sort(sorter, items + count / 2, count - count / 2);
    merge(sorter, items, count / 2, count);
}

bool sort_stable(void **items, size_t count,
                 int (*compare)(const void *left, const void *right, void *context),
                 void *context)
{
    struct sorter sorter = {compare, context, NULL};

    if (count <= 1)
        return true;
    sorter.merged = calloc(count, sizeof *sorter.merged);
    if (sorter.merged == NULL)
        return false;
    sort(&sorter, items, count);
    free(sorter.merged);
    return true;
}
