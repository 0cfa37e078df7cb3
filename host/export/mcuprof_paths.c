/* SPDX-License-Identifier: MIT */
/*
 * Writes samples with their call paths as records. Paths are sorted, so that neighbours
 * share their outer frames.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "mcuprof_records.h"

/* ---- Samples of counters that have a path ---- */

struct sample {
    uint32_t task;
    uint64_t address;
    size_t index;
};

static int by_sample(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;

    ORDER_BY(a->task, b->task);
    return (a->address > b->address) - (a->address < b->address);
}

uint64_t *count_with_path(const struct profile *profile, struct error *error)
{
    const struct counters *counters = &profile->counters[EVENT_SAMPLE];
    uint64_t *counts = calloc(counters->used + 1, sizeof *counts);
    struct sample *samples = calloc(counters->used + 1, sizeof *samples);

    if (counts == NULL || samples == NULL) {
        free(counts);
        free(samples);
        error_no_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < counters->used; i++) {
        const struct counter counter = counter_at(counters, i);

        samples[i] = (struct sample){counter.task, counter.to, i};
    }
    qsort(samples, counters->used, sizeof *samples, by_sample);
    for (size_t i = 0; i < profile->stacks.used; i++) {
        const struct stack *stack = &profile->stacks.items[i];
        struct sample key = {stack->task, stack->addresses[0], 0};
        const struct sample *found =
            bsearch(&key, samples, counters->used, sizeof *samples, by_sample);

        if (found != NULL)
            counts[found->index] += stack->count;
    }
    free(samples);
    return counts;
}

/* ---- Paths ---- */

static const unsigned roots[STACK_ENDS] = {
    [STACK_WHOLE] = MCUPROF_WIRE_ROOT_WHOLE,
    [STACK_INTERRUPT] = MCUPROF_WIRE_ROOT_INTERRUPT,
    [STACK_CUT] = MCUPROF_WIRE_ROOT_CUT,
    [STACK_UNSURE] = MCUPROF_WIRE_ROOT_UNSURE,
};

static uint64_t frame(const struct stack *stack, size_t from_outside)
{
    return stack->addresses[stack->depth - 1 - from_outside];
}

bool choose_depth(struct record_writer *writer, struct error *error)
{
    const struct stacks *stacks = &writer->profile->stacks;
    size_t depth = writer->profile->path_depth;

    if (stacks->used > 0 && depth == 0)
        depth = 1;
    for (size_t i = 0; i < stacks->used; i++) {
        if (stacks->items[i].depth > depth + 2)
            depth = stacks->items[i].depth - 2; /* the depth counts neither the leaf nor
                                                 * a frame in the link register */
    }
    if (depth > DEPTH_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "paths of %zu frames are more than the %d that mcuprof's "
                         "records can say",
                         depth + 1, DEPTH_MAX + 1);
    writer->depth = (unsigned)depth;
    return true;
}

/* How many outer frames this stack shares with the last path of the block. */
static size_t count_shared(const struct record_writer *writer, const struct stack *stack)
{
    const struct said *said = &writer->said;
    size_t shared = 0;

    if (!said->path || said->root != roots[stack->end])
        return 0;
    while (shared < said->depth && shared + 1 < stack->depth &&
           said->frames[shared] == frame(stack, shared) >> writer->unit)
        shared++;
    return shared;
}

static bool is_said(const struct record_writer *writer, const struct stack *stack)
{
    const struct said *said = &writer->said;

    return said->path && said->root == roots[stack->end] &&
           said->depth + 1 == stack->depth && count_shared(writer, stack) == said->depth;
}

static void put_frame(struct said *said, struct record *record, uint64_t address,
                      unsigned unit)
{
    uint32_t value = (uint32_t)address >> unit;
    uint32_t place = MCUPROF_WIRE_PLACE((uint32_t)address, unit);

    if (said->filled[place] && said->places[place] == value) {
        record_put(record, place, 1);
    } else if (value >> MCUPROF_WIRE_PATH_SHORT_BITS == 0) {
        record_put(record, MCUPROF_WIRE_PATH_SHORT | (value & 31), 1);
        record_put(record, value >> 5, 1);
    } else if (value >> MCUPROF_WIRE_PATH_MIDDLE_BITS == 0) {
        record_put(record, MCUPROF_WIRE_PATH_MIDDLE | (value & 15), 1);
        record_put(record, value >> 4, 2);
    } else {
        record_put(record, MCUPROF_WIRE_PATH_LONG | (value & 15), 1);
        record_put(record, value >> 4, 4);
    }
    said->filled[place] = true;
    said->places[place] = value;
    said->frames[said->depth++] = value;
}

