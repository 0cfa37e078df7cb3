/* SPDX-License-Identifier: MIT */
/*
 * What call paths that are cut or unsure may hide.
 *
 * Such a path is open: what is above its outermost function is not seen. Every function
 * that may be a caller of that one, or of its callers, may have been there each time. Who
 * may call whom is known from the code and from the other paths. A function that calls by
 * pointer may call any function; so may one of which the code does not tell what it
 * calls, though paths show that it calls, or that nothing calls it. Nothing is hidden
 * above a function that nothing calls, and none that is another task's alone is hidden.
 */
#include <stdlib.h>
#include <string.h>

#include "path_walk.h"
#include "paths.h"

/* How many edges and functions are looked at in all. Open paths beyond that may be below
 * any function. */
enum { STEPS_MAX = 1 << 26 };

/* A function of the analysis, as a part of what one task's paths hide. */
struct part {
    size_t task; /* the last one whose paths have it */
    size_t path; /* likewise */
    uint32_t node;
    bool given; /* it may be above the paths at hand */
};

struct finder {
    struct analysis *analysis;
    const struct image_call_graph *graph; /* NULL: nothing is known of the code */
    struct part *parts;                   /* of functions */
    struct part *arcs;                    /* of arcs, without their nodes */
    /* Nodes are the graph's functions or, without a graph, the analysis'. */
    size_t node_count;
    uint32_t *function; /* of a node; NO_FUNCTION */
    bool *anything;     /* it may be above any function */
    size_t *above;      /* the number of the group that it is above */
    uint32_t *queue;
    size_t task, group, path, steps;
    double rest; /* open samples of the task that may be below any function */
};

/* The open paths from `path` to `end` that have one outermost function. */
struct group {
    const struct call_path *path, *end;
    uint32_t outermost;
    double samples, leaves; /* leaves: of those that show no other function */
};

static bool is_open(const struct call_path *path)
{
    return !path->overhead && (path->end == STACK_CUT || path->end == STACK_UNSURE);
}

/* ---- Who may be above whom ---- */

static bool is_new(size_t *last, size_t number)
{
    bool new = *last != number;
    *last = number;
    return new;
}

static void climb_to(struct finder *finder, uint32_t node, size_t *count)
{
    if (is_new(&finder->above[node], finder->group))
        finder->queue[(*count)++] = node;
}

/* Finds all that may be above the `count` nodes in the queue. */
static void climb(struct finder *finder, size_t count)
{
    const struct analysis *analysis = finder->analysis;
    const struct image_call_graph *graph = finder->graph;
    for (size_t i = 0; i < count; i++) {
        uint32_t node = finder->queue[i], of = finder->function[node];
        if (graph != NULL) {
            for (uint32_t at = graph->first[node]; at < graph->first[node + 1]; at++)
                climb_to(finder, graph->callers[at], &count);
            finder->steps += graph->first[node + 1] - graph->first[node];
        }
        if (of == NO_FUNCTION)
            continue;
        const struct function *function = &analysis->functions[of];
        for (size_t k = 0; k < function->ins; k++) {
            const struct arc *arc =
                &analysis->arcs[analysis->ins[function->first_in + k]];
            if (arc->caller != NO_FUNCTION)
                climb_to(finder, finder->parts[arc->caller].node, &count);
        }
        finder->steps += function->ins;
    }
    finder->steps += count;
}

/* Whether the function may call functions of which neither the code nor the paths tell.
 */
static bool calls_anything(const struct finder *finder, uint32_t node)
{
    const struct image_call_graph *graph = finder->graph;
    uint32_t of = finder->function[node];
    bool calls = of != NO_FUNCTION && (finder->analysis->functions[of].outs > 0 ||
                                       finder->analysis->functions[of].root > 0);
    if (graph != NULL)
        return graph->by_pointer[node] || (calls && !graph->calls[node]);
    return calls || finder->analysis->addresses_text == NULL;
}

static bool goes_through_interrupts(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->frame_count; i++)
        if (frame_is_interrupt(analysis, (uint32_t)i))
            return true;
    return false;
}

