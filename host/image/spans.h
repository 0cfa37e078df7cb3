/* SPDX-License-Identifier: MIT */
/* Ranges of addresses that belong to something: made disjoint, searched. */
#ifndef MCUPROF_HOST_SPANS_H
#define MCUPROF_HOST_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses [low, high). Where several overlap, the lowest rank wins, then the highest
 * owner. */
struct span {
    uint64_t low, high;
    uint64_t rank;
    uint32_t owner; /* an index, of what it belongs to */
};

/* Start with zeros; `items` is to be freed. */
struct spans {
    struct span *items;
    size_t count, room;
};

/* false: out of memory, and nothing has changed; of both. */
bool spans_add(struct spans *spans, const struct span *span);
/* Sorts and cuts them so that they are disjoint and ascending. O(n log n). */
bool spans_flatten(struct spans *spans);

/* Of flattened ones: the span at the address; NULL: none. *until becomes less where the
 * next address of another answer is below it. *hint: of the last call with these spans,
 * 0 at first; a call for an address near that one's is O(1). */
const struct span *spans_at(const struct spans *spans, size_t *hint, uint64_t address,
                            uint64_t *until);

#endif
