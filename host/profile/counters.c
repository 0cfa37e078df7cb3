/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <stdlib.h>

#include "../base/compare.h"
#include "../base/saturate.h"
#include "../base/search.h"
#include "../base/vector.h"

/* An index has at least so many slots, and always a power of two. They cost little, and
 * few counters collide in them. */
enum { INDEX_MIN = 4096 };

uint64_t mix_bits(uint64_t value)
{
    /* The finalizer of MurmurHash3 (A. Appleby, public domain). */
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdU;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53U;
    return value ^ value >> 33;
}

/* Gives the index so many slots. */
static bool new_index(struct slot **index, size_t *size, size_t slots)
{
    struct slot *fresh = calloc(slots, sizeof *fresh);
    if (fresh == NULL)
        return false;
    for (size_t i = 0; i < *size; i++) {
        size_t at = (*index)[i].hash & (slots - 1);
        while ((*index)[i].item != 0 && fresh[at].item != 0)
            at = (at + 1) & (slots - 1);
        if ((*index)[i].item != 0)
            fresh[at] = (*index)[i];
    }
    free(*index);
    *index = fresh;
    *size = slots;
    return true;
}

bool items_reserve(void **items, size_t used, size_t *allocated, size_t bytes)
{
    return used < UINT32_MAX - 2 && vector_grow(items, used, allocated, bytes);
}

/* How many items an index may have: a quarter stays free. */
static size_t index_room(size_t slots)
{
    return slots - slots / 4;
}

bool slots_reserve(struct slot **index, size_t *size, size_t used)
{
    return used < index_room(*size) ||
           new_index(index, size, *size == 0 ? INDEX_MIN : *size * 2);
}

static int compare_keys(struct counter a, struct counter b)
{
    ORDER_BY(a.from, b.from);
    ORDER_BY(a.to, b.to);
    return (a.task > b.task) - (a.task < b.task);
}

static uint32_t counter_hash(uint64_t seed, uint64_t from, uint64_t to, uint32_t task)
{
    return (uint32_t)mix_bits(mix_bits(from ^ seed) ^ to ^ (uint64_t)task << 48);
}

/* The slot of the counter with that key and hash, or the one where it belongs. */
static inline struct slot *counter_slot(const struct counters *counters, uint32_t hash,
                                        const struct counter *key)
{
    size_t mask = counters->index_size - 1, at = hash & mask;
    for (; counters->index[at].item != 0; at = (at + 1) & mask) {
        const struct slot *slot = &counters->index[at];
        if (slot->hash != hash)
            continue;
        const struct counter counter = counter_at(counters, slot->item - 1);
        if (counter.from == key->from && counter.to == key->to &&
            counter.task == key->task)
            break;
    }
    return &counters->index[at];
}

/* Makes an index of the counters that are there. */
static bool index_counters(struct counters *counters, uint64_t seed)
{
    size_t slots = INDEX_MIN, wanted = counters->used + 1;
    if (wanted < counters->expected)
        wanted = counters->expected;
    while (index_room(slots) <= wanted)
        slots *= 2;
    if (!new_index(&counters->index, &counters->index_size, slots))
        return false;
    counters->indexed = true;
    for (size_t i = 0; i < counters->used; i++) {
        const struct counter item = counter_at(counters, i);
        uint32_t hash = counter_hash(seed, item.from, item.to, item.task);
        *counter_slot(counters, hash, &item) = (struct slot){hash, (uint32_t)i + 1};
    }
    return true;
}

void profile_expect(struct profile *profile, enum event_kind kind, size_t count)
{
    struct counters *counters = &profile->counters[kind];
    if (count < UINT32_MAX)
        counters->expected = counters->used + count;
}

void profile_settle(struct profile *profile)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        struct counters *counters = &profile->counters[kind];
        if (kind == EVENT_SAMPLE && profile->stacks.used > 0)
            continue; /* profile_stackless() looks them up */
        free(counters->index);
        counters->index = NULL;
        counters->index_size = 0;
    }
}

static bool is_small(const struct counter *key)
{
    return (key->from | key->to) <= UINT32_MAX && key->task <= UINT16_MAX;
}

/* Gives all counters their full room. */
static bool widen(struct counters *counters)
{
    struct counter *large = calloc(counters->allocated + 1, sizeof *large);
    if (large == NULL)
        return false;
    for (size_t i = 0; i < counters->used; i++)
        large[i] = counter_at(counters, i);
    free(counters->small);
    counters->small = NULL;
    counters->large = large;
    return true;
}

struct counter *counters_sorted(const struct counters *counters,
                                int (*compare)(const void *, const void *))
{
    struct counter *sorted = calloc(counters->used + 1, sizeof *sorted);
    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i < counters->used; i++)
        sorted[i] = counter_at(counters, i);
    qsort(sorted, counters->used, sizeof *sorted, compare);
    return sorted;
}