/* Finds the nodes that may be above any function. */
static void find_anything(struct finder *finder)
{
    bool all = goes_through_interrupts(finder->analysis);
    size_t count = 0;
    finder->group++;
    for (size_t node = 0; node < finder->node_count; node++)
        if (all || calls_anything(finder, (uint32_t)node))
            climb_to(finder, (uint32_t)node, &count);
    climb(finder, count);
    for (size_t node = 0; node < finder->node_count; node++)
        finder->anything[node] = finder->above[node] == finder->group;
}

/* ---- What a group of paths hides ---- */

/* Whether whole paths show that nothing calls the function. */
static bool is_root(const struct function *function)
{
    return function->spontaneous && function->root > 0;
}

/* Whether a function may be in the task whose paths are at hand. */
static bool may_be_there(const struct finder *finder, uint32_t number)
{
    const struct function *function = &finder->analysis->functions[number];
    bool others = is_root(function) && finder->parts[number].task != finder->task;
    return !function->overhead && !others;
}

/* Whether it may be above the outermost function of the group at hand. */
static bool is_above(const struct finder *finder, uint32_t number)
{
    uint32_t node = finder->parts[number].node;
    return finder->anything[node] || finder->above[node] == finder->group;
}

static bool arc_is_above(const struct finder *finder, const struct arc *arc,
                         const struct group *group)
{
    bool there = arc->caller != NO_FUNCTION ? may_be_there(finder, arc->caller)
                                            : (bool)arc->interrupt;
    return there && may_be_there(finder, arc->callee) &&
           (arc->callee == group->outermost || is_above(finder, arc->callee));
}

static void give(struct finder *finder, const struct group *group)
{
    struct analysis *analysis = finder->analysis;
    for (uint32_t i = 0; i < analysis->function_count; i++) {
        finder->parts[i].given = may_be_there(finder, i) && is_above(finder, i);
        if (finder->parts[i].given)
            analysis->functions[i].hidden += group->samples;
    }
    for (size_t i = 0; i < analysis->arc_count; i++) {
        struct arc *arc = &analysis->arcs[i];
        finder->arcs[i].given = arc_is_above(finder, arc, group);
        if (!finder->arcs[i].given)
            continue;
        arc->hidden += group->samples;
        if (arc->callee == group->outermost)
            arc->hidden_self += group->leaves;
    }
    finder->steps += analysis->function_count + analysis->arc_count;
}

/* A path that has a function or an arc already cannot have it once more. */
static void take_back(struct finder *finder, const struct call_path *path)
{
    struct analysis *analysis = finder->analysis;
    struct walk walk = walk_of(analysis, path);
    finder->path++;
    while (step(&walk)) {
        struct part *part = &finder->parts[walk.callee];
        if (is_new(&part->path, finder->path) && part->given)
            analysis->functions[walk.callee].hidden -= (double)path->samples;
        struct arc *arc = walk_arc(&walk);
        part = arc != NULL ? &finder->arcs[arc - analysis->arcs] : NULL;
        if (part != NULL && is_new(&part->path, finder->path) && part->given)
            arc->hidden -= (double)path->samples;
    }
}

/* Too much was looked at: the group's paths may be below any function of the task. */
static void give_later(struct finder *finder, const struct group *group)
{
    const struct analysis *analysis = finder->analysis;
    for (uint32_t i = 0; finder->rest <= 0 && i < analysis->function_count; i++)
        finder->parts[i].given = may_be_there(finder, i);
    for (size_t i = 0; finder->rest <= 0 && i < analysis->arc_count; i++)
        finder->arcs[i].given =
            analysis->arcs[i].caller != NO_FUNCTION || analysis->arcs[i].interrupt;
    finder->rest += group->samples;
}

/* Those that may be below any function: take_back() has taken them from what has them. */
static void give_rest(struct finder *finder)
{
    struct analysis *analysis = finder->analysis;
    for (size_t i = 0; i < analysis->function_count; i++)
        if (finder->parts[i].given)
            analysis->functions[i].hidden += finder->rest;
    for (size_t i = 0; i < analysis->arc_count; i++)
        if (finder->arcs[i].given)
            analysis->arcs[i].hidden += finder->rest;
    finder->rest = 0;
}

