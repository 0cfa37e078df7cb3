/* SPDX-License-Identifier: MIT */
/*
 * Sampled call paths in Callgrind's format: samples by source line, and for each call
 * site the samples whose path contains it. As with timed calls, recursion has no cost of
 * its own: a sample counts for a call only if the callee is not already further out in
 * the path. So the costs of the calls of a function, from which callgrind_annotate
 * computes its inclusive cost, add up to its total. For this even a function that
 * nothing calls has a caller.
 */
#include <stdlib.h>
#include <string.h>

#include "callgrind.h"

/* The samples in a function at a line, or below a call. */
struct path_cost {
    size_t function;    /* NO_FUNCTION: the root above a path */
    enum stack_end end; /* how the paths below the root end */
    size_t callee;      /* NO_FUNCTION: the function's own samples */
    uint64_t from;      /* the call's return address */
    struct image_line at;
    uint64_t seen, cost;
};

struct path_costs {
    struct callgrind *writer;
    struct path_cost *items;
    size_t count;
    size_t *functions;     /* the functions of the current stack, by level */
    struct counter *calls; /* counted calls, by call site */
    size_t call_count;
};

static int compare_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int by_place(const void *left, const void *right)
{
    const struct path_cost *a = left, *b = right;

    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->callee == NO_FUNCTION && b->callee != NO_FUNCTION) /* a function's own
                                                               * samples come first */
        return -1;
    if (a->callee != b->callee)
        return b->callee != NO_FUNCTION && a->callee < b->callee ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line ? -1 : 1;
    return compare_text(a->at.file, b->at.file);
}

static void merge(struct path_costs *costs)
{
    size_t kept = 0;

    qsort(costs->items, costs->count, sizeof *costs->items, by_place);
    for (size_t i = 0; i < costs->count; i++) {
        struct path_cost *last = &costs->items[kept];

        if (kept > 0 && by_place(last - 1, &costs->items[i]) == 0) {
            last[-1].seen += costs->items[i].seen;
            last[-1].cost += costs->items[i].cost;
        } else {
            costs->items[kept++] = costs->items[i];
        }
    }
    costs->count = kept;
}

/* The line in the function itself; for inlined code, the line of the call. With the
 * inlined code's line readers would split a function whose code is in several files. */
static struct image_line line_of(struct image *image, uint64_t address)
{
    enum { DEPTH = 32 };
    struct image_line lines[DEPTH];
    size_t depth = image_lines(image, address, lines, DEPTH);

    return depth > 0 ? lines[depth - 1] : (struct image_line){0};
}

static void add_samples(struct path_costs *costs)
{
    const struct callgrind *writer = costs->writer;
    const struct counters *samples = &writer->profile->counters[EVENT_SAMPLE];

    for (size_t i = 0; i < samples->used; i++) {
        const struct counter sample = counter_at(samples, i);
        size_t function =
            analysis_function_at(writer->analysis, writer->image, sample.to);

        if (function != NO_FUNCTION && sample.count > 0)
            costs->items[costs->count++] =
                (struct path_cost){function,
                                   false,
                                   NO_FUNCTION,
                                   0,
                                   line_of(writer->image, sample.to),
                                   sample.count,
                                   sample.count};
    }
}

static bool is_outermost(const struct path_costs *costs, size_t level, size_t depth)
{
    for (size_t i = level + 1; i < depth; i++)
        if (costs->functions[i] == costs->functions[level])
            return false;
    return true;
}

/* Adds the call of a path's outermost function, which has no caller in the path. */
static void add_root(struct path_costs *costs, size_t function, enum stack_end end,
                     uint64_t count)
{
    costs->items[costs->count++] = (struct path_cost){
        .function = NO_FUNCTION,
        .end = end == STACK_CUT ? STACK_UNSURE : end,
        .callee = function,
        .seen = count,
        .cost = count,
    };
}

static void find_functions(struct path_costs *costs, const struct stack *stack)
{
    const struct callgrind *writer = costs->writer;

    for (size_t level = 0; level < stack->depth; level++) {
        uint64_t address = stack->addresses[level];

        costs->functions[level] = analysis_function_at(
            writer->analysis, writer->image, address - (level > 0 && address > 0));
    }
}

static bool is_program(const struct path_costs *costs, size_t function)
{
    return function != NO_FUNCTION &&
           !costs->writer->analysis->functions[function].overhead;
}

static void add_stack(struct path_costs *costs, const struct stack *stack)
{
    const size_t *functions = costs->functions;

    find_functions(costs, stack);
    if (!is_program(costs, functions[0]))
        return;
    for (size_t level = stack->depth - 1; level > 0; level--)
        costs->items[costs->count++] = (struct path_cost){
            .function = functions[level],
            .callee = functions[level - 1],
            .from = stack->addresses[level],
            .seen = stack->count,
            .cost = is_outermost(costs, level - 1, stack->depth) ? stack->count : 0,
        };
    add_root(costs, functions[stack->depth - 1], stack->end, stack->count);
}

