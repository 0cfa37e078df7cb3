/* SPDX-License-Identifier: MIT */
/*
 * Writes "root;child;leaf count" lines, as flamegraph.pl and speedscope read them; the
 * counts add up to exactly the samples.
 *
 * If the profile has call paths, the lines are these. "[unknown]" stands above an
 * outermost function whose caller is not known, "<interrupt>" above an interrupt's
 * handler. Without paths a sample tells only the function in which it was taken, and the
 * way to it is estimated: a function's samples are shared among its callers by the calls
 * (by their time, if they were timed), and so on up to functions without a caller.
 * Without samples the lines are of timed calls, in ticks, with one line for the time in
 * no finished call: they add up to the program's time.
 *
 * The profiler's own functions are below "[profiler]", whatever called them. Recursion is
 * left out. In a cycle of functions the way up is the shortest one to a function that is
 * called from outside the cycle. A share of less than half a sample gets no path of its
 * own but goes with the largest share.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"
#include "../port/memory.h"
#include "../port/text.h"
#include "export.h"
#include "folded_lines.h"

enum {
    DEPTH_MAX = 128,        /* frames of an estimated path */
    PATHS_MAX = 20000,      /* a share below total / PATHS_MAX is never separated */
    ARCS_MAX = 50000000,    /* arcs looked at in all; beyond that paths end */
    LINE_NAME_BYTES = 4096, /* of a frame: longer names are cut, because a hostile ELF
                             * could fill the memory */
};

#define NO_LEVEL SIZE_MAX

struct line {
    char *text;
    double weight;
    uint64_t count;
};

struct lines {
    struct line *items;
    size_t used;
    size_t allocated;
};

/* A function on the path that is being made, and its depth; the leaf's is 0. */
struct step {
    size_t function;
    size_t depth;
    double weight;
};

struct folder {
    const struct analysis *analysis;
    const struct task_sum *task; /* the task whose part is written; NULL: all are */
    char **names;                /* by function */
    size_t *levels;   /* by function: number of steps within its cycle to a function
                       * called from outside */
    double *weights;  /* by function: samples to be estimated */
    uint64_t *counts; /* by function: the same as whole numbers */
    struct step *steps;
    size_t step_count, steps_allocated;
    size_t path[DEPTH_MAX];
    double threshold;
    uint64_t arcs_left;
    struct lines lines;
};

char *folded_name(const char *name)
{
    char *text = export_text(name, LINE_NAME_BYTES);

    for (char *c = text; c != NULL && *c != '\0'; c++) {
        if (*c == ';')
            *c = ',';
    }
    return text;
}

static bool folder_init(struct folder *folder, const struct analysis *analysis,
                        const struct task_sum *task)
{
    size_t count = analysis->function_count;

    folder->analysis = analysis;
    folder->task = task;
    folder->arcs_left = ARCS_MAX;
    folder->names = calloc(count + 1, sizeof *folder->names);
    folder->levels = calloc(count + 1, sizeof *folder->levels);
    folder->weights = calloc(count + 1, sizeof *folder->weights);
    folder->counts = calloc(count + 1, sizeof *folder->counts);
    if (folder->names == NULL || folder->levels == NULL || folder->weights == NULL ||
        folder->counts == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        folder->names[i] = folded_name(analysis->functions[i].name);
        if (folder->names[i] == NULL)
            return false;
    }
    return true;
}

static void folder_release(struct folder *folder)
{
    for (size_t i = 0; folder->names != NULL && i < folder->analysis->function_count; i++)
        free(folder->names[i]);
    free(folder->names);
    free(folder->levels);
    free(folder->weights);
    free(folder->counts);
    free(folder->steps);
    for (size_t i = 0; i < folder->lines.used; i++)
        free(folder->lines.items[i].text);
    free(folder->lines.items);
}

