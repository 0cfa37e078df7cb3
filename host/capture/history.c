/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"

enum { STACKS = EVENT_KINDS };

static size_t items_of(const struct profile *profile, size_t list)
{
    return list == STACKS ? profile->stacks.used : profile->counters[list].used;
}

/* What the profile says of an item, as the sum of all changes to it. */
static struct history_change sum_of(const struct profile *profile, size_t list,
                                    size_t item)
{
    struct history_change sum = {.item = (uint32_t)item};
    if (list == STACKS) {
        sum.count = profile->stacks.items[item].count;
        return sum;
    }
    sum.count = counter_at(&profile->counters[list], item).count;
    if (list == EVENT_CALL) {
        sum.total = profile->times[item].total;
        sum.self = profile->times[item].self;
    }
    return sum;
}

static void add(struct history_change *sum, const struct history_change *change)
{
    sum->count += change->count;
    sum->total += change->total;
    sum->self += change->self;
}

static void subtract(struct history_change *sum, const struct history_change *change)
{
    sum->count -= change->count;
    sum->total -= change->total;
    sum->self -= change->self;
}

static struct history_sums sums_of(const struct profile *profile)
{
    struct history_sums sums = {
        .time_other = profile->time.other,
        .time_run = profile->time.run,
        .run_wrapped = profile->run_wrapped,
        .records = profile->records,
        .damaged = profile->damaged,
        .repaired = profile->repaired,
        .discarded = profile->discarded,
        .unproven = profile->unproven,
        .console_bytes = profile->console_bytes,
    };
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        sums.lost[kind] = profile->lost[kind];
        sums.earlier[kind] = profile->earlier[kind];
    }
    return sums;
}

void history_init(struct history *history, const struct profile *profile)
{
    memset(history, 0, sizeof *history);
    history->now = sums_of(profile);
}

void history_release(struct history *history)
{
    for (size_t list = 0; list < HISTORY_LISTS; list++) {
        for (size_t i = 0; i < HISTORY_STEPS; i++)
            free(history->steps[i].changes[list].items);
        free(history->counted[list].items);
    }
    memset(history, 0, sizeof *history);
}

/* ---- Steps ---- */

/* Notes in `changes` what was added to a list since the last step. */
static bool note_list(struct history *history, const struct profile *profile, size_t list,
                      struct history_list *changes)
{
    struct history_list *counted = &history->counted[list];
    for (size_t i = 0; i < items_of(profile, list); i++) {
        struct history_change change = sum_of(profile, list, i);
        if (!vector_grow(&counted->items, i, &counted->room, sizeof *counted->items))
            return false;
        if (i == counted->used)
            counted->items[counted->used++] =
                (struct history_change){.item = (uint32_t)i};
        subtract(&change, &counted->items[i]);
        if (change.count == 0 && change.total == 0)
            continue;
        if (!vector_grow(&changes->items, changes->used, &changes->room, sizeof change))
            return false;
        changes->items[changes->used++] = change;
        add(&counted->items[i], &change);
    }
    return true;
}

bool history_step(struct history *history, const struct profile *profile)
{
    struct history_step *step = &history->steps[history->ended++ % HISTORY_STEPS];
    step->began = history->now;
    history->now = sums_of(profile);
    for (size_t list = 0; list < HISTORY_LISTS; list++) {
        step->changes[list].used = 0;
        if (!note_list(history, profile, list, &step->changes[list]))
            return false;
    }
    return true;
}

size_t history_kept(const struct history *history)
{
    return history->ended < HISTORY_STEPS ? history->ended : HISTORY_STEPS;
}

const struct history_list *history_changes(const struct history *history, size_t back,
                                           size_t list)
{
    size_t number = history->ended - 1 - back;
    return &history->steps[number % HISTORY_STEPS].changes[list];
}

/* ---- Parts ---- */

struct parting {
    const struct history *history;
    const struct profile *whole;
    size_t steps;
    struct profile *part;
};

/* The sums of a list's items in the part, one for each item. */
static struct history_change *sum_list(const struct parting *parting, size_t list)
{
    const struct history_list *counted = &parting->history->counted[list];
    size_t count = items_of(parting->whole, list);
    struct history_change *sums = calloc(count + 1, sizeof *sums);
    if (sums == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        sums[i] = sum_of(parting->whole, list, i);
        if (parting->steps != HISTORY_ALL && i < counted->used)
            subtract(&sums[i], &counted->items[i]);
    }
    for (size_t back = 0; parting->steps != HISTORY_ALL && back < parting->steps;
         back++) {
        const struct history_list *changes =
            history_changes(parting->history, back, list);
        for (size_t i = 0; i < changes->used; i++)
            add(&sums[changes->items[i].item], &changes->items[i]);
    }
    return sums;
}

static bool part_counter(const struct parting *parting, enum event_kind kind,
                         const struct history_change *sum)
{
    const struct counter counter = counter_at(&parting->whole->counters[kind], sum->item);
    struct call_times times = {.total = sum->total, .self = sum->self};
    parting->part->task = counter.task;
    if (kind != EVENT_CALL)
        return profile_count(parting->part, kind, counter.from, counter.to, sum->count);
    if (parting->steps == HISTORY_ALL)
        times = parting->whole->times[sum->item];
    return profile_call(parting->part, counter.from, counter.to, sum->count, &times);
}

static bool part_stack(const struct parting *parting, const struct history_change *sum)
{
    struct stack stack = parting->whole->stacks.items[sum->item];
    stack.count = sum->count;
    return profile_add_path(parting->part, &stack);
}

static bool part_list(const struct parting *parting, size_t list)
{
    struct history_change *sums = sum_list(parting, list);
    bool done = sums != NULL;
    for (size_t i = 0; done && i < items_of(parting->whole, list); i++)
        if (sums[i].count > 0)
            done = list == STACKS
                       ? part_stack(parting, &sums[i])
                       : part_counter(parting, (enum event_kind)list, &sums[i]);
    free(sums);
    return done;
}

/* Subtracts from the part's sums, which are the whole's, what they were at `began`. */
static void part_sums(struct profile *part, const struct history_sums *began)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        part->lost[kind] -= began->lost[kind];
        part->earlier[kind] -= began->earlier[kind];
    }
    part->time.other -= began->time_other;
    part->time.run -= began->time_run;
    part->run_wrapped -= began->run_wrapped;
    part->records -= began->records;
    part->damaged -= began->damaged;
    part->repaired -= began->repaired;
    part->discarded -= began->discarded;
    part->unproven -= began->unproven;
    part->console_bytes -= began->console_bytes;
}

static bool part_tasks(struct profile *part, const struct profile *whole)
{
    for (size_t i = 0; i < whole->task_count; i++) {
        const struct task *task = &whole->tasks[i];
        if (!profile_task(part, task->number, NULL, false))
            return false;
        part->tasks[i] = *task;
    }
    return true;
}

bool history_part(const struct history *history, const struct profile *profile,
                  size_t steps, struct profile *part)
{
    size_t kept = history_kept(history);
    struct parting parting = {history, profile, steps, part};
    if (steps != HISTORY_ALL && steps > kept)
        parting.steps = kept;
    profile_init_part(part, profile);
    bool done = part_tasks(part, profile);
    for (size_t list = 0; done && list < HISTORY_LISTS; list++)
        done = part_list(&parting, list);
    if (steps != HISTORY_ALL)
        part_sums(part,
                  parting.steps == 0
                      ? &history->now
                      : &history->steps[(history->ended - parting.steps) % HISTORY_STEPS]
                             .began);
    if (!done)
        profile_release(part);
    return done;
}
