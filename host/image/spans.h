/* SPDX-License-Identifier: MIT */
/* Ranges of addresses that belong to something: this makes them disjoint and searches
 * them. */
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
    uint32_t owner; /* index of the thing that the span belongs to */
};

/* Begin with zeros; the caller frees `items`. */
struct spans {
    struct span *items;
    size_t count, room;
};

/* Both functions: false: out of memory, and nothing has changed. */
bool spans_add(struct spans *spans, const struct span *span);
/* Sorts and cuts the spans so that they are disjoint and ascending. O(n log n). */
bool spans_flatten(struct spans *spans);

/* The span at the address; NULL: none. The spans must be flattened. *until becomes the
 * next address that has another answer, if that is less. *hint is kept from the last call
 * with these spans, and is 0 at first; it makes a call for an address near the last one
 * O(1). */
const struct span *spans_at(const struct spans *spans, size_t *hint, uint64_t address,
                            uint64_t *until);

#endif