/* Adds a line. The text belongs to it from now on; if this fails, the text is freed. */
static bool add_line(struct lines *lines, char *text, double weight, uint64_t count)
{
    if (text != NULL && lines->used == lines->allocated) {
        size_t allocated = lines->allocated * 2 + 64;
        struct line *larger = port_reallocarray(lines->items, allocated, sizeof *larger);

        if (larger == NULL) {
            free(text);
            text = NULL;
        } else {
            lines->items = larger;
            lines->allocated = allocated;
        }
    }
    if (text == NULL)
        return false;
    lines->items[lines->used++] = (struct line){text, weight, count};
    return true;
}

/* Makes "root;child;leaf" of names that come leaf first. */
static char *join_names(const char *const *names, size_t depth)
{
    size_t size = 1;
    char *text, *at;

    for (size_t i = 0; i < depth; i++)
        size += strlen(names[i]) + 1;
    text = at = malloc(size);
    if (text == NULL)
        return NULL;
    for (size_t i = depth; i > 0; i--) {
        size_t length = strlen(names[i - 1]);

        memcpy(at, names[i - 1], length);
        at += length;
        *at++ = ';';
    }
    at[depth > 0 ? -1 : 0] = '\0';
    return text;
}

/* Shares are rounded by the largest remainder: they become whole numbers that add up to
 * `total`. */
struct remainder {
    double part;
    size_t index;
};

static int by_remainder(const void *left, const void *right)
{
    const struct remainder *a = left, *b = right;

    if (a->part != b->part)
        return a->part > b->part ? -1 : 1;
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
    const char *names[DEPTH_MAX + 1];

    for (size_t i = 0; i < depth; i++)
        names[i] = folder->names[folder->path[i]];
    if (folder->analysis->functions[folder->path[0]].overhead)
        names[depth++] = FOLDED_PROFILER;
    return add_line(&folder->lines, join_names(names, depth), weight, 0);
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
static bool count_paths(struct folder *folder, size_t first, uint64_t total)
{
    size_t count = folder->lines.used - first;
    double *weights = calloc(count + 1, sizeof *weights);
    uint64_t *shares = calloc(count + 1, sizeof *shares);
    bool done = weights != NULL && shares != NULL;

    for (size_t i = 0; done && i < count; i++)
        weights[i] = fmax(folder->lines.items[first + i].weight, 0);
    done = done && apportion(weights, count, total, shares);
    for (size_t i = 0; done && i < count; i++)
        folder->lines.items[first + i].count = shares[i];
    free(weights);
    free(shares);
    return done;
}

static bool estimate(struct folder *folder, uint64_t total)
{
    size_t count = folder->analysis->function_count;

    if (!find_levels(folder))
        return false;
    folder->threshold = fmax(0.5, (double)total / PATHS_MAX);
    if (!apportion(folder->weights, count, total, folder->counts))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t first = folder->lines.used;

        if (folder->counts[i] == 0)
            continue;
        if (!walk_up(folder, i) || !count_paths(folder, first, folder->counts[i]))
            return false;
    }
    return true;
}

/* The frame above a path's outermost function; NULL: none. If the task is an interrupt,
 * its label is already the root. */
static const char *above(const struct call_path *path, const struct task_sum *task)
{
    bool interrupt =
        task != NULL && task->number >= TASK_INTERRUPT && task->number < TASK_UNKNOWN;

    return interrupt && path->end == STACK_INTERRUPT ? NULL : call_path_above(path->end);
}

/* The names of all frames that paths have. */
static char **line_names(const struct analysis *analysis)
{
    char **names = calloc(analysis->frame_count + 1, sizeof *names);

    for (size_t i = 0; names != NULL && i < analysis->frame_count; i++) {
        char *text = folded_name(frame_name(analysis, (uint32_t)i));

        if (text == NULL || port_asprintf(&names[i], "%s%s", text,
                                          frame_suffix(analysis, (uint32_t)i)) < 0)
            names[i] = NULL; /* lines that need this name fail */
        free(text);
    }
    return names;
}

