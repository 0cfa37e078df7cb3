/* SPDX-License-Identifier: MIT */
/*
 * The arcs and times of sampled call paths.
 *
 * A path that is cut or unsure is open: what is above its outermost function is not seen.
 * It is taken to be what is above that function in the paths that are whole, as often as
 * there; or, if no whole path has that function, what is above any leaf.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "paths.h"

/* The functions of a path, one after the other, without what is inlined in them. */
struct walk {
    const struct analysis *analysis;
    const struct call_path *path;
    size_t next;
    size_t caller, callee; /* caller: NO_FUNCTION at the outermost */
    bool interrupt;        /* the callee is an interrupt's handler */
};

static bool step(struct walk *walk)
{
    const struct call_path *path = walk->path;
    walk->interrupt = walk->next == 0 && path->end == STACK_INTERRUPT;
    while (walk->next < path->depth) {
        uint32_t number = path->frames[walk->next++];
        const struct frame *frame = &walk->analysis->frames[number];
        walk->interrupt = walk->interrupt || frame_is_interrupt(walk->analysis, number);
        if (frame->inlined != NULL)
            continue;
        walk->caller = walk->callee;
        walk->callee = frame->function;
        return true;
    }
    return false;
}

/* Whether no other function follows. */
static bool is_leaf(const struct walk *walk)
{
    size_t next = walk->next;
    while (next < walk->path->depth &&
           walk->analysis->frames[walk->path->frames[next]].inlined != NULL)
        next++;
    return next == walk->path->depth;
}

static struct walk walk_of(const struct analysis *analysis, const struct call_path *path)
{
    return (struct walk){analysis, path, 0, NO_FUNCTION, NO_FUNCTION, false};
}

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
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return (a->interrupt > b->interrupt) - (a->interrupt < b->interrupt);
}

/* Of a function or an arc, in samples. Each path counts once, however often it has it. */
struct seen {
    size_t last;  /* 1 + the last path that had it, in one pass over them */
    double open;  /* of open paths that have it */
    double whole; /* of whole ones */
    double ends;  /* of open paths whose outermost function it is */
    double above; /* of open paths that may have it where nothing is seen */
};

struct measuring {
    struct analysis *analysis;
    struct seen *functions, *arcs;
    double open, whole; /* samples of such paths, without the profiler's own */
    double anywhere;    /* of open paths whose outermost function no whole one has */
};

static bool is_open(const struct call_path *path)
{
    return path->end == STACK_CUT || path->end == STACK_UNSURE;
}

/* Whether a path, 1 + its index, has something for the first time in this pass. */
static bool is_first(struct seen *seen, size_t number)
{
    bool first = seen->last != number;
    seen->last = number;
    return first;
}

static struct arc *find_arc(const struct walk *walk)
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

static struct arc *measure_arc(const struct measuring *measuring, const struct walk *walk,
                               size_t number)
{
    struct analysis *analysis = measuring->analysis;
    const struct call_path *path = walk->path;
    struct arc *arc = find_arc(walk);
    if (arc == NULL) {
        analysis->functions[walk->callee].root += (double)path->samples;
        if (is_leaf(walk))
            analysis->functions[walk->callee].root_self += (double)path->samples;
        return NULL;
    }
    struct seen *seen = &measuring->arcs[arc - analysis->arcs];
    if (is_first(seen, number)) {
        arc->children += (double)path->samples;
        if (is_open(path))
            seen->open += (double)path->samples;
    }
    return arc;
}

static void measure_function(const struct measuring *measuring, const struct walk *walk,
                             size_t number)
{
    const struct call_path *path = walk->path;
    struct seen *seen = &measuring->functions[walk->callee];
    bool counts = !path->overhead || is_leaf(walk);
    if (!path->overhead && is_open(path) && walk->caller == NO_FUNCTION)
        seen->ends += (double)path->samples;
    if (!counts || !is_first(seen, number))
        return;
    measuring->analysis->functions[walk->callee].total += (double)path->samples;
    if (!path->overhead)
        *(is_open(path) ? &seen->open : &seen->whole) += (double)path->samples;
}

