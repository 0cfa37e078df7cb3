/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "profile.h"

enum { INDEX_MIN = 64 }; /* slots; always a power of two */

static uint64_t mix(uint64_t value)
{
    /* The finalizer of MurmurHash3 (A. Appleby, public domain). */
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdU;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53U;
    return value ^ value >> 33;
}

static uint64_t add_saturating(uint64_t sum, uint64_t more)
{
    return sum > UINT64_MAX - more ? UINT64_MAX : sum + more;
}

/* Slots hold 1 + an item's number, 0 where free. */
static bool new_index(uint32_t **index, size_t *size, size_t items)
{
    if (items > UINT32_MAX - 2)
        return false;
    size_t slots = INDEX_MIN;
    while (slots / 2 < items + 1)
        slots *= 2;
    uint32_t *fresh = calloc(slots, sizeof *fresh);
    if (fresh == NULL)
        return false;
    free(*index);
    *index = fresh;
    *size = slots;
    return true;
}

static bool grow(void **items, size_t used, size_t *allocated, size_t size)
{
    if (used < *allocated)
        return true;
    size_t more = *allocated == 0 ? INDEX_MIN : *allocated * 2;
    void *moved = reallocarray(*items, more, size);
    if (moved == NULL)
        return false;
    *items = moved;
    *allocated = more;
    return true;
}

static size_t counter_slot(const struct counters *counters, uint64_t seed, uint64_t from,
                           uint64_t to, uint32_t task)
{
    size_t mask = counters->index_size - 1;
    size_t slot = (size_t)mix(mix(from ^ seed) ^ to ^ (uint64_t)task << 48) & mask;
    for (; counters->index[slot] != 0; slot = (slot + 1) & mask) {
        const struct counter *counter = &counters->items[counters->index[slot] - 1];
        if (counter->from == from && counter->to == to && counter->task == task)
            break;
    }
    return slot;
}

static bool counters_reserve(struct counters *counters, uint64_t seed)
{
    if (!grow((void **)&counters->items, counters->used, &counters->allocated,
              sizeof *counters->items))
        return false;
    if (counters->used < counters->index_size / 2)
        return true;
    if (!new_index(&counters->index, &counters->index_size, counters->used))
        return false;
    for (size_t i = 0; i < counters->used; i++) {
        const struct counter *counter = &counters->items[i];
        size_t slot =
            counter_slot(counters, seed, counter->from, counter->to, counter->task);
        counters->index[slot] = (uint32_t)i + 1;
    }
    return true;
}

void profile_init(struct profile *profile)
{
    *profile = (struct profile){.bin_bytes = 1, .format = "", .arch = ""};
    /* A seed of its own, so that no input can be made to collide. Without one the
     * program is only easier to slow down. */
    if (getrandom(&profile->seed, sizeof profile->seed, GRND_NONBLOCK) < 0)
        profile->seed = 0;
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
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        free(profile->counters[kind].items);
        free(profile->counters[kind].index);
    }
    stacks_release(&profile->stacks);
    free(profile->times);
    free(profile->tasks);
    profile_init(profile);
}

/* Adds to a counter; SIZE_MAX: out of memory, else its number. */
static size_t count_of(struct profile *profile, enum event_kind kind, uint64_t from,
                       uint64_t to, uint64_t count)
{
    struct counters *counters = &profile->counters[kind];
    if (!counters_reserve(counters, profile->seed))
        return SIZE_MAX;
    size_t slot = counter_slot(counters, profile->seed, from, to, profile->task);
    if (counters->index[slot] == 0) {
        counters->items[counters->used] = (struct counter){from, to, 0, profile->task};
        counters->index[slot] = (uint32_t)++counters->used;
    }
    struct counter *counter = &counters->items[counters->index[slot] - 1];
    counter->count = add_saturating(counter->count, count);
    profile->received[kind] = add_saturating(profile->received[kind], count);
    return (size_t)(counter - counters->items);
}

bool profile_count(struct profile *profile, enum event_kind kind, uint64_t from,
                   uint64_t to, uint64_t count)
{
    return count_of(profile, kind, from, to, count) != SIZE_MAX;
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
        snprintf(profile->tasks[i].name, sizeof profile->tasks[i].name, "%s", name);
        profile->tasks[i].idle = idle;
    }
    return true;
}

bool profile_call(struct profile *profile, uint64_t from, uint64_t to, uint64_t count,
                  const struct call_times *times)
{
    struct counters *calls = &profile->counters[EVENT_CALL];
    size_t before = calls->used, allocated = calls->allocated;
    size_t number = count_of(profile, EVENT_CALL, from, to, count);
    if (number == SIZE_MAX)
        return false;
    if (allocated != calls->allocated) {
        struct call_times *moved =
            reallocarray(profile->times, calls->allocated, sizeof *moved);
        if (moved == NULL)
            return false;
        profile->times = moved;
    }
    struct call_times *sum = &profile->times[number];
    if (number == before) {
        *sum = *times;
        return true;
    }
    call_times_add(sum, times);
    return true;
}

