/* SPDX-License-Identifier: MIT */
#include "spread.h"

#include <stdlib.h>
#include <string.h>

#include "../base/saturate.h"
#include "../base/search.h"
#include "../base/vector.h"

enum { BIN_BITS = 6 }; /* a bin is 1 / 2^6 of its lower end wide */

static unsigned bits_above(uint64_t ticks)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(ticks | 1);
    return bits > BIN_BITS + 1 ? bits - BIN_BITS - 1 : 0;
}

static bool add(struct spread *spread, uint64_t ticks, uint64_t count)
{
    unsigned shift = bits_above(ticks);
    uint64_t low = ticks >> shift << shift;
    size_t at = 0;
    SEARCH(at, spread->used, spread->bins[middle].low < low);
    if (at == spread->used || spread->bins[at].low != low) {
        if (!vector_grow(&spread->bins, spread->used, &spread->allocated,
                         sizeof *spread->bins))
            return false;
        memmove(spread->bins + at + 1, spread->bins + at,
                (spread->used++ - at) * sizeof *spread->bins);
        spread->bins[at] = (struct spread_bin){low, 0};
    }
    spread->bins[at].count = add_saturating(spread->bins[at].count, count);
    spread->count = add_saturating(spread->count, count);
    return true;
}

/* Widens the range, before the times themselves are added. */
static void widen(struct spread *spread, uint64_t shortest, uint64_t longest)
{
    if (spread->count == 0 || shortest < spread->shortest)
        spread->shortest = shortest;
    if (longest > spread->longest)
        spread->longest = longest;
}

bool spread_add(struct spread *spread, uint64_t ticks)
{
    widen(spread, ticks, ticks);
    return add(spread, ticks, 1);
}

/* The ticks, longer by so many; at least 0. */
static uint64_t lengthened(uint64_t ticks, int64_t longer)
{
    uint64_t less = longer < 0 ? (uint64_t)-longer : 0;
    if (longer >= 0)
        return add_saturating(ticks, (uint64_t)longer);
    return ticks > less ? ticks - less : 0;
}

bool spread_add_all(struct spread *spread, const struct spread *more, int64_t longer)
{
    if (more->used > 0)
        widen(spread, lengthened(more->shortest, longer),
              lengthened(more->longest, longer));
    for (size_t i = 0; i < more->used; i++)
        if (!add(spread, lengthened(more->bins[i].low, longer), more->bins[i].count))
            return false;
    return true;
}

void spread_release(struct spread *spread)
{
    free(spread->bins);
    *spread = (struct spread){.bins = NULL};
}

/* Keeps a bin's end in the range: when times became longer by less than their bin's
 * width, the bin may end below all of them. */
static uint64_t within(const struct spread *spread, uint64_t ticks)
{
    if (ticks < spread->shortest)
        return spread->shortest;
    return ticks < spread->longest ? ticks : spread->longest;
}

uint64_t spread_quantile(const struct spread *spread, double part)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < spread->used; i++) {
        const struct spread_bin *bin = &spread->bins[i];
        uint64_t high = bin->low + ((uint64_t)1 << bits_above(bin->low)) - 1;
        seen += bin->count;
        if ((double)seen >= part * (double)spread->count)
            return within(spread, high);
    }
    return spread->longest;
}
