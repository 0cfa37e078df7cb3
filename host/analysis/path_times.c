/* SPDX-License-Identifier: MIT */
/* The arcs and times of sampled call paths. */
#include <assert.h>
#include <stdlib.h>

#include "../base/compare.h"
#include "path_walk.h"
#include "paths.h"

bool paths_links(const struct analysis *analysis, struct links *links)
{
    size_t most = 0;
    for (size_t i = 0; i < analysis->path_count; i++)
        most += analysis->paths[i].depth;
    links->items = calloc(most + 1, sizeof *links->items);
    for (size_t i = 0; links->items != NULL && i < analysis->path_count; i++) {
        const struct call_path *path = &analysis->paths[i];
        struct walk walk = walk_of(analysis, path);
        while (!path->overhead && step(&walk))
            if (walk.caller != NO_FUNCTION || path->end != STACK_WHOLE)
                links->items[links->count++] = (struct link){
                    (uint32_t)walk.caller, (uint32_t)walk.callee, walk.interrupt, 0};
    }
    return links->items != NULL;
}

static int by_ends(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;
    ORDER_BY(a->caller, b->caller);
    ORDER_BY(a->callee, b->callee);
    return (a->interrupt > b->interrupt) - (a->interrupt < b->interrupt);
}

struct measuring {
    struct analysis *analysis;
    size_t *functions, *arcs; /* the number of the path that had it last */
    size_t number;            /* of the path at hand */
};

/* Whether something is met for the first time since `number` was another. */
static bool is_first(size_t *last, size_t number)
{
    bool first = *last != number;
    *last = number;
    return first;
}

struct arc *walk_arc(const struct walk *walk)
{
    const struct analysis *analysis = walk->analysis;
    struct arc key = {.caller = (uint32_t)walk->caller,
                      .callee = (uint32_t)walk->callee,
                      .interrupt = walk->interrupt};
    if (walk->caller == NO_FUNCTION && walk->path->end == STACK_WHOLE)
        return NULL;
    struct arc *arc =
        bsearch(&key, analysis->arcs, analysis->arc_count, sizeof key, by_ends);
    assert(arc != NULL); /* arcs are those of the paths */
    return arc;
}

static struct arc *measure_arc(const struct measuring *measuring, const struct walk *walk)
{
    struct analysis *analysis = measuring->analysis;
    const struct call_path *path = walk->path;
    struct arc *arc = walk_arc(walk);
    if (arc == NULL) {
        analysis->functions[walk->callee].root += (double)path->samples;
        if (is_leaf(walk))
            analysis->functions[walk->callee].root_self += (double)path->samples;
        return NULL;
    }
    if (is_first(&measuring->arcs[arc - analysis->arcs], measuring->number))
        arc->children += (double)path->samples;
    return arc;
}

static void measure_path(struct measuring *measuring, const struct call_path *path)
{
    struct walk walk = walk_of(measuring->analysis, path);
    struct arc *last = NULL;
    measuring->number++;
    while (step(&walk)) {
        bool counts = !path->overhead || is_leaf(&walk);
        last = path->overhead ? NULL : measure_arc(measuring, &walk);
        if (counts && is_first(&measuring->functions[walk.callee], measuring->number))
            measuring->analysis->functions[walk.callee].total += (double)path->samples;
    }
    if (last != NULL) {
        last->self += (double)path->samples;
        last->children -= (double)path->samples;
    }
}

bool paths_measure(struct analysis *analysis, struct image *image)
{
    struct measuring measuring = {
        .analysis = analysis,
        .functions = calloc(analysis->function_count + 1, sizeof *measuring.functions),
        .arcs = calloc(analysis->arc_count + 1, sizeof *measuring.arcs),
    };
    bool done = measuring.functions != NULL && measuring.arcs != NULL;
    for (size_t i = 0; i < analysis->arc_count; i++)
        analysis->arcs[i].self = analysis->arcs[i].children = 0;
    for (size_t i = 0; done && i < analysis->path_count; i++)
        measure_path(&measuring, &analysis->paths[i]);
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].children =
            analysis->functions[i].total - analysis->functions[i].self;
    free(measuring.functions);
    free(measuring.arcs);
    return done && hidden_find(analysis, image);
}
