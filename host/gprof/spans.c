/* SPDX-License-Identifier: MIT */
/* Overlapping ranges of addresses made disjoint, the best on top. */
#include <stdlib.h>

#include "../base/search.h"
#include "../base/vector.h"
#include "dwarf.h"

bool gprof_add_span(struct gprof_spans *spans, const struct gprof_span *span)
{
    if (!vector_grow(&spans->items, spans->count, &spans->room, sizeof *spans->items))
        return false;
    spans->items[spans->count++] = *span;
    return true;
}

static int compare_spans(const void *left, const void *right)
{
    const struct gprof_span *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

/* The spans that cover where the sweep is: a heap, the best at its root. */
struct heap {
    const struct gprof_span **items;
    size_t count;
};

static bool before(const struct gprof_span *a, const struct gprof_span *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->owner > b->owner;
}

static void push(struct heap *heap, const struct gprof_span *span)
{
    size_t at = heap->count++;
    for (; at > 0 && before(span, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = span;
}

static void pop(struct heap *heap)
{
    const struct gprof_span *last = heap->items[--heap->count];
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

/* [low, high) of the best; what follows on the same owner is joined to it. */
static bool emit(struct gprof_spans *out, const struct gprof_span *best, uint64_t low,
                 uint64_t high)
{
    struct gprof_span *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
    if (last != NULL && last->high == low && last->owner == best->owner) {
        last->high = high;
        return true;
    }
    struct gprof_span span = {low, high, best->rank, best->owner};
    return gprof_add_span(out, &span);
}

static bool sweep(const struct gprof_spans *spans, struct heap *heap,
                  struct gprof_spans *out)
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

bool gprof_flatten_spans(struct gprof_spans *spans)
{
    struct gprof_spans out = {0};
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

size_t gprof_span_index(const struct gprof_spans *spans, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, spans->count, spans->items[middle].low <= address);
    return low;
}
