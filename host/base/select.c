/* SPDX-License-Identifier: MIT */
#include "select.h"

#include <stdlib.h>
#include <string.h>

/* A heap: no item is less than its two children, which are at twice its number plus one
 * and plus two. */
struct heap {
    unsigned char *items;
    size_t count, size;
    int (*compare)(const void *, const void *);
};

static void swap(unsigned char *left, unsigned char *right, size_t size)
{
    unsigned char kept[SELECT_BYTES];
    memcpy(kept, left, size);
    memcpy(left, right, size);
    memcpy(right, kept, size);
}

static unsigned char *at(const struct heap *heap, size_t number)
{
    return heap->items + number * heap->size;
}

/* Moves an item down to where it belongs. */
static void sink(const struct heap *heap, size_t number)
{
    for (size_t next; (next = 2 * number + 1) < heap->count; number = next) {
        if (next + 1 < heap->count &&
            heap->compare(at(heap, next), at(heap, next + 1)) < 0)
            next++;
        if (heap->compare(at(heap, number), at(heap, next)) >= 0)
            return;
        swap(at(heap, number), at(heap, next), heap->size);
    }
}

void sort_first(void *items, size_t count, size_t size, size_t first,
                int (*compare)(const void *, const void *))
{
    const struct heap heap = {items, first < count ? first : count, size, compare};
    for (size_t i = heap.count / 2; first < count && i > 0; i--)
        sink(&heap, i - 1);
    for (size_t i = heap.count; first > 0 && i < count; i++)
        if (compare(at(&heap, i), items) < 0) {
            swap(at(&heap, i), items, size);
            sink(&heap, 0);
        }
    if (heap.count > 1)
        qsort(items, heap.count, size, compare);
}
