/* SPDX-License-Identifier: MIT */
#include "estimate.h"

#include <math.h>
#include <stdlib.h>

#include "../base/compare.h"
#include "../base/search.h"
#include "../base/vector.h"
#include "../capture/tasks.h"

enum {
    DEPTH_MAX = 128,     /* frames of a path */
    PATHS_MAX = 20000,   /* a share below total / PATHS_MAX is never separated */
    ARCS_MAX = 50000000, /* arcs looked at in all; beyond that paths end */
};

#define NO_LEVEL SIZE_MAX

/* A function on the path that is being made, and its depth; the leaf's is 0. */
struct step {
    size_t function;
    size_t depth;
    double weight;
};

struct folder {
    const struct analysis *analysis;
    struct estimate *estimate;
    size_t paths_allocated;
    size_t *levels;   /* by function: number of steps within its cycle to a function
                       * called from outside */
    double *weights;  /* by function: samples to be estimated */
    uint64_t *counts; /* by function: the same as whole numbers */
    struct step *steps;
    size_t step_count, steps_allocated;
    size_t path[DEPTH_MAX];
    double threshold;
    uint64_t arcs_left;
};

/* Shares are rounded by the largest remainder: they become whole numbers that add up to
 * `total`. */
struct remainder {
    double part;
    size_t index;
};

static int by_remainder(const void *left, const void *right)
{
    const struct remainder *a = left, *b = right;

    ORDER_BY(b->part, a->part);
    return (a->index > b->index) - (a->index < b->index);
}

