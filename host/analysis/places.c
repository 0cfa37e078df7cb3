/* SPDX-License-Identifier: MIT */
#include "places.h"
#include "../arch/arch.h"
#include "../base/search.h"

#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

bool is_call_site(uint64_t from)
{
    return from != 0 && !arch_exception_return(from);
}

bool is_tasks_own(const struct counter *call)
{
    return call->from == 0 && call->to == 0;
}

static size_t collect_ends(const struct counters *calls, uint64_t *addresses)
{
    size_t count = 0;
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter call = counter_at(calls, i);
        if (is_tasks_own(&call))
            continue;
        addresses[count++] = call.to;
        if (is_call_site(call.from))
            addresses[count++] = call.from;
    }
    return count;
}

static bool collect_addresses(struct places *places, const struct profile *profile)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *calls = &profile->counters[EVENT_CALL];
    size_t most = samples->used + 2 * (arcs->used + calls->used), count = 0;
    for (size_t i = 0; i < profile->stacks.used; i++)
        most += profile->stacks.items[i].depth;
    uint64_t *all = calloc(most + 1, sizeof *all);
    if (all == NULL)
        return false;
    for (size_t i = 0; i < samples->used; i++)
        all[count++] = counter_at(samples, i).to;
    count += collect_ends(arcs, all + count);
    count += collect_ends(calls, all + count);
    for (size_t i = 0; i < profile->stacks.used; i++)
        for (size_t j = 0; j < profile->stacks.items[i].depth; j++)
            all[count++] = profile->stacks.items[i].addresses[j];
    qsort(all, count, sizeof *all, by_value);
    places->items = calloc(count + 1, sizeof *places->items);
    for (size_t i = 0; i < count && places->items != NULL; i++)
        if (i == 0 || all[i] != all[i - 1])
            places->items[places->count++] = (struct place){all[i], all[i] + 1};
    free(all);
    return places->items != NULL;
}

static bool collect_symbols(struct places *places, const struct image *image)
{
    places->count = image_symbols(image, &places->symbols);
    places->items = calloc(places->count + 1, sizeof *places->items);
    if (places->items == NULL)
        return false;
    for (size_t i = 0; i < places->count; i++)
        places->items[i] =
            (struct place){places->symbols[i].address, places->symbols[i].end};
    return true;
}

/* Makes about as many buckets as places, so that a look-up compares a place or two. */
static bool make_buckets(struct places *places)
{
    uint64_t span = 0;
    if (places->count > 0) {
        places->base = places->items[0].start;
        span = places->items[places->count - 1].start - places->base;
    }
    while (span >> places->shift > places->count)
        places->shift++;
    places->buckets = (size_t)(span >> places->shift) + 1;
    places->first = calloc(places->buckets, sizeof *places->first);
    for (size_t i = 0, place = 0; i < places->buckets && places->first != NULL; i++) {
        uint64_t start = places->base + ((uint64_t)i << places->shift);
        while (place < places->count && places->items[place].end <= start)
            place++;
        places->first[i] = (uint32_t)place;
    }
    return places->first != NULL;
}

bool places_init(struct places *places, const struct profile *profile,
                 const struct image *image)
{
    if (image != NULL ? !collect_symbols(places, image)
                      : !collect_addresses(places, profile))
        return false;
    if (places->count >= INT32_MAX)
        return false;
    places->self = calloc(places->count + 1, sizeof *places->self);
    places->used = calloc(places->count + 1, sizeof *places->used);
    places->number = calloc(places->count + 1, sizeof *places->number);
    return places->self != NULL && places->used != NULL && places->number != NULL &&
           make_buckets(places);
}

void places_release(struct places *places)
{
    free(places->items);
    free(places->self);
    free(places->used);
    free(places->number);
    free(places->first);
}

size_t place_from(const struct places *places, uint64_t address)
{
    if (address < places->base || places->count == 0)
        return 0;
    uint64_t beyond = (address - places->base) >> places->shift;
    size_t bucket = beyond < places->buckets ? (size_t)beyond : places->buckets - 1;
    size_t low = places->first[bucket];
    size_t high =
        bucket + 1 < places->buckets ? places->first[bucket + 1] : places->count;
    SEARCH(low, high, places->items[middle].end <= address);
    return low;
}

size_t place_at(const struct places *places, uint64_t address)
{
    size_t place = place_from(places, address);
    if (place < places->count && places->items[place].start <= address)
        return place;
    return places->count;
}

uint64_t place_of_call(const struct places *places, uint64_t from)
{
    return places->symbols != NULL && from > 0 ? from - 1 : from;
}

size_t caller_at(const struct places *places, uint64_t from)
{
    if (!is_call_site(from))
        return NO_FUNCTION;
    size_t place = place_at(places, place_of_call(places, from));
    return place == places->count ? NO_FUNCTION : place;
}