static void find_group(struct finder *finder, const struct group *group)
{
    size_t count = 0;
    if (finder->steps < STEPS_MAX) {
        finder->group++;
        climb_to(finder, finder->parts[group->outermost].node, &count);
        climb(finder, count);
        give(finder, group);
    } else {
        give_later(finder, group);
    }
    for (const struct call_path *path = group->path; path < group->end; path++)
        if (is_open(path))
            take_back(finder, path);
}

/* ---- Tasks ---- */

static struct group group_from(const struct analysis *analysis,
                               const struct call_path *path, const struct call_path *end)
{
    struct walk walk = walk_of(analysis, path);
    step(&walk);
    struct group group = {path, path, (uint32_t)walk.callee, 0, 0};
    for (; group.end < end; group.end++) {
        walk = walk_of(analysis, group.end);
        step(&walk);
        if (group.end->end != path->end || walk.callee != group.outermost)
            break;
        if (!is_open(group.end))
            continue;
        group.samples += (double)group.end->samples;
        if (is_leaf(&walk))
            group.leaves += (double)group.end->samples;
    }
    return group;
}

static void find_task(struct finder *finder, const struct call_path *path,
                      const struct call_path *end)
{
    finder->task++;
    for (const struct call_path *its = path; its < end; its++) {
        struct walk walk = walk_of(finder->analysis, its);
        while (!its->overhead && step(&walk))
            finder->parts[walk.callee].task = finder->task;
    }
    while (path < end) {
        struct group group = group_from(finder->analysis, path, end);
        if (group.samples > 0 && !is_root(&finder->analysis->functions[group.outermost]))
            find_group(finder, &group);
        path = group.end;
    }
    if (finder->rest > 0)
        give_rest(finder);
}

static bool make(struct finder *finder, struct image *image)
{
    const struct analysis *analysis = finder->analysis;
    const struct image_symbol *symbols = NULL;
    size_t functions = analysis->function_count;
    finder->graph = image != NULL ? image_call_graph(image) : NULL;
    finder->node_count = finder->graph != NULL ? finder->graph->count : functions;
    finder->parts = calloc(functions + 1, sizeof *finder->parts);
    finder->arcs = calloc(analysis->arc_count + 1, sizeof *finder->arcs);
    finder->function = malloc((finder->node_count + 1) * sizeof *finder->function);
    finder->anything = calloc(finder->node_count + 1, sizeof *finder->anything);
    finder->above = calloc(finder->node_count + 1, sizeof *finder->above);
    finder->queue = calloc(finder->node_count + 1, sizeof *finder->queue);
    if (finder->parts == NULL || finder->arcs == NULL || finder->function == NULL ||
        finder->anything == NULL || finder->above == NULL || finder->queue == NULL)
        return false;
    memset(finder->function, 0xff, finder->node_count * sizeof *finder->function);
    if (finder->graph != NULL)
        image_symbols(image, &symbols);
    for (uint32_t i = 0; i < functions; i++) {
        const struct image_symbol *symbol = analysis->functions[i].symbol;
        uint32_t node = finder->graph == NULL ? i
                        : symbol == NULL      ? (uint32_t)(finder->node_count - 1)
                                              : (uint32_t)(symbol - symbols);
        finder->parts[i].node = node;
        finder->function[node] = i;
    }
    return true;
}

bool hidden_find(struct analysis *analysis, struct image *image)
{
    struct finder finder = {.analysis = analysis};
    const struct call_path *path = analysis->paths, *end = path + analysis->path_count;
    while (path < end && !is_open(path))
        path++;
    if (path == end)
        return true; /* all is seen */
    bool done = make(&finder, image);
    if (done)
        find_anything(&finder);
    for (path = analysis->paths; done && path < end;) {
        const struct call_path *next = path;
        while (next < end && next->task == path->task)
            next++;
        find_task(&finder, path, next);
        path = next;
    }
    free(finder.parts);
    free(finder.arcs);
    free(finder.function);
    free(finder.anything);
    free(finder.above);
    free(finder.queue);
    return done;
}
