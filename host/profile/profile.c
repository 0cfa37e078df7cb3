/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../arch/arch.h"
#include "../base/saturate.h"
#include "../base/search.h"
#include "../base/vector.h"
#include "profile.h"

/* Slots, always a power of two. So many cost little, and few counters collide in them. */
enum { INDEX_MIN = 4096 };

static uint64_t mix(uint64_t value)
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

/* Makes room for one more item. */
static bool reserve(void **items, size_t used, size_t *allocated, size_t bytes)
{
    return used < UINT32_MAX - 2 && vector_grow(items, used, allocated, bytes);
}

/* How many items an index may have: a quarter stays free. */
static size_t index_room(size_t slots)
{
    return slots - slots / 4;
}

static bool reserve_slot(struct slot **index, size_t *size, size_t used)
{
    return used < index_room(*size) ||
           new_index(index, size, *size == 0 ? INDEX_MIN : *size * 2);
}

static int compare_keys(struct counter a, struct counter b)
{
    if (a.from != b.from)
        return a.from < b.from ? -1 : 1;
    if (a.to != b.to)
        return a.to < b.to ? -1 : 1;
    return (a.task > b.task) - (a.task < b.task);
}

static uint32_t counter_hash(uint64_t seed, uint64_t from, uint64_t to, uint32_t task)
{
    return (uint32_t)mix(mix(from ^ seed) ^ to ^ (uint64_t)task << 48);
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

void profile_init(struct profile *profile)
{
    *profile = (struct profile){.bin_bytes = 1, .format = "", .arch = ""};
    /* Each profile has a seed of its own, so that nobody can make an input whose keys
     * collide. Without a seed the program is only easier to slow down. */
    if (getrandom(&profile->seed, sizeof profile->seed, GRND_NONBLOCK) < 0)
        profile->seed = 0;
}

void profile_init_part(struct profile *part, const struct profile *whole)
{
    struct profile empty;
    profile_init(&empty);
    *part = *whole;
    if (!whole->one_task)
        memcpy(part->run_received, whole->received, sizeof part->run_received);
    memcpy(part->counters, empty.counters, sizeof part->counters);
    memset(part->received, 0, sizeof part->received);
    part->alone = 0;
    part->times = NULL;
    part->singles = NULL;
    part->tasks = NULL;
    part->task_count = 0;
    part->handlers = NULL;
    part->handler_count = 0;
    part->stacks = empty.stacks;
    part->timeline = empty.timeline;
    part->seed = empty.seed;
}

static void stacks_release(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->used; i++)
        free(stacks->items[i].addresses);
    free(stacks->items);
    free(stacks->index);
}

