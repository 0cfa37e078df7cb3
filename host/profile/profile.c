/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/saturate.h"
#include "../port/memory.h"
#include "../port/system.h"
#include "counters.h"

void profile_init(struct profile *profile)
{
    *profile = (struct profile){.bin_bytes = 1, .format = "", .arch = ""};
    /* Each profile has a seed of its own, so that nobody can make an input whose keys
     * collide. Without a seed the program is only easier to slow down. */
    if (!port_random(&profile->seed, sizeof profile->seed))
        profile->seed = 0;
}

void profile_init_part(struct profile *part, const struct profile *whole)
{
    struct profile empty;
    profile_init(&empty);
    *part = *whole;
    if (!whole->one_task) {
        memcpy(part->run_received, whole->received, sizeof part->run_received);
        part->run_switches = profile_switches(whole);
    }
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

void profile_release_stacks(struct stacks *stacks)
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
        durations_release(&profile->singles[i]);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        free(profile->counters[kind].small);
        free(profile->counters[kind].large);
        free(profile->counters[kind].index);
    }
    profile_release_stacks(&profile->stacks);
    timeline_release(&profile->timeline);
    free(profile->times);
    free(profile->singles);
    free(profile->tasks);
    free(profile->handlers);
    profile_init(profile);
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
        struct task *moved = port_reallocarray(profile->tasks, i + 1, sizeof *moved);
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

/* Makes as much room for the times of calls as there is for their counters. */
static bool grow_times(struct profile *profile)
{
    size_t room = profile->counters[EVENT_CALL].allocated;
    struct call_times *times = port_reallocarray(profile->times, room, sizeof *times);
    if (times == NULL)
        return false;
    profile->times = times;
    struct durations *singles =
        port_reallocarray(profile->singles, room, sizeof *singles);
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
    size_t number = counters_count(profile, &event);
    if (number == SIZE_MAX)
        return SIZE_MAX;
    if (allocated != calls->allocated && !grow_times(profile)) {
        calls->used = before;
        return SIZE_MAX;
    }
    if (number == before) {
        profile->times[number] = *times;
        profile->singles[number] = (struct durations){.bins = NULL};
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
        if (!durations_add(&profile->singles[number], single[i]))
            return false;
    return number != SIZE_MAX;
}

bool profile_call_copy(struct profile *part, const struct profile *whole, size_t index)
{
    const struct counter call = counter_at(&whole->counters[EVENT_CALL], index);
    size_t number = add_calls(part, call.from, call.to, call.count, &whole->times[index]);
    return number != SIZE_MAX &&
           durations_add_all(&part->singles[number], &whole->singles[index], 0);
}

static uint32_t stack_hash(uint64_t seed, const struct stack *stack)
{
    uint64_t hash = mix_bits(stack->depth ^ seed);
    hash = mix_bits(hash ^ stack->task ^ (uint64_t)stack->end << 32);
    hash = mix_bits(hash ^ stack->hit);
    for (size_t i = 0; i < stack->depth; i++)
        hash = mix_bits(hash ^ stack->addresses[i]);
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
    if (!items_reserve((void **)&stacks->items, stacks->used, &stacks->allocated,
                       sizeof *stacks->items) ||
        !slots_reserve(&stacks->index, &stacks->index_size, stacks->used))
        return false;
    uint32_t hash = stack_hash(seed, like);
    struct slot *slot = stack_slot(stacks, hash, like);
    if (slot->item == 0) {
        struct stack *stack = &stacks->items[stacks->used];
        *stack = *like;
        stack->count = 0;
        stack->addresses = port_reallocarray(NULL, like->depth, sizeof *like->addresses);
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
    profile_release_stacks(&all);
    return done;
}

void profile_stackless(const struct profile *profile, uint64_t *counts)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    for (size_t i = 0; i < samples->used; i++)
        counts[i] = counter_at(samples, i).count;
    for (size_t i = 0; i < profile->stacks.used; i++) {
        const struct stack *stack = &profile->stacks.items[i];
        const struct counter leaf = {0, stack->addresses[0], 0, stack->task};
        uint64_t *left = &counts[counters_find(samples, profile->seed, &leaf)];
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

uint64_t events_sum(const uint64_t counts[EVENT_KINDS])
{
    uint64_t sum = 0;
    for (size_t kind = 0; kind < EVENT_KINDS; kind++)
        sum += counts[kind];
    return sum;
}

bool profile_misses_some(const struct profile *profile)
{
    return profile->mismatch || events_sum(profile->earlier) > 0 ||
           profile->unaccounted || profile->unproven > 0 || profile->unsent > 0 ||
           profile->resets > 0;
}

bool profile_is_told(const struct profile *profile)
{
    return profile->accounted && !profile_misses_some(profile);
}

bool profile_loses_more(const struct profile *profile)
{
    return !profile_is_told(profile) || profile->damaged > 0 || profile->discarded > 0;
}