static void measure_path(struct measuring *measuring, size_t index)
{
    const struct call_path *path = &measuring->analysis->paths[index];
    struct walk walk = walk_of(measuring->analysis, path);
    struct arc *last = NULL;
    if (!path->overhead)
        *(is_open(path) ? &measuring->open : &measuring->whole) += (double)path->samples;
    while (step(&walk)) {
        last = path->overhead ? NULL : measure_arc(measuring, &walk, index + 1);
        measure_function(measuring, &walk, index + 1);
    }
    if (last != NULL) {
        last->self += (double)path->samples;
        last->children -= (double)path->samples;
    }
}

/* ---- What is not seen ---- */

/* How many open paths end at a function for each whole one that has it. */
static double ends_at(const struct seen *seen)
{
    return seen->whole > 0 ? seen->ends / seen->whole : 0;
}

/* Adds to what is above its functions' outermost places in a whole path. */
static void measure_above(const struct measuring *measuring, size_t index)
{
    const struct analysis *analysis = measuring->analysis;
    const struct call_path *path = &analysis->paths[index];
    double samples = (double)path->samples, below = 0;
    double anywhere = measuring->anywhere / measuring->whole;
    struct walk walk = walk_of(analysis, path);
    size_t number = analysis->path_count + 2 * index + 1; /* one that no pass had */
    while (step(&walk))
        if (is_first(&measuring->functions[walk.callee], number))
            below += ends_at(&measuring->functions[walk.callee]);
    walk = walk_of(analysis, path);
    while (step(&walk)) {
        struct seen *function = &measuring->functions[walk.callee];
        struct arc *arc = walk.caller != NO_FUNCTION ? find_arc(&walk) : NULL;
        struct seen *seen = arc != NULL ? &measuring->arcs[arc - analysis->arcs] : NULL;
        if (seen != NULL && is_first(seen, number + 1))
            seen->above += samples * (below + anywhere);
        if (!is_first(function, number + 1))
            continue;
        below -= ends_at(function);
        if (!is_leaf(&walk))
            function->above += samples * (below + anywhere);
    }
}

/* Open paths that have it already cannot have it once more. */
static double unseen(const struct measuring *measuring, const struct seen *seen)
{
    return fmax(0, fmin(seen->above, measuring->open - seen->open));
}

static void measure_unseen(struct measuring *measuring)
{
    struct analysis *analysis = measuring->analysis;
    for (size_t i = 0; i < analysis->function_count; i++)
        if (measuring->functions[i].whole <= 0)
            measuring->anywhere += measuring->functions[i].ends;
    for (size_t i = 0; measuring->whole > 0 && i < analysis->path_count; i++)
        if (!analysis->paths[i].overhead && !is_open(&analysis->paths[i]))
            measure_above(measuring, i);
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].unseen = unseen(measuring, &measuring->functions[i]);
    for (size_t i = 0; i < analysis->arc_count; i++)
        analysis->arcs[i].unseen = unseen(measuring, &measuring->arcs[i]);
}

bool paths_measure(struct analysis *analysis)
{
    struct measuring measuring = {
        .analysis = analysis,
        .functions = calloc(analysis->function_count + 1, sizeof(struct seen)),
        .arcs = calloc(analysis->arc_count + 1, sizeof(struct seen)),
    };
    bool done = measuring.functions != NULL && measuring.arcs != NULL;
    for (size_t i = 0; i < analysis->arc_count; i++)
        analysis->arcs[i].self = analysis->arcs[i].children = 0;
    for (size_t i = 0; done && i < analysis->path_count; i++)
        measure_path(&measuring, i);
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].children =
            analysis->functions[i].total - analysis->functions[i].self;
    if (done && measuring.open > 0)
        measure_unseen(&measuring);
    free(measuring.functions);
    free(measuring.arcs);
    return done;
}