/* Adds a counter of no events; SIZE_MAX: out of memory, else its number. */
static size_t add_counter(struct counters *counters, const struct counter *key)
{
    if (counters->large == NULL && is_small(key)) {
        if (!items_reserve((void **)&counters->small, counters->used,
                           &counters->allocated, sizeof *counters->small))
            return SIZE_MAX;
        counters->small[counters->used] = (struct small_counter){
            (uint32_t)key->from, (uint32_t)key->to, 0, (uint16_t)key->task};
    } else {
        if ((counters->large == NULL && !widen(counters)) ||
            !items_reserve((void **)&counters->large, counters->used,
                           &counters->allocated, sizeof *counters->large))
            return SIZE_MAX;
        counters->large[counters->used] = *key;
    }
    return counters->used++;
}

/* Adds to a counter's count. false: out of memory. */
static inline bool raise_count(struct counters *counters, size_t number, uint64_t count)
{
    if (counters->large == NULL) {
        struct small_counter *counter = &counters->small[number];
        if (count <= SMALL_COUNT_MAX - counter->count) {
            counter->count += count;
            return true;
        }
        if (!widen(counters))
            return false;
    }
    struct counter *counter = &counters->large[number];
    counter->count = add_saturating(counter->count, count);
    return true;
}

/* The number of the last counter or of a new one, as long as keys ascend. SIZE_MAX: out
 * of memory, or keys do not ascend, so that an index is needed. */
static size_t number_in_order(struct counters *counters, const struct counter *key)
{
    size_t used = counters->used;
    int order = used > 0 ? compare_keys(counter_at(counters, used - 1), *key) : -1;
    return order == 0 ? used - 1 : order < 0 ? add_counter(counters, key) : SIZE_MAX;
}

static size_t number_by_index(struct counters *counters, uint32_t hash,
                              const struct counter *key)
{
    if (!slots_reserve(&counters->index, &counters->index_size, counters->used))
        return SIZE_MAX;
    struct slot *slot = counter_slot(counters, hash, key);
    if (slot->item == 0) {
        size_t number = add_counter(counters, key);
        if (number != SIZE_MAX)
            *slot = (struct slot){hash, (uint32_t)number + 1};
        return number;
    }
    return slot->item - 1;
}

/* Adds to a counter; SIZE_MAX: out of memory, else its number. */
static inline size_t count_event(struct profile *profile, const struct event *event,
                                 uint32_t hash)
{
    struct counters *counters = &profile->counters[event->kind];
    const struct counter key = {event->from, event->to, 0, event->task};
    size_t number = SIZE_MAX;
    if (!counters->indexed)
        number = number_in_order(counters, &key);
    if (number == SIZE_MAX &&
        (counters->index != NULL || index_counters(counters, profile->seed)))
        number = number_by_index(counters, hash, &key);
    if (number == SIZE_MAX)
        return SIZE_MAX;
    if (!raise_count(counters, number, event->count))
        return SIZE_MAX;
    uint64_t *received = &profile->received[event->kind];
    *received = add_saturating(*received, event->count);
    return number;
}

static uint32_t event_hash(const struct profile *profile, const struct event *event)
{
    return counter_hash(profile->seed, event->from, event->to, event->task);
}

bool profile_count_all(struct profile *profile, const struct event *events, size_t count)
{
    uint32_t hashes[EVENT_BATCH];
    for (size_t first = 0; first < count; first += EVENT_BATCH) {
        size_t some = count - first < EVENT_BATCH ? count - first : EVENT_BATCH;
        for (size_t i = 0; i < some; i++) {
            const struct counters *counters = &profile->counters[events[first + i].kind];
            hashes[i] = event_hash(profile, &events[first + i]);
            if (counters->index != NULL)
                __builtin_prefetch(
                    &counters->index[hashes[i] & (counters->index_size - 1)]);
        }
        for (size_t i = 0; i < some; i++)
            if (count_event(profile, &events[first + i], hashes[i]) == SIZE_MAX)
                return false;
    }
    return true;
}

size_t counters_count(struct profile *profile, const struct event *event)
{
    return count_event(profile, event, event_hash(profile, event));
}

bool profile_count(struct profile *profile, enum event_kind kind, uint64_t from,
                   uint64_t to, uint64_t count)
{
    const struct event event = {kind, profile->task, from, to, count};
    return counters_count(profile, &event) != SIZE_MAX;
}

size_t counters_find(const struct counters *counters, uint64_t seed,
                     const struct counter *key)
{
    size_t low = 0;
    if (counters->index != NULL) {
        uint32_t hash = counter_hash(seed, key->from, key->to, key->task);
        return counter_slot(counters, hash, key)->item - 1;
    }
    SEARCH(low, counters->used, compare_keys(counter_at(counters, middle), *key) < 0);
    return low;
}
