/* SPDX-License-Identifier: MIT */
/*
 * The arcs and times of sampled call paths.
 *
 * A path that is cut or unsure is open: what is above its outermost function is not seen.
 * It is taken to be what is above that function in the task's paths that are whole, as
 * often as there; or, if no whole path has that function, what is above any leaf.
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

/* Of a function or an arc, in samples of one task. Each path counts once, however often
 * it has it. */
struct seen {
    size_t last;  /* the number that is_first() had last */
    double open;  /* of open paths that have it */
    double whole; /* of whole ones */
    double above; /* of open paths that may have it where nothing is seen */
    double ends;  /* of open paths whose outermost function it is */
};

struct measuring {
    struct analysis *analysis;
    struct seen *functions, *arcs;
    size_t number; /* of is_first(); each walk or pass has one of its own */
    /* of a task's paths, without the profiler's own: */
    double open, whole;
    double anywhere; /* open ones whose outermost function no whole one has */
};

static bool is_open(const struct call_path *path)
{
    return path->end == STACK_CUT || path->end == STACK_UNSURE;
}

/* Whether something is met for the first time since `number` was another. */
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

static struct arc *measure_arc(const struct measuring *measuring, const struct walk *walk)
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

/* ---- What is not seen ---- */

/* The paths of one task: those from `path` to `end` that are not the profiler's own. */
struct task_paths {
    const struct call_path *path, *end;
};

static struct seen *function_of(const struct measuring *measuring,
                                const struct walk *walk)
{
    return &measuring->functions[walk->callee];
}

/* NULL: it is none. */
static struct seen *arc_of(const struct measuring *measuring, const struct walk *walk)
{
    const struct arc *arc = find_arc(walk);
    return arc != NULL ? &measuring->arcs[arc - measuring->analysis->arcs] : NULL;
}

static void forget(struct seen *seen)
{
    if (seen != NULL)
        *seen = (struct seen){.last = seen->last};
}

/* Forgets what another task had. */
static void forget_path(struct measuring *measuring, const struct call_path *path)
{
    struct walk walk = walk_of(measuring->analysis, path);
    while (step(&walk)) {
        forget(function_of(measuring, &walk));
        forget(arc_of(measuring, &walk));
    }
}

static void count(const struct measuring *measuring, struct seen *seen,
                  const struct call_path *path)
{
    if (seen != NULL && is_first(seen, measuring->number))
        *(is_open(path) ? &seen->open : &seen->whole) += (double)path->samples;
}

static void count_path(struct measuring *measuring, const struct call_path *path)
{
    struct walk walk = walk_of(measuring->analysis, path);
    measuring->number++;
    *(is_open(path) ? &measuring->open : &measuring->whole) += (double)path->samples;
    while (step(&walk)) {
        if (is_open(path) && walk.caller == NO_FUNCTION)
            function_of(measuring, &walk)->ends += (double)path->samples;
        count(measuring, function_of(measuring, &walk), path);
        count(measuring, arc_of(measuring, &walk), path);
    }
}

static void count_anywhere(struct measuring *measuring, const struct call_path *path)
{
    struct walk walk = walk_of(measuring->analysis, path);
    if (is_open(path) && step(&walk) && function_of(measuring, &walk)->whole <= 0)
        measuring->anywhere += (double)path->samples;
}

/* How many open paths end at a function for each whole one that has it. */
static double ends_at(const struct seen *function)
{
    return function->whole > 0 ? function->ends / function->whole : 0;
}

/* Adds to what is above the outermost places of a whole path's functions. */
static void count_above(struct measuring *measuring, const struct call_path *path)
{
    double samples = (double)path->samples, below = 0;
    struct walk walk = walk_of(measuring->analysis, path);
    if (is_open(path))
        return;
    measuring->number++;
    while (step(&walk))
        if (is_first(function_of(measuring, &walk), measuring->number))
            below += ends_at(function_of(measuring, &walk));
    walk = walk_of(measuring->analysis, path);
    measuring->number++;
    while (step(&walk)) {
        struct seen *function = function_of(measuring, &walk);
        struct seen *arc = arc_of(measuring, &walk);
        double anywhere = measuring->anywhere / measuring->whole;
        bool leaf = is_leaf(&walk);
        if (arc != NULL && is_first(arc, measuring->number))
            arc->above += samples * (below + (leaf ? 0 : anywhere));
        if (!is_first(function, measuring->number))
            continue;
        below -= ends_at(function);
        if (!leaf || walk.caller == NO_FUNCTION) /* all that is hidden has an outermost */
            function->above += samples * (below + anywhere);
    }
}

/* Open paths that have it already cannot have it once more. */
static double unseen(const struct measuring *measuring, const struct seen *seen)
{
    return fmax(0, fmin(seen->above, measuring->open - seen->open));
}

/* Adds, once for each function and arc of a task, what is not seen of it. */
static void add_unseen(struct measuring *measuring, const struct call_path *path)
{
    struct analysis *analysis = measuring->analysis;
    struct walk walk = walk_of(analysis, path);
    while (step(&walk)) {
        struct seen *function = function_of(measuring, &walk);
        struct seen *arc = arc_of(measuring, &walk);
        if (is_first(function, measuring->number))
            analysis->functions[walk.callee].unseen += unseen(measuring, function);
        if (arc != NULL && is_first(arc, measuring->number)) {
            struct arc *its = &analysis->arcs[arc - measuring->arcs];
            double more = unseen(measuring, arc);
            its->unseen += more;
            its->unseen_self += fmin(more, function->ends); /* a leaf is never hidden */
        }
    }
}

static void each(struct measuring *measuring, struct task_paths paths,
                 void (*use)(struct measuring *, const struct call_path *))
{
    for (; paths.path < paths.end; paths.path++)
        if (!paths.path->overhead)
            use(measuring, paths.path);
}

static void measure_unseen(struct measuring *measuring, struct task_paths paths)
{
    const struct call_path *open = paths.path;
    while (open < paths.end && (open->overhead || !is_open(open)))
        open++;
    if (open == paths.end)
        return; /* all is seen */
    measuring->open = measuring->whole = measuring->anywhere = 0;
    each(measuring, paths, forget_path);
    each(measuring, paths, count_path);
    if (!(measuring->whole > 0))
        return;
    each(measuring, paths, count_anywhere);
    each(measuring, paths, count_above);
    measuring->number++;
    each(measuring, paths, add_unseen);
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
        measure_path(&measuring, &analysis->paths[i]);
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].children =
            analysis->functions[i].total - analysis->functions[i].self;
    const struct call_path *end = analysis->paths + analysis->path_count;
    for (struct task_paths paths = {analysis->paths, analysis->paths};
         done && paths.path < end; paths.path = paths.end) {
        while (paths.end < end && paths.end->task == paths.path->task)
            paths.end++;
        measure_unseen(&measuring, paths);
    }
    free(measuring.functions);
    free(measuring.arcs);
    return done;
}
