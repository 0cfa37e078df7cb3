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

#include "../analysis/frame_tree.h"
#include "../base/compare.h"
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
    struct counter *calls; /* counted calls, by call site */
    size_t call_count;
};

static int by_place(const void *left, const void *right)
{
    const struct path_cost *a = left, *b = right;

    ORDER_BY(a->function, b->function);
    ORDER_BY(a->end, b->end);
    if (a->callee == NO_FUNCTION && b->callee != NO_FUNCTION) /* a function's own
                                                               * samples come first */
        return -1;
    if (a->callee != b->callee)
        return b->callee != NO_FUNCTION && a->callee < b->callee ? -1 : 1;
    ORDER_BY(a->from, b->from);
    ORDER_BY(a->at.line, b->at.line);
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

/* The line at work in a function's frame: for inlined code that of the call. With the
 * inlined code's line readers would split a function whose code is in several files. */
static struct image_line line_of(const struct tree_frame *frame)
{
    return (struct image_line){.file = frame->file, .line = frame->line};
}

/* How a path ends whose outermost function is below that node. */
static enum stack_end end_below(const struct tree_frame *frame)
{
    bool entered = frame->kind == TREE_TASK && frame->number >= TASK_INTERRUPT &&
                   frame->number < TASK_UNKNOWN;

    if (frame->kind == TREE_INTERRUPT || entered)
        return STACK_INTERRUPT;
    return frame->kind == TREE_CUT || frame->kind == TREE_UNSURE ? STACK_UNSURE
                                                                 : STACK_WHOLE;
}

/* Adds a node's own samples, at the line of the function that it is in. */
static void add_self(struct path_costs *costs, const struct frame_tree *tree, size_t node)
{
    const struct tree_frame *frame =
        tree_frame(tree, frame_tree_above(tree, node, TREE_FUNCTION));

    if (tree->nodes[node].self > 0)
        costs->items[costs->count++] = (struct path_cost){
            .function = frame->number,
            .callee = NO_FUNCTION,
            .at = line_of(frame),
            .seen = tree->nodes[node].self,
            .cost = tree->nodes[node].self,
        };
}

/* Adds the call of a function, with a cost if nothing of the function is further out. A
 * path's outermost function has no caller in the path. */
static void add_call(struct path_costs *costs, const struct frame_tree *tree, size_t node,
                     bool outermost)
{
    const struct tree_node *called = &tree->nodes[node];
    size_t caller = frame_tree_above(tree, called->parent, TREE_FUNCTION);
    const struct tree_frame *from = tree_frame(tree, caller);

    costs->items[costs->count++] = (struct path_cost){
        .function = caller != 0 ? from->number : NO_FUNCTION,
        .end = caller != 0 ? STACK_WHOLE : end_below(tree_frame(tree, called->parent)),
        .callee = tree_frame(tree, node)->number,
        .from = caller != 0 ? from->address + 1 : 0,
        .at = line_of(from),
        .seen = called->total,
        .cost = outermost ? called->total : 0,
    };
}

static bool collect(struct path_costs *costs, const struct frame_tree *tree)
{
    size_t functions = costs->writer->analysis->function_count, own = 0;
    uint32_t *below = calloc(functions + 1, sizeof *below);

    costs->items = calloc(2 * tree->count, sizeof *costs->items);
    if (below == NULL || costs->items == NULL) {
        free(below);
        return false;
    }
    for (size_t i = 1; i < tree->count; i++) {
        const struct tree_frame *frame = tree_frame(tree, i);

        if (frame->kind == TREE_PROFILER)
            own = tree->nodes[i].end;
        if (tree_is_code(frame))
            add_self(costs, tree, i);
        if (frame->kind != TREE_FUNCTION || i < own)
            continue;
        add_call(costs, tree, i, i >= below[frame->number]);
        if (i >= below[frame->number])
            below[frame->number] = tree->nodes[i].end;
    }
    free(below);
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
    struct frame_tree tree;
    struct error error;

    if (!frame_tree_build(&tree, TREE_BY_ADDRESS, writer->profile, writer->analysis,
                          writer->image, &error)) {
        writer->failed = true;
        return;
    }
    if (collect(&costs, &tree) && sort_calls(&costs))
        put_costs(&costs);
    else
        writer->failed = true;
    free(costs.items);
    free(costs.calls);
    frame_tree_release(&tree);
}
