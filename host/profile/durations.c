/* SPDX-License-Identifier: MIT */
#include "durations.h"

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

static bool add(struct durations *durations, uint64_t ticks, uint64_t count)
{
    unsigned shift = bits_above(ticks);
    uint64_t low = ticks >> shift << shift;
    size_t at = 0;
    SEARCH(at, durations->used, durations->bins[middle].low < low);
    if (at == durations->used || durations->bins[at].low != low) {
        if (!vector_grow(&durations->bins, durations->used, &durations->allocated,
                         sizeof *durations->bins))
            return false;
        memmove(durations->bins + at + 1, durations->bins + at,
                (durations->used++ - at) * sizeof *durations->bins);
        durations->bins[at] = (struct durations_bin){low, 0};
    }
    durations->bins[at].count = add_saturating(durations->bins[at].count, count);
    durations->count = add_saturating(durations->count, count);
    return true;
}

/* Widens the range, before the times themselves are added. */
static void widen(struct durations *durations, uint64_t shortest, uint64_t longest)
{
    if (durations->count == 0 || shortest < durations->shortest)
        durations->shortest = shortest;
    if (longest > durations->longest)
        durations->longest = longest;
}

bool durations_add(struct durations *durations, uint64_t ticks)
{
    widen(durations, ticks, ticks);
    return add(durations, ticks, 1);
}

/* The ticks, longer by so many; at least 0. */
static uint64_t lengthened(uint64_t ticks, int64_t longer)
{
    uint64_t less = longer < 0 ? (uint64_t)-longer : 0;
    if (longer >= 0)
        return add_saturating(ticks, (uint64_t)longer);
    return ticks > less ? ticks - less : 0;
}

bool durations_add_all(struct durations *durations, const struct durations *more,
                       int64_t longer)
{
    if (more->used > 0)
        widen(durations, lengthened(more->shortest, longer),
              lengthened(more->longest, longer));
    for (size_t i = 0; i < more->used; i++)
        if (!add(durations, lengthened(more->bins[i].low, longer), more->bins[i].count))
            return false;
    return true;
}

void durations_release(struct durations *durations)
{
    free(durations->bins);
    *durations = (struct durations){.bins = NULL};
}

/* Keeps a bin's end in the range: when times became longer by less than their bin's
 * width, the bin may end below all of them. */
static uint64_t within(const struct durations *durations, uint64_t ticks)
{
    if (ticks < durations->shortest)
        return durations->shortest;
    return ticks < durations->longest ? ticks : durations->longest;
}

uint64_t durations_quantile(const struct durations *durations, double part)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < durations->used; i++) {
        const struct durations_bin *bin = &durations->bins[i];
        uint64_t high = bin->low + ((uint64_t)1 << bits_above(bin->low)) - 1;
        seen += bin->count;
        if ((double)seen >= part * (double)durations->count)
            return within(durations, high);
    }
    return durations->longest;
}