static bool apportion(const double *weights, size_t count, uint64_t total,
                      uint64_t *shares)
{
    struct remainder *remainders = calloc(count + 1, sizeof *remainders);
    double sum = 0;
    uint64_t given = 0;

    if (remainders == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        sum += weights[i];
    for (size_t i = 0; i < count; i++) {
        double share = sum > 0 ? weights[i] * ((double)total / sum) : 0;

        /* the shares must not exceed the total; the remainder turns 2.9999999 into 3 */
        shares[i] = (uint64_t)fmin(floor(share), (double)(total - given));
        remainders[i] = (struct remainder){share - (double)shares[i], i};
        given += shares[i];
    }
    qsort(remainders, count, sizeof *remainders, by_remainder);
    for (size_t i = 0; sum > 0 && given < total && count > 0; i++, given++)
        shares[remainders[i % count].index]++;
    free(remainders);
    return true;
}

static bool push(struct folder *folder, size_t function, size_t depth, double weight)
{
    if (!vector_grow(&folder->steps, folder->step_count, &folder->steps_allocated,
                     sizeof *folder->steps))
        return false;
    folder->steps[folder->step_count++] = (struct step){function, depth, weight};
    return true;
}

static bool emit_path(struct folder *folder, size_t depth, double weight)
{
    struct estimate *estimate = folder->estimate;
    uint32_t *functions = malloc(depth * sizeof *functions);

    if (functions == NULL ||
        !vector_grow(&estimate->paths, estimate->count, &folder->paths_allocated,
                     sizeof *estimate->paths)) {
        free(functions);
        return false;
    }
    for (size_t i = 0; i < depth; i++)
        functions[depth - 1 - i] = (uint32_t)folder->path[i];
    estimate->paths[estimate->count++] =
        (struct estimated_path){functions, depth, weight, 0};
    return true;
}

static bool in_cycle(const struct analysis *analysis, const struct arc *arc)
{
    unsigned cycle = analysis->functions[arc->callee].cycle;

    return arc->caller != NO_FUNCTION && cycle != NO_CYCLE &&
           analysis->functions[arc->caller].cycle == cycle;
}

/* Whether samples are passed up along an arc: they must not go round a cycle. */
static bool leads_up(const struct folder *folder, const struct arc *arc)
{
    if (arc->caller == arc->callee)
        return false;
    return !in_cycle(folder->analysis, arc) ||
           folder->levels[arc->caller] < folder->levels[arc->callee];
}

static bool called_from_outside(const struct analysis *analysis,
                                const struct function *function)
{
    for (size_t i = 0; i < function->ins; i++) {
        if (!in_cycle(analysis, &analysis->arcs[analysis->ins[function->first_in + i]]))
            return true;
    }
    return false;
}

/* Adds the functions of the cycle that this member calls and that have no level yet. */
static size_t reach(struct folder *folder, size_t from, size_t *queue, size_t queued)
{
    const struct analysis *analysis = folder->analysis;
    const struct function *function = &analysis->functions[from];

    for (size_t i = 0; i < function->outs; i++) {
        const struct arc *arc = &analysis->arcs[function->first_out + i];

        if (!in_cycle(analysis, arc) || folder->levels[arc->callee] != NO_LEVEL)
            continue;
        folder->levels[arc->callee] = folder->levels[from] + 1;
        queue[queued++] = arc->callee;
    }
    return queued;
}

/* Searches all cycles at once, breadth first. A cycle that nobody calls has no way up. */
static bool find_levels(struct folder *folder)
{
    const struct analysis *analysis = folder->analysis;
    size_t *queue = calloc(analysis->function_count + 1, sizeof *queue);
    size_t queued = 0;

    if (queue == NULL)
        return false;
    for (size_t i = 0; i < analysis->function_count; i++) {
        folder->levels[i] = NO_LEVEL;
        if (called_from_outside(analysis, &analysis->functions[i])) {
            folder->levels[i] = 0;
            queue[queued++] = i;
        }
    }
    for (size_t next = 0; next < queued; next++)
        queued = reach(folder, queue[next], queue, queued);
    free(queue);
    return true;
}

/* The weight by which callers share a function's samples. */
static double arc_weight(const struct analysis *analysis, const struct arc *arc)
{
    if (analysis->timed.known && arc->times != NULL)
        return (double)arc->times->timed.total;
    return (double)arc->count;
}

/* The weight of all arcs that lead up from a function, and the largest of them. */
static double weight_up(struct folder *folder, const struct function *function,
                        const struct arc **largest)
{
    const struct analysis *analysis = folder->analysis;
    double all = 0, most = 0;

    *largest = NULL;
    if (function->overhead || function->ins > folder->arcs_left)
        return 0;
    folder->arcs_left -= function->ins;
    for (size_t i = 0; i < function->ins; i++) {
        const struct arc *arc = &analysis->arcs[analysis->ins[function->first_in + i]];

        if (!leads_up(folder, arc))
            continue;
        double weight = arc_weight(analysis, arc);
        all += weight;
        if (weight > most) {
            most = weight;
            *largest = arc;
        }
    }
    return all;
}

/* Passes a share along an arc on to the caller; if none is known, the path ends here. */
static bool pass_up(struct folder *folder, const struct arc *arc, size_t depth,
                    double weight)
{
    return arc->caller == NO_FUNCTION ? emit_path(folder, depth, weight)
                                      : push(folder, arc->caller, depth, weight);
}

static bool split(struct folder *folder, const struct step *step)
{
    const struct analysis *analysis = folder->analysis;
    const struct function *function = &analysis->functions[step->function];
    const struct arc *largest;
    double all = weight_up(folder, function, &largest), left = step->weight;
    size_t depth = step->depth + 1;

    if (largest == NULL || depth == DEPTH_MAX)
        return emit_path(folder, depth, step->weight);
    for (size_t i = 0; i < function->ins; i++) {
        const struct arc *arc = &analysis->arcs[analysis->ins[function->first_in + i]];
        double share = step->weight * arc_weight(analysis, arc) / all;

        if (arc == largest || share < folder->threshold || !leads_up(folder, arc))
            continue;
        left -= share;
        if (!pass_up(folder, arc, depth, share))
            return false;
    }
    return pass_up(folder, largest, depth, left);
}

/* Adds all paths that lead to a function, with their weights. */
static bool walk_up(struct folder *folder, size_t function)
{
    bool done = push(folder, function, 0, (double)folder->counts[function]);

    while (done && folder->step_count > 0) {
        struct step step = folder->steps[--folder->step_count];

        folder->path[step.depth] = step.function;
        done = split(folder, &step);
    }
    return done;
}

/* Gives the paths from `first` on whole numbers that add up to the function's samples. */
static bool count_paths(struct estimate *estimate, size_t first, uint64_t total)
{
    size_t count = estimate->count - first;
    struct estimated_path *paths = estimate->paths + first;
    double *weights = calloc(count + 1, sizeof *weights);
    uint64_t *shares = calloc(count + 1, sizeof *shares);
    bool done = weights != NULL && shares != NULL;

    for (size_t i = 0; done && i < count; i++)
        weights[i] = fmax(paths[i].weight, 0);
    done = done && apportion(weights, count, total, shares);
    for (size_t i = 0; done && i < count; i++)
        paths[i].count = shares[i];
    free(weights);
    free(shares);
    return done;
}

static bool find_paths(struct folder *folder, uint64_t total)
{
    size_t count = folder->analysis->function_count;

    if (!find_levels(folder))
        return false;
    folder->threshold = fmax(0.5, (double)total / PATHS_MAX);
    if (!apportion(folder->weights, count, total, folder->counts))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t first = folder->estimate->count;

        if (folder->counts[i] == 0)
            continue;
        if (!walk_up(folder, i) ||
            !count_paths(folder->estimate, first, folder->counts[i]))
            return false;
    }
    return true;
}