/* Where the stack like this one is, or belongs. */
static size_t stack_slot(const struct stacks *stacks, uint64_t seed,
                         const struct stack *like)
{
    uint64_t hash = mix(like->depth ^ seed);
    hash = mix(hash ^ like->task ^ (uint64_t)like->end << 32);
    hash = mix(hash ^ like->hit);
    for (size_t i = 0; i < like->depth; i++)
        hash = mix(hash ^ like->addresses[i]);
    size_t mask = stacks->index_size - 1;
    size_t slot = (size_t)hash & mask;
    for (; stacks->index[slot] != 0; slot = (slot + 1) & mask) {
        const struct stack *stack = &stacks->items[stacks->index[slot] - 1];
        if (stack->depth == like->depth && stack->task == like->task &&
            stack->end == like->end && stack->hit == like->hit &&
            memcmp(stack->addresses, like->addresses,
                   like->depth * sizeof *like->addresses) == 0)
            break;
    }
    return slot;
}

static bool stacks_reserve(struct stacks *stacks, uint64_t seed)
{
    if (!grow((void **)&stacks->items, stacks->used, &stacks->allocated,
              sizeof *stacks->items))
        return false;
    if (stacks->used < stacks->index_size / 2)
        return true;
    if (!new_index(&stacks->index, &stacks->index_size, stacks->used))
        return false;
    for (size_t i = 0; i < stacks->used; i++) {
        size_t slot = stack_slot(stacks, seed, &stacks->items[i]);
        stacks->index[slot] = (uint32_t)i + 1;
    }
    return true;
}

static bool add_stack(struct stacks *stacks, uint64_t seed, const struct stack *like)
{
    if (!stacks_reserve(stacks, seed))
        return false;
    size_t slot = stack_slot(stacks, seed, like);
    if (stacks->index[slot] == 0) {
        struct stack *stack = &stacks->items[stacks->used];
        *stack = *like;
        stack->count = 0;
        stack->addresses = reallocarray(NULL, like->depth, sizeof *like->addresses);
        if (stack->addresses == NULL)
            return false;
        memcpy(stack->addresses, like->addresses, like->depth * sizeof *like->addresses);
        stacks->index[slot] = (uint32_t)++stacks->used;
    }
    struct stack *stack = &stacks->items[stacks->index[slot] - 1];
    stack->count = add_saturating(stack->count, like->count);
    return true;
}

bool profile_add_stack(struct profile *profile, const struct stack *like)
{
    return like->depth == 0 ||
           (add_stack(&profile->stacks, profile->seed, like) &&
            profile_count(profile, EVENT_SAMPLE, 0, like->addresses[0], like->count));
}

bool profile_stack(struct profile *profile, const uint64_t *addresses, size_t depth,
                   enum stack_end end, uint64_t count)
{
    const struct stack like = {(uint64_t *)addresses, depth, count,
                               profile->task,         end,   .hit = 0};
    return profile_add_stack(profile, &like);
}

/* EXC_RETURN, of any Cortex-M. */
static bool is_handlers_return(uint64_t address)
{
    return address >= 0xFFFFFF00U && address <= UINT32_MAX;
}

/* Turns a stack as it was decoded, in place, into what it is. */
static void follow(struct stack *stack, bool through)
{
    size_t depth = 1, level = 1;
    while (level < stack->depth) {
        bool hit = is_handlers_return(stack->addresses[level]);
        level += hit;
        if (hit && (!through || level == stack->depth || depth >= HIT_LEVELS)) {
            stack->end = STACK_INTERRUPT; /* what it hit is not known, or wanted */
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
    if (strcmp(profile->arch, "cortex-m") != 0)
        return true;
    profile->stacks = (struct stacks){.items = NULL};
    for (size_t i = 0; i < all.used; i++) {
        follow(&all.items[i], through);
        done = done && add_stack(&profile->stacks, profile->seed, &all.items[i]);
    }
    stacks_release(&all);
    return done;
}

void profile_stackless(const struct profile *profile, uint64_t *counts)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    for (size_t i = 0; i < samples->used; i++)
        counts[i] = samples->items[i].count;
    for (size_t i = 0; i < profile->stacks.used; i++) {
        const struct stack *stack = &profile->stacks.items[i];
        size_t slot =
            counter_slot(samples, profile->seed, 0, stack->addresses[0], stack->task);
        uint64_t *left = &counts[samples->index[slot] - 1]; /* leaves have counters */
        *left -= stack->count < *left ? stack->count : *left;
    }
}