/* Adds the samples that have no stack. */
static bool add_stackless(struct path_costs *costs)
{
    const struct callgrind *writer = costs->writer;
    const struct counters *samples = &writer->profile->counters[EVENT_SAMPLE];
    uint64_t *counts = calloc(samples->used + 1, sizeof *counts);

    if (counts == NULL)
        return false;
    profile_stackless(writer->profile, counts);
    for (size_t i = 0; i < samples->used; i++) {
        size_t function = analysis_function_at(writer->analysis, writer->image,
                                               counter_at(samples, i).to);

        if (counts[i] > 0 && is_program(costs, function))
            add_root(costs, function, STACK_UNSURE, counts[i]);
    }
    free(counts);
    return true;
}

static bool collect(struct path_costs *costs)
{
    const struct profile *profile = costs->writer->profile;
    size_t most = 2 * profile->counters[EVENT_SAMPLE].used + 1, deepest = 1;

    for (size_t i = 0; i < profile->stacks.used; i++) {
        size_t depth = profile->stacks.items[i].depth;

        most += depth; /* the leaf makes no call, but the root makes one */
        deepest = depth > deepest ? depth : deepest;
    }
    costs->items = calloc(most, sizeof *costs->items);
    costs->functions = calloc(deepest, sizeof *costs->functions);
    if (costs->items == NULL || costs->functions == NULL)
        return false;
    add_samples(costs);
    for (size_t i = 0; i < profile->stacks.used; i++)
        add_stack(costs, &profile->stacks.items[i]);
    if (!add_stackless(costs))
        return false;
    merge(costs);
    return true;
}

static int by_from(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    return (a->from > b->from) - (a->from < b->from);
}

/* Sorts the counted calls by call site. */
static bool sort_calls(struct path_costs *costs)
{
    const struct counters *arcs = &costs->writer->profile->counters[EVENT_ARC];

    costs->calls = counters_sorted(arcs, by_from);
    costs->call_count = arcs->used;
    return costs->calls != NULL;
}

/* How often the call was counted; 0 if it was not. */
static uint64_t counted(const struct path_costs *costs, uint64_t from)
{
    const struct counter key = {.from = from};
    const struct counter *calls = costs->calls, *end = calls + costs->call_count;
    const struct counter *found =
        from != 0 ? bsearch(&key, calls, costs->call_count, sizeof key, by_from) : NULL;
    uint64_t sum = 0;

    while (found != NULL && found > calls && found[-1].from == from)
        found--;
    for (; found != NULL && found < end && found->from == from; found++)
        sum += found->count;
    return sum;
}

static void put_cost(const struct path_costs *costs, const struct path_cost *cost,
                     const char *file)
{
    struct callgrind *writer = costs->writer;
    uint64_t count = counted(costs, cost->from);
    struct image_line at = cost->at;

    if (cost->callee != NO_FUNCTION) {
        if (cost->from != 0)
            at = line_of(writer->image, cost->from - 1);
        callgrind_call(writer, at, file, &writer->analysis->functions[cost->callee],
                       count > 0 ? count : cost->seen,
                       callgrind_cost(writer, cost->cost));
        return;
    }
    bool elsewhere = compare_text(at.file, file) != 0;

    if (elsewhere)
        callgrind_file(writer, "fi=", at.file);
    fprintf(writer->out, "%u %llu\n", at.line,
            (unsigned long long)callgrind_cost(writer, cost->cost));
    if (elsewhere)
        callgrind_file(writer, "fe=", file);
}

static const char *name_above(enum stack_end end)
{
    const char *name = call_path_above(end);

    return name != NULL ? name : "<spontaneous>";
}

static void put_costs(struct path_costs *costs)
{
    struct callgrind *writer = costs->writer;
    struct image_line place = {0};

    for (size_t i = 0; i < costs->count; i++) {
        const struct path_cost *cost = &costs->items[i];
        const struct function *function =
            cost->function != NO_FUNCTION ? &writer->analysis->functions[cost->function]
                                          : NULL;

        if (i == 0 || cost->function != cost[-1].function || cost->end != cost[-1].end) {
            place = function != NULL ? export_place(writer->image, function)
                                     : (struct image_line){0};
            callgrind_function(writer, place.file,
                               function != NULL ? function->name : name_above(cost->end));
        }
        put_cost(costs, cost, place.file);
    }
}

void callgrind_paths(struct callgrind *writer)
{
    struct path_costs costs = {.writer = writer};

    if (collect(&costs) && sort_calls(&costs))
        put_costs(&costs);
    else
        writer->failed = true;
    free(costs.items);
    free(costs.functions);
    free(costs.calls);
}
