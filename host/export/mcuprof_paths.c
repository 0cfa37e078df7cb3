/* SPDX-License-Identifier: MIT */
/*
 * Samples with their call paths, as records: each path's nodes from the outside in, then
 * the sample. Paths are sorted, so that one shares with the one before it the nodes that
 * both begin with, and no more need be remembered.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mcuprof_records.h"

enum {
    PATH_MAX_FRAMES = 4000,
    SAMPLES_MAX = 0x3FFF, /* in a record */
    PATH_RECORDS_MAX = 1000000,
    /* A number that is never defined: what is beyond is not known. */
    NUMBER_NONE = MCUPROF_WIRE_NODE_MAX,
};

/* ---- Samples of counters that have a path ---- */

struct sample {
    uint32_t task;
    uint64_t address;
    size_t index;
};

static int by_sample(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;

    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
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
        export_no_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < counters->used; i++)
        samples[i] = (struct sample){counters->items[i].task, counters->items[i].to, i};
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

/* ---- Nodes ---- */

/* The path written last, from the outside in: of the frames of `stack`, so many have a
 * number. */
struct path {
    const struct stack *stack;
    uint32_t root;
    size_t defined;
    uint32_t numbers[PATH_MAX_FRAMES];
};

static uint64_t frame(const struct stack *stack, size_t from_outside)
{
    return stack->addresses[stack->depth - 1 - from_outside];
}

static unsigned sizes_of(uint32_t value)
{
    unsigned groups = 2;

    while (value >>= 7)
        groups++;
    return groups > 3 ? groups - 3 : 0;
}

static void put_node(struct writer *writer, uint32_t number, uint32_t parent,
                     uint64_t address)
{
    uint32_t value = (uint32_t)address >> writer->unit;
    unsigned sizes = sizes_of(value);
    struct record record;

    record_begin(&record, MCUPROF_WIRE_END, MCUPROF_WIRE_END_NODE + sizes);
    record_put(&record, number, MCUPROF_WIRE_NODE_GROUPS);
    record_put(&record, parent, MCUPROF_WIRE_NODE_GROUPS);
    record_put(&record, value, 2 + sizes);
    record_finish(writer, &record);
}

/* Defines what is not of the stack's nodes. When numbers begin anew, those of the nodes
 * that are in use might be given again: all are defined anew then. */
static void define(struct writer *writer, struct path *path)
{
    size_t frames = path->stack->depth - 1;

    while (path->defined < frames) {
        if (writer->last_node == NUMBER_NONE - 1) {
            writer->last_node = MCUPROF_WIRE_NODE_FIRST - 1;
            path->defined = 0;
        }
        path->numbers[path->defined] = ++writer->last_node;
        put_node(writer, writer->last_node,
                 path->defined > 0 ? path->numbers[path->defined - 1] : path->root,
                 frame(path->stack, path->defined));
        path->defined++;
    }
}

/* Goes on to another stack. */
static void move_to(struct path *path, const struct stack *stack, uint32_t root)
{
    size_t same = 0;

    while (path->root == root && same < path->defined && same + 1 < stack->depth &&
           frame(path->stack, same) == frame(stack, same))
        same++;
    path->stack = stack;
    path->root = root;
    path->defined = same;
}

/* ---- Samples ---- */

static void put_sample(struct writer *writer, uint32_t node, uint64_t address,
                       uint32_t count)
{
    uint32_t value = (uint32_t)address >> writer->unit;
    unsigned sizes = sizes_of(value);
    struct record record;

    make_room(writer, EVENT_SAMPLE, count);
    record_begin(&record, MCUPROF_WIRE_END,
                 MCUPROF_WIRE_END_PATH_SAMPLE + 2 * sizes + (count != 1));
    record_put(&record, node, MCUPROF_WIRE_NODE_GROUPS);
    record_put(&record, value, 2 + sizes);
    if (count != 1)
        record_put(&record, count, 2);
    record_finish(writer, &record);
}

static bool put_part(struct writer *writer, struct path *path, const struct stack *stack,
                     uint32_t root, uint64_t samples, struct error *error)
{
    if (stack->depth > PATH_MAX_FRAMES || samples / SAMPLES_MAX > PATH_RECORDS_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "%" PRIu64 " samples with a path of %zu frames are more than "
                         "mcuprof's records should say",
                         samples, stack->depth);
    if (stack->task != writer->task)
        put_task(writer, stack->task);
    move_to(path, stack, root);
    while (samples > 0 && !ferror(writer->out)) {
        uint32_t count = samples < SAMPLES_MAX ? (uint32_t)samples : SAMPLES_MAX;

        define(writer, path);
        put_sample(writer, path->defined > 0 ? path->numbers[path->defined - 1] : root,
                   stack->addresses[0], count);
        samples -= count;
    }
    return true;
}

static bool put_stack(struct writer *writer, struct path *path, const struct stack *stack,
                      struct error *error)
{
    static const uint32_t roots[STACK_ENDS] = {
        [STACK_WHOLE] = MCUPROF_WIRE_ROOT_WHOLE,
        [STACK_INTERRUPT] = MCUPROF_WIRE_ROOT_INTERRUPT,
        [STACK_CUT] = MCUPROF_WIRE_ROOT_CUT,
        [STACK_UNSURE] = MCUPROF_WIRE_ROOT_UNSURE,
    };
    uint64_t part = 0;

    if (stack->end == STACK_UNSURE)
        part = stack->count < writer->unresolved ? stack->count : writer->unresolved;
    writer->unresolved -= part;
    return put_part(writer, path, stack, NUMBER_NONE, part, error) &&
           put_part(writer, path, stack, roots[stack->end], stack->count - part, error);
}

/* By task, end and frames from the outside in. */
static int by_path(const void *left, const void *right)
{
    const struct stack *a = *(const struct stack *const *)left;
    const struct stack *b = *(const struct stack *const *)right;

    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    for (size_t i = 0; i < a->depth && i < b->depth; i++) {
        if (frame(a, i) != frame(b, i))
            return frame(a, i) < frame(b, i) ? -1 : 1;
    }
    return (a->depth > b->depth) - (a->depth < b->depth);
}

bool put_stacks(struct writer *writer, bool unknown, struct error *error)
{
    const struct stacks *stacks = &writer->profile->stacks;
    const struct stack **sorted = calloc(stacks->used + 1, sizeof *sorted);
    struct path *path = calloc(1, sizeof *path);
    bool done = sorted != NULL && path != NULL;
    size_t count = 0;

    if (!done)
        export_no_memory(error);
    for (size_t i = 0; done && i < stacks->used; i++) {
        if ((stacks->items[i].task == TASK_UNKNOWN) == unknown)
            sorted[count++] = &stacks->items[i];
    }
    if (done)
        qsort(sorted, count, sizeof(*sorted), by_path);
    for (size_t i = 0; done && i < count; i++)
        done = put_stack(writer, path, sorted[i], error);
    free(sorted);
    free(path);
    return done;
}