void profile_release(struct profile *profile)
{
    for (size_t i = 0; profile->singles != NULL && i < profile->counters[EVENT_CALL].used;
         i++)
        spread_release(&profile->singles[i]);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        free(profile->counters[kind].small);
        free(profile->counters[kind].large);
        free(profile->counters[kind].index);
    }
    stacks_release(&profile->stacks);
    timeline_release(&profile->timeline);
    free(profile->times);
    free(profile->singles);
    free(profile->tasks);
    free(profile->handlers);
    profile_init(profile);
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
        if (!reserve((void **)&counters->small, counters->used, &counters->allocated,
                     sizeof *counters->small))
            return SIZE_MAX;
        counters->small[counters->used] = (struct small_counter){
            (uint32_t)key->from, (uint32_t)key->to, 0, (uint16_t)key->task};
    } else {
        if ((counters->large == NULL && !widen(counters)) ||
            !reserve((void **)&counters->large, counters->used, &counters->allocated,
                     sizeof *counters->large))
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
    if (!reserve_slot(&counters->index, &counters->index_size, counters->used))
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

bool profile_count(struct profile *profile, enum event_kind kind, uint64_t from,
                   uint64_t to, uint64_t count)
{
    const struct event event = {kind, profile->task, from, to, count};
    return count_event(profile, &event, event_hash(profile, &event)) != SIZE_MAX;
}

void call_times_add(struct call_times *sum, const struct call_times *more)
{
    sum->total = add_saturating(sum->total, more->total);
    sum->self = add_saturating(sum->self, more->self);
    if (more->shortest < sum->shortest)
        sum->shortest = more->shortest;
    if (more->longest > sum->longest)
        sum->longest = more->longest;
}

/* Names a task, and tells it from the others of that name. */
static void set_name(struct profile *profile, struct task *task, const char *name)
{
    char cut[sizeof task->name];
    snprintf(cut, sizeof cut, "%s", name);
    if (strcmp(task->name, cut) == 0)
        return;
    task->name[0] = '\0';
    task->twin = 0;
    for (size_t i = 0; i < profile->task_count; i++)
        if (strcmp(profile->tasks[i].name, cut) == 0 &&
            profile->tasks[i].twin >= task->twin)
            task->twin = profile->tasks[i].twin + 1;
    memcpy(task->name, cut, sizeof cut);
}

bool profile_task(struct profile *profile, uint32_t number, const char *name, bool idle)
{
    size_t i = 0;
    while (i < profile->task_count && profile->tasks[i].number != number)
        i++;
    if (i == profile->task_count) {
        struct task *moved = reallocarray(profile->tasks, i + 1, sizeof *moved);
        if (moved == NULL)
            return false;
        profile->tasks = moved;
        profile->tasks[profile->task_count++] = (struct task){.number = number};
    }
    if (name != NULL) {
        set_name(profile, &profile->tasks[i], name);
        profile->tasks[i].idle = idle;
    }
    return true;
}

/* Makes room for what calls took wherever there is room for their counters. */
static bool grow_times(struct profile *profile)
{
    size_t room = profile->counters[EVENT_CALL].allocated;
    struct call_times *times = reallocarray(profile->times, room, sizeof *times);
    if (times == NULL)
        return false;
    profile->times = times;
    struct spread *singles = reallocarray(profile->singles, room, sizeof *singles);
    if (singles == NULL)
        return false;
    profile->singles = singles;
    return true;
}

/* Returns the number of the calls' counter; SIZE_MAX: out of memory. */
static size_t add_calls(struct profile *profile, uint64_t from, uint64_t to,
                        uint64_t count, const struct call_times *times)
{
    struct counters *calls = &profile->counters[EVENT_CALL];
    size_t before = calls->used, allocated = calls->allocated;
    const struct event event = {EVENT_CALL, profile->task, from, to, count};
    size_t number = count_event(profile, &event, event_hash(profile, &event));
    if (number == SIZE_MAX)
        return SIZE_MAX;
    if (allocated != calls->allocated && !grow_times(profile)) {
        calls->used = before;
        return SIZE_MAX;
    }
    if (number == before) {
        profile->times[number] = *times;
        profile->singles[number] = (struct spread){.bins = NULL};
    } else {
        call_times_add(&profile->times[number], times);
    }
    return number;
}

bool profile_call(struct profile *profile, uint64_t from, uint64_t to, uint64_t count,
                  const struct call_times *times)
{
    return add_calls(profile, from, to, count, times) != SIZE_MAX;
}

bool profile_call_record(struct profile *profile, uint64_t from, uint64_t to,
                         uint64_t count, const struct call_times *times)
{
    uint64_t least = times->shortest, most = times->longest;
    uint64_t single[] = {least, most, times->total - least - most};
    size_t number = add_calls(profile, from, to, count, times);
    bool known = count == 1   ? least == times->total
                 : count == 2 ? single[2] == 0
                 : count == 3 ? single[2] >= least && single[2] <= most
                              : false;
    for (size_t i = 0; number != SIZE_MAX && known && i < count; i++)
        if (!spread_add(&profile->singles[number], single[i]))
            return false;
    return number != SIZE_MAX;
}

bool profile_call_copy(struct profile *part, const struct profile *whole, size_t index)
{
    const struct counter call = counter_at(&whole->counters[EVENT_CALL], index);
    size_t number = add_calls(part, call.from, call.to, call.count, &whole->times[index]);
    return number != SIZE_MAX &&
           spread_add_all(&part->singles[number], &whole->singles[index], 0);
}

static uint32_t stack_hash(uint64_t seed, const struct stack *stack)
{
    uint64_t hash = mix(stack->depth ^ seed);
    hash = mix(hash ^ stack->task ^ (uint64_t)stack->end << 32);
    hash = mix(hash ^ stack->hit);
    for (size_t i = 0; i < stack->depth; i++)
        hash = mix(hash ^ stack->addresses[i]);
    return (uint32_t)hash;
}

/* The slot of the stack that is like this one, or the one where it belongs. */
static struct slot *stack_slot(const struct stacks *stacks, uint32_t hash,
                               const struct stack *like)
{
    size_t mask = stacks->index_size - 1, at = hash & mask;
    for (; stacks->index[at].item != 0; at = (at + 1) & mask) {
        const struct slot *slot = &stacks->index[at];
        const struct stack *stack = &stacks->items[slot->item - 1];
        if (slot->hash == hash && stack->depth == like->depth &&
            stack->task == like->task && stack->end == like->end &&
            stack->hit == like->hit &&
            memcmp(stack->addresses, like->addresses,
                   like->depth * sizeof *like->addresses) == 0)
            break;
    }
    return &stacks->index[at];
}

static bool add_stack(struct stacks *stacks, uint64_t seed, const struct stack *like)
{
    if (!reserve((void **)&stacks->items, stacks->used, &stacks->allocated,
                 sizeof *stacks->items) ||
        !reserve_slot(&stacks->index, &stacks->index_size, stacks->used))
        return false;
    uint32_t hash = stack_hash(seed, like);
    struct slot *slot = stack_slot(stacks, hash, like);
    if (slot->item == 0) {
        struct stack *stack = &stacks->items[stacks->used];
        *stack = *like;
        stack->count = 0;
        stack->addresses = reallocarray(NULL, like->depth, sizeof *like->addresses);
        if (stack->addresses == NULL)
            return false;
        memcpy(stack->addresses, like->addresses, like->depth * sizeof *like->addresses);
        *slot = (struct slot){hash, (uint32_t)++stacks->used};
    }
    struct stack *stack = &stacks->items[slot->item - 1];
    stack->count = add_saturating(stack->count, like->count);
    return true;
}

bool profile_add_path(struct profile *profile, const struct stack *like)
{
    return like->depth == 0 || add_stack(&profile->stacks, profile->seed, like);
}

bool profile_add_stack(struct profile *profile, const struct stack *like)
{
    return like->depth == 0 ||
           (profile_add_path(profile, like) &&
            profile_count(profile, EVENT_SAMPLE, 0, like->addresses[0], like->count));
}

bool profile_stack(struct profile *profile, const uint64_t *addresses, size_t depth,
                   enum stack_end end, uint64_t count)
{
    const struct stack like = {(uint64_t *)addresses, depth, count,
                               profile->task,         end,   .hit = 0};
    return profile_add_stack(profile, &like);
}

/* Takes the exception returns out of a decoded stack, in place. */
static void follow(struct stack *stack, bool through)
{
    size_t depth = 1, level = 1;
    while (level < stack->depth) {
        bool hit = arch_exception_return(stack->addresses[level]);
        level += hit;
        if (hit && (!through || level == stack->depth || depth >= HIT_LEVELS)) {
            stack->end = STACK_INTERRUPT; /* what it hit is not known or not wanted */
            break;
        }
        if (hit)
            stack->hit |= (uint64_t)1 << depth;
        stack->addresses[depth++] = stack->addresses[level++] + hit;
    }
    stack->depth = depth;
}

bool profile_follow_interrupts(struct profile *profile, bool through)
{
    struct stacks all = profile->stacks;
    bool done = true;
    const struct arch_port *port = arch_port_named(profile->arch);
    if (port == NULL || !port->stacks_hit)
        return true;
    profile->stacks = (struct stacks){.items = NULL};
    for (size_t i = 0; i < all.used; i++) {
        follow(&all.items[i], through);
        done = done && add_stack(&profile->stacks, profile->seed, &all.items[i]);
    }
    stacks_release(&all);
    return done;
}

/* The number of a counter that is there. */
static size_t number_of(const struct counters *counters, uint64_t seed,
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

void profile_stackless(const struct profile *profile, uint64_t *counts)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    for (size_t i = 0; i < samples->used; i++)
        counts[i] = counter_at(samples, i).count;
    for (size_t i = 0; i < profile->stacks.used; i++) {
        const struct stack *stack = &profile->stacks.items[i];
        const struct counter leaf = {0, stack->addresses[0], 0, stack->task};
        uint64_t *left = &counts[number_of(samples, profile->seed, &leaf)];
        *left -= stack->count < *left ? stack->count : *left;
    }
}

uint64_t profile_switches(const struct profile *profile)
{
    const struct counters *calls = &profile->counters[EVENT_CALL];
    uint64_t sum = 0;
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter call = counter_at(calls, i);
        if (call.from == 0 && call.to == 0)
            sum = add_saturating(sum, call.count);
    }
    return sum < profile->received[EVENT_CALL] ? sum : profile->received[EVENT_CALL];
}

uint64_t profile_earlier(const struct profile *profile)
{
    uint64_t sum = 0;
    for (size_t kind = 0; kind < EVENT_KINDS; kind++)
        sum += profile->earlier[kind];
    return sum;
}

bool profile_is_told(const struct profile *profile)
{
    return profile->accounted && !profile->mismatch && profile_earlier(profile) == 0 &&
           !profile->unaccounted && profile->unproven == 0 && profile->unsent == 0 &&
           profile->resets == 0;
}

bool profile_loses_more(const struct profile *profile)
{
    return !profile_is_told(profile) || profile->damaged > 0 || profile->discarded > 0;
}