static void put_shape(struct said *said, struct record *record, const struct stack *stack,
                      size_t shared, unsigned frames)
{
    size_t drop = said->depth - shared;

    if (!said->path || shared == 0) {
        record_put(record, MCUPROF_WIRE_PATH_ANEW(roots[stack->end]) | frames, 1);
    } else if (drop < MCUPROF_WIRE_PATH_DROP_MORE) {
        record_put(record, MCUPROF_WIRE_PATH_DROP((unsigned)drop) | frames, 1);
    } else {
        record_put(record, MCUPROF_WIRE_PATH_DROP(MCUPROF_WIRE_PATH_DROP_MORE) | frames,
                   1);
        record_put(record, (uint32_t)drop, 1);
    }
    said->path = true;
    said->root = roots[stack->end];
    said->depth = shared;
}

/* The parameters of a sample's record; *groups is the number of groups of its program
 * counter. */
static unsigned sample_parameters(uint32_t pc, unsigned *groups)
{
    unsigned sizes = address_sizes(pc);
    bool high = pc >> 14 > 0 && pc >> 16 == 0; /* bit 14 or 15 is set, but none above */

    *groups = high ? 2 : 2 + sizes;
    return high ? MCUPROF_WIRE_END_PATH + (pc >> 14)
                : MCUPROF_WIRE_END_PATH_SAMPLE + sizes;
}

/* Writes a record of the stack's path. The record that completes the path is also a
 * sample; returns whether this one is. */
static bool put_path(struct record_writer *writer, const struct stack *stack)
{
    size_t shared = count_shared(writer, stack), left = stack->depth - 1 - shared;
    bool sample = left <= MCUPROF_WIRE_PATH_FRAMES;
    unsigned frames = sample ? (unsigned)left : MCUPROF_WIRE_PATH_FRAMES;
    uint32_t pc = (uint32_t)stack->addresses[0] >> writer->unit;
    unsigned groups, parameters = sample_parameters(pc, &groups);
    struct record record;

    record_begin(&record, MCUPROF_WIRE_END, sample ? parameters : MCUPROF_WIRE_END_PATH);
    put_shape(&writer->said, &record, stack, shared, frames);
    for (unsigned i = 0; i < frames; i++)
        put_frame(&writer->said, &record, frame(stack, shared + i), writer->unit);
    if (sample)
        record_put(&record, pc, groups);
    record_finish(writer, &record);
    return sample;
}

/* ---- Samples ---- */

bool put_stack(struct record_writer *writer, const struct stack *stack,
               struct error *error)
{
    if (stack->count / EVENTS_MAX > RECORDS_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "%" PRIu64 " samples at 0x%" PRIx64
                         " are more than mcuprof's records should say",
                         stack->count, stack->addresses[0]);
    if (stack->task != writer->task)
        put_task(writer, stack->task);
    for (uint64_t left = stack->count; left > 0 && !ferror(writer->out);) {
        uint32_t count = events_now(writer, left, EVENTS_MAX), more = count;

        make_room(writer, EVENT_SAMPLE, count);
        while (more > 0 && !is_said(writer, stack)) /* a block may end in between, and a
                                                     * new block knows no path */
            more -= put_path(writer, stack);
        if (more > 0)
            put_samples(writer, (uint32_t)stack->addresses[0] >> writer->unit, more);
        left -= count;
    }
    return true;
}

int compare_paths(const void *left, const void *right)
{
    const struct stack *a = *(const struct stack *const *)left;
    const struct stack *b = *(const struct stack *const *)right;

    ORDER_BY(a->task, b->task);
    ORDER_BY(a->end, b->end);
    for (size_t i = 0; i < a->depth && i < b->depth; i++) {
        ORDER_BY(frame(a, i), frame(b, i));
    }
    return (a->depth > b->depth) - (a->depth < b->depth);
}

bool put_stacks(struct record_writer *writer, bool unknown, struct error *error)
{
    const struct stacks *stacks = &writer->profile->stacks;
    const struct stack **sorted = calloc(stacks->used + 1, sizeof *sorted);
    bool done = sorted != NULL;
    size_t count = 0;

    if (!done)
        error_no_memory(error);
    for (size_t i = 0; done && i < stacks->used; i++) {
        if ((stacks->items[i].task == TASK_UNKNOWN) == unknown)
            sorted[count++] = &stacks->items[i];
    }
    if (done)
        qsort(sorted, count, sizeof(*sorted), compare_paths);
    for (size_t i = 0; done && i < count; i++)
        done = put_stack(writer, sorted[i], error);
    free(sorted);
    return done;
}
