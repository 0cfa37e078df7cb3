/* SPDX-License-Identifier: MIT */
#include "function_ranges.h"
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

static bool collect_addresses(struct function_ranges *ranges,
                              const struct profile *profile)
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
    ranges->items = calloc(count + 1, sizeof *ranges->items);
    for (size_t i = 0; i < count && ranges->items != NULL; i++)
        if (i == 0 || all[i] != all[i - 1])
            ranges->items[ranges->count++] = (struct function_range){all[i], all[i] + 1};
    free(all);
    return ranges->items != NULL;
}

static bool collect_symbols(struct function_ranges *ranges, const struct image *image)
{
    ranges->count = image_symbols(image, &ranges->symbols);
    ranges->items = calloc(ranges->count + 1, sizeof *ranges->items);
    if (ranges->items == NULL)
        return false;
    for (size_t i = 0; i < ranges->count; i++)
        ranges->items[i] =
            (struct function_range){ranges->symbols[i].address, ranges->symbols[i].end};
    return true;
}

/* Makes about as many buckets as ranges, so that a look-up compares a range or two. */
static bool make_buckets(struct function_ranges *ranges)
{
    uint64_t span = 0;
    if (ranges->count > 0) {
        ranges->base = ranges->items[0].start;
        span = ranges->items[ranges->count - 1].start - ranges->base;
    }
    while (span >> ranges->shift > ranges->count)
        ranges->shift++;
    ranges->buckets = (size_t)(span >> ranges->shift) + 1;
    ranges->first = calloc(ranges->buckets, sizeof *ranges->first);
    for (size_t i = 0, range = 0; i < ranges->buckets && ranges->first != NULL; i++) {
        uint64_t start = ranges->base + ((uint64_t)i << ranges->shift);
        while (range < ranges->count && ranges->items[range].end <= start)
            range++;
        ranges->first[i] = (uint32_t)range;
    }
    return ranges->first != NULL;
}

bool ranges_init(struct function_ranges *ranges, const struct profile *profile,
                 const struct image *image)
{
    if (image != NULL ? !collect_symbols(ranges, image)
                      : !collect_addresses(ranges, profile))
        return false;
    if (ranges->count >= INT32_MAX)
        return false;
    ranges->self = calloc(ranges->count + 1, sizeof *ranges->self);
    ranges->used = calloc(ranges->count + 1, sizeof *ranges->used);
    ranges->number = calloc(ranges->count + 1, sizeof *ranges->number);
    return ranges->self != NULL && ranges->used != NULL && ranges->number != NULL &&
           make_buckets(ranges);
}

void ranges_release(struct function_ranges *ranges)
{
    free(ranges->items);
    free(ranges->self);
    free(ranges->used);
    free(ranges->number);
    free(ranges->first);
}

size_t range_from(const struct function_ranges *ranges, uint64_t address)
{
    if (address < ranges->base || ranges->count == 0)
        return 0;
    uint64_t beyond = (address - ranges->base) >> ranges->shift;
    size_t bucket = beyond < ranges->buckets ? (size_t)beyond : ranges->buckets - 1;
    size_t low = ranges->first[bucket];
    size_t high =
        bucket + 1 < ranges->buckets ? ranges->first[bucket + 1] : ranges->count;
    SEARCH(low, high, ranges->items[middle].end <= address);
    return low;
}

size_t range_at(const struct function_ranges *ranges, uint64_t address)
{
    size_t range = range_from(ranges, address);
    if (range < ranges->count && ranges->items[range].start <= address)
        return range;
    return ranges->count;
}

uint64_t address_of_call(const struct function_ranges *ranges, uint64_t from)
{
    return ranges->symbols != NULL && from > 0 ? from - 1 : from;
}

size_t caller_at(const struct function_ranges *ranges, uint64_t from)
{
    if (!is_call_site(from))
        return NO_FUNCTION;
    size_t range = range_at(ranges, address_of_call(ranges, from));
    return range == ranges->count ? NO_FUNCTION : range;
}