static bool estimate(struct estimate *estimate, const struct profile *profile,
                     const struct analysis *analysis)
{
    size_t count = analysis->function_count;
    uint64_t samples = profile->received[EVENT_SAMPLE], ticks = 0;
    struct folder folder = {
        .analysis = analysis,
        .estimate = estimate,
        .arcs_left = ARCS_MAX,
        .levels = calloc(count + 1, sizeof *folder.levels),
        .weights = calloc(count + 1, sizeof *folder.weights),
        .counts = calloc(count + 1, sizeof *folder.counts),
    };
    bool done = folder.levels != NULL && folder.weights != NULL && folder.counts != NULL;

    for (size_t i = 0; done && i < count; i++) {
        const struct function *function = &analysis->functions[i];

        folder.weights[i] =
            samples > 0 ? function->self_samples : (double)function->timed->self;
        ticks += function->timed->self;
    }
    done = done && find_paths(&folder, samples > 0 ? samples : ticks);
    estimate->unfinished = samples > 0 ? 0 : analysis->timed.unfinished;
    free(folder.levels);
    free(folder.weights);
    free(folder.counts);
    free(folder.steps);
    return done;
}

/* ---- Tasks ---- */

/* The number that a function of one task's analysis has in that of all tasks. */
static uint32_t number_in(const struct analysis *whole, const struct image *image,
                          const struct function *function)
{
    size_t low = 0;

    if (image != NULL && function->symbol == NULL) /* "[unknown]" is the last one */
        return (uint32_t)whole->function_count - 1;
    SEARCH(low, whole->function_count,
           whole->functions[middle].address < function->address &&
               (image == NULL || whole->functions[middle].symbol != NULL));
    return (uint32_t)low;
}

static bool estimate_task(struct estimate *part, const struct profile *profile,
                          const struct analysis *whole, struct image *image)
{
    struct analysis analysis;
    struct error error;

    if (!analyse(&analysis, profile, image, &error))
        return false;
    bool done = estimate(part, profile, &analysis);
    for (size_t i = 0; i < part->count; i++)
        for (size_t j = 0; j < part->paths[i].depth; j++)
            part->paths[i].functions[j] =
                number_in(whole, image, &analysis.functions[part->paths[i].functions[j]]);
    analysis_release(&analysis);
    return done;
}

static bool estimate_tasks(struct estimates *estimates, const struct task_sums *tasks,
                           const struct profile *profile, const struct analysis *analysis,
                           struct image *image)
{
    struct profile *parts = calloc(tasks->count, sizeof *parts);
    bool split = parts != NULL && profile_split(parts, profile, tasks), done = split;

    for (size_t i = 0; done && i < tasks->count; i++) {
        struct estimate *part = &estimates->items[estimates->count++];

        part->of_task = true;
        part->task = tasks->items[i].number;
        done = estimate_task(part, &parts[i], analysis, image);
    }
    for (size_t i = 0; split && i < tasks->count; i++)
        profile_release(&parts[i]);
    free(parts);
    return done;
}

bool estimates_find(struct estimates *estimates, const struct profile *profile,
                    const struct analysis *analysis, struct image *image)
{
    struct task_sums tasks;

    *estimates = (struct estimates){.items = NULL};
    if (!task_sums_init(&tasks, profile))
        return false;
    estimates->items = calloc(tasks.count + 1, sizeof *estimates->items);
    bool done = estimates->items != NULL;
    if (done && profile->task_count > 0 && tasks.count > 0)
        done = estimate_tasks(estimates, &tasks, profile, analysis, image);
    else if (done)
        done = estimate(&estimates->items[estimates->count++], profile, analysis);
    task_sums_release(&tasks);
    return done;
}

void estimates_release(struct estimates *estimates)
{
    for (size_t i = 0; i < estimates->count; i++) {
        struct estimate *estimate = &estimates->items[i];

        for (size_t j = 0; j < estimate->count; j++)
            free(estimate->paths[j].functions);
        free(estimate->paths);
    }
    free(estimates->items);
}
