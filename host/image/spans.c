/* SPDX-License-Identifier: MIT */
#include "spans.h"

#include <stdlib.h>

#include "../base/compare.h"
#include "../base/search.h"
#include "../base/vector.h"

bool spans_add(struct spans *spans, const struct span *span)
{
    if (!vector_grow(&spans->items, spans->count, &spans->room, sizeof *spans->items))
        return false;
    spans->items[spans->count++] = *span;
    return true;
}

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    ORDER_BY(a->low, b->low);
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

/* The spans that cover the current address of the sweep: a heap with the best at its
 * root. */
struct heap {
    const struct span **items;
    size_t count;
};

static bool before(const struct span *a, const struct span *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->owner > b->owner;
}

static void push(struct heap *heap, const struct span *span)
{
    size_t at = heap->count++;
    for (; at > 0 && before(span, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = span;
}

static void pop(struct heap *heap)
{
    const struct span *last = heap->items[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && before(heap->items[child + 1], heap->items[child]))
            child++;
        if (!before(heap->items[child], last))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
}

/* Adds [low, high) for the best span. If the last one added has the same owner and ends
 * at `low`, it is extended. */
static bool emit(struct spans *out, const struct span *best, uint64_t low, uint64_t high)
{
    struct span *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
    if (last != NULL && last->high == low && last->owner == best->owner) {
        last->high = high;
        return true;
    }
    struct span span = {low, high, best->rank, best->owner};
    return spans_add(out, &span);
}

static bool sweep(const struct spans *spans, struct heap *heap, struct spans *out)
{
    size_t next = 0;
    uint64_t at = 0;
    while (next < spans->count || heap->count > 0) {
        if (heap->count == 0)
            at = spans->items[next].low;
        while (next < spans->count && spans->items[next].low <= at)
            push(heap, &spans->items[next++]);
        while (heap->count > 0 && heap->items[0]->high <= at)
            pop(heap);
        if (heap->count == 0)
            continue;
        uint64_t end = heap->items[0]->high;
        if (next < spans->count && spans->items[next].low < end)
            end = spans->items[next].low;
        if (!emit(out, heap->items[0], at, end))
            return false;
        at = end;
    }
    return true;
}

bool spans_flatten(struct spans *spans)
{
    struct spans out = {0};
    if (spans->count == 0)
        return true;
    qsort(spans->items, spans->count, sizeof(*spans->items), compare_spans);
    struct heap heap = {.items = calloc(spans->count, sizeof(*heap.items))};
    bool done = heap.items != NULL && sweep(spans, &heap, &out);
    free(heap.items);
    free(done ? spans->items : out.items);
    if (done)
        *spans = out;
    return done;
}

const struct span *spans_at(const struct spans *spans, size_t *hint, uint64_t address,
                            uint64_t *until)
{
    size_t low = *hint;
    SEARCH_NEAR(low, spans->count, spans->items[middle].low <= address);
    *hint = low;
    if (low < spans->count && spans->items[low].low < *until)
        *until = spans->items[low].low;
    if (low == 0 || address >= spans->items[low - 1].high)
        return NULL;
    if (spans->items[low - 1].high < *until)
        *until = spans->items[low - 1].high;
    return &spans->items[low - 1];
}