/* How many inner frames belong to the profiler. 0: the sample is the program's; the
 * profiler may have called that code. */
static size_t own_frames(const struct analysis *analysis, const struct call_path *path)
{
    size_t own = 0;

    for (; own < path->depth; own++) {
        uint32_t frame = path->frames[path->depth - 1 - own];

        if (frame_is_interrupt(analysis, frame) ||
            !analysis->functions[analysis->frames[frame].function].overhead)
            break;
    }
    return own;
}

static bool fold_path(struct folder *folder, const struct call_path *path, char **names)
{
    size_t own = own_frames(folder->analysis, path);
    const char *root = own > 0 ? FOLDED_PROFILER : above(path, folder->task);
    const char **line = calloc(path->depth + 1, sizeof *line);
    size_t depth = own > 0 ? own : path->depth;
    bool done = true;

    if (line == NULL)
        return false;
    for (size_t i = 0; done && i < depth; i++) {
        line[i] = names[path->frames[path->depth - 1 - i]];
        done = line[i] != NULL;
    }
    if (done && root != NULL)
        line[depth++] = root;
    done = done && add_line(&folder->lines, join_names(line, depth), 0, path->samples);
    free(line);
    return done;
}

/* Makes the lines of sampled paths. */
static bool fold_paths(struct folder *folder)
{
    const struct analysis *analysis = folder->analysis;
    char **names = line_names(analysis);
    bool done = names != NULL;

    for (size_t i = 0; done && i < analysis->path_count; i++)
        done = fold_path(folder, &analysis->paths[i], names);
    for (size_t i = 0; names != NULL && i < analysis->frame_count; i++)
        free(names[i]);
    free(names);
    return done;
}

static int by_text(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    return strcmp(a->text, b->text);
}

static bool print_lines(struct lines *lines, const struct task_sum *task, FILE *out)
{
    char *root = folded_name(task != NULL ? task->label : "");

    if (root == NULL)
        return false;
    if (lines->used > 0)
        qsort(lines->items, lines->used, sizeof *lines->items, by_text);
    for (size_t i = 0; i < lines->used; i++) {
        uint64_t count = lines->items[i].count;

        for (;
             i + 1 < lines->used && by_text(&lines->items[i], &lines->items[i + 1]) == 0;
             i++)
            count += lines->items[i + 1].count;
        if (count > 0)
            fprintf(out, "%s%s%s %llu\n", root, task != NULL ? ";" : "",
                    lines->items[i].text, (unsigned long long)count);
    }
    free(root);
    return true;
}

static bool fold(struct folder *folder, const struct profile *profile)
{
    const struct analysis *analysis = folder->analysis;
    uint64_t total = profile->received[EVENT_SAMPLE], ticks = 0;

    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];

        folder->weights[i] =
            total > 0 ? function->self_samples : (double)function->timed->self;
        ticks += function->timed->self;
    }
    if (analysis->measured)
        return fold_paths(folder);
    return estimate(folder, total > 0 ? total : ticks) &&
           (total > 0 || analysis->timed.unfinished == 0 ||
            add_line(&folder->lines, strdup(TIMED_UNFINISHED), 0,
                     analysis->timed.unfinished));
}

bool export_folded(FILE *out, const struct profile *profile,
                   const struct analysis *analysis, struct image *image,
                   const struct export_options *options, struct error *error)
{
    struct folder folder = {0};
    bool done =
        folder_init(&folder, analysis, export_task(options)) && fold(&folder, profile);

    (void)image;

    if (profile->received[EVENT_SAMPLE] == 0 && !analysis->timed.known &&
        export_is_first(options) && options->warn != NULL)
        options->warn("neither samples nor timed calls: counts alone make no lines");
    done = done && print_lines(&folder.lines, export_task(options), out);
    folder_release(&folder);
    return done || export_no_memory(error);
}
