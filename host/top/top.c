/* SPDX-License-Identifier: MIT */
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "../capture/sampling.h"
#include "internal.h"

static const unsigned windows[] = {10, 30, LIVE_SECONDS_MAX, 0};

void top_init(struct top *top, const struct style *style, unsigned window,
              enum top_sort sort)
{
    size_t known = sizeof windows / sizeof windows[0];

    *top = (struct top){.style = *style, .sort = sort, .stale = true};
    while (top->window < known && windows[top->window] != window)
        top->window++;
    if (top->window == known) {
        top->windows[top->window_count++] = window;
        top->window = 0;
    }
    for (size_t i = 0; i < known; i++)
        top->windows[top->window_count++] = windows[i];
}

void top_forget(struct top *top)
{
    struct top_found *found = &top->found;

    if (!top->found_any)
        return;
    trend_release(&found->trend);
    task_sums_release(&found->tasks);
    analysis_release(&found->analysis);
    profile_release(&found->look.profile);
    top->found_any = false;
    top->row_count = 0;
}

void top_release(struct top *top)
{
    top_forget(top);
    free(top->rows);
    top->rows = NULL;
}

/* ---- Looks ---- */

/* Keeps only one task's part of the profile. */
static bool keep_task(const struct top *top, struct top_found *found)
{
    struct task_sum *task = task_sums_find(&found->tasks, top->task);
    struct task_sum nothing = {.number = TASK_UNKNOWN};
    const struct task_sums one = {.items = task != NULL ? task : &nothing, .count = 1};
    struct profile part;

    if (top->task[0] == '\0')
        return true;
    if (!profile_split(&part, &found->look.profile, &one))
        return false;
    profile_release(&found->look.profile);
    found->look.profile = part;
    return true;
}

static unsigned knows(const struct top *top, const struct profile *profile)
{
    bool seconds = top->source.lives && top->task[0] == '\0';
    bool calls = profile->received[EVENT_ARC] > 0 || profile->received[EVENT_CALL] > 0;
    bool paths = profile->stacks.used > 0, timed = profile->received[EVENT_CALL] > 0;

    return (profile->received[EVENT_SAMPLE] > 0 ? (unsigned)NEEDS_SAMPLES : 0) |
           (calls || paths ? (unsigned)NEEDS_TOTALS : 0) |
           (timed ? (unsigned)NEEDS_TIMED : 0) |
           (sampling_rate(profile) > 0 ? (unsigned)NEEDS_RATE : 0) |
           (calls ? (unsigned)NEEDS_CALLS : 0) | (seconds ? (unsigned)NEEDS_SECONDS : 0) |
           (paths ? NEEDS_PATHS : NEEDS_ESTIMATE);
}

static double rate_seconds(const struct top *top, const struct top_found *found)
{
    const struct profile *profile = &found->look.profile;
    uint64_t samples = profile->received[EVENT_SAMPLE] + profile->lost[EVENT_SAMPLE];

    if (profile->one_task)
        return top->source.lives ? found->look.seconds : 0;
    if (samples > 0 && (found->knows & NEEDS_RATE) != 0)
        return (double)samples / sampling_wall_rate(profile);
    if (profile->time.run > 0 && profile->time.hz > 0)
        return (double)profile->time.run / profile->time.hz;
    return top->source.lives ? found->look.seconds : 0;
}

static void count_events(struct top_found *found, const struct profile *whole)
{
    memcpy(found->received, found->look.profile.received, sizeof found->received);
    found->lost = events_sum(found->look.profile.lost);
    found->lost_in_all = events_sum(whole->lost);
    found->accounted = whole->accounted;
}

/* Finds the sums that need the profile of all tasks, then keeps the part of the wanted
 * task. */
static bool find_sums(const struct top *top, const struct live *live,
                      struct top_found *found)
{
    found->knows = knows(top, &live->profile);
    found->timed =
        (found->knows & NEEDS_SAMPLES) == 0 && live->profile.received[EVENT_CALL] > 0;
    found->bytes_per_s = live_bytes_per_s(live);
    count_events(found, &live->profile);
    if (!task_sums_init(&found->tasks, &found->look.profile))
        return false;
    for (size_t i = 0; i < found->tasks.count; i++)
        found->switches += found->tasks.items[i].runs;
    found->received[EVENT_CALL] -= found->switches;
    found->knows |= found->tasks.time > 0 ? (unsigned)NEEDS_RUNS : 0;
    found->rate_seconds = rate_seconds(top, found);
    return keep_task(top, found);
}

static bool find(const struct top *top, const struct live *live, struct image *image,
                 struct top_found *found, struct error *error)
{
    *found = (struct top_found){.accounted = false};
    if (!live_look(live, image, top->windows[top->window], &found->look, error))
        return false;
    if ((image != NULL && !tasks_find_handlers(&found->look.profile, image)) ||
        !find_sums(top, live, found)) {
        task_sums_release(&found->tasks);
        profile_release(&found->look.profile);
        return error_no_memory(error);
    }
    if (analyse(&found->analysis, &found->look.profile, image, error)) {
        if (trend_find(&found->trend, live, &found->analysis))
            return true;
        analysis_release(&found->analysis);
    }
    task_sums_release(&found->tasks);
    profile_release(&found->look.profile);
    return error_no_memory(error);
}

bool top_look(struct top *top, const struct live *live, struct image *image,
              struct error *error)
{
    struct top_found found;

    if (top->frozen && top->found_any && !top->stale)
        return true;
    if (!find(top, live, image, &found, error))
        return false;
    top_forget(top);
    top->found = found;
    top->found_any = true;
    top->stale = false;
    return true;
}

/* ---- Figures ---- */

struct report top_report(const struct top *top, FILE *out)
{
    struct report report = {
        .analysis = &top->found.analysis,
        .profile = &top->found.look.profile,
        .style = top->style,
        .out = out,
    };

    report.style.colour = true; /* the grid keeps the tints */
    return report;
}

struct figure_source top_source_of(const struct top *top)
{
    return (struct figure_source){.profile = &top->found.look.profile,
                                  .analysis = &top->found.analysis};
}

double top_whole(const struct top *top)
{
    const struct analysis *analysis = &top->found.analysis;

    return top->found.timed ? (double)analysis->timed.program : analysis->program;
}

static double mean_of(double time, uint64_t calls, double seconds)
{
    return calls > 0 && time > 0 && seconds > 0 ? time / (double)calls * seconds : -1;
}

static double timed_mean(const struct top *top, const struct timed *timed)
{
    return mean_of((double)timed->total, timed->calls,
                   top->found.analysis.timed.tick_seconds);
}

static struct top_figures function_figures(const struct top *top,
                                           const struct function *function)
{
    const struct analysis *analysis = &top->found.analysis;
    struct top_figures figures = {function->self, function->total,
                                  (double)(function->calls + function->self_calls),
                                  timed_mean(top, function->timed), function->hidden};

    if (figures.mean < 0 && analysis->has_time)
        figures.mean = mean_of(function->total, function->calls, 1);
    if (top->found.timed) {
        figures.self = (double)function->timed->self;
        figures.total = (double)function->timed->total;
    }
    return figures;
}

static struct top_figures arc_figures(const struct top *top, const struct arc *arc)
{
    struct top_figures figures = {-1, arc->self + arc->children, (double)arc->count, -1,
                                  arc->hidden};

    if (arc->times != NULL)
        figures.mean = timed_mean(top, &arc->times->timed);
    if (figures.mean < 0 && top->found.analysis.has_time)
        figures.mean = mean_of(figures.total, arc->count, 1);
    if (top->found.timed)
        figures.total = arc->times != NULL ? (double)arc->times->timed.total : 0;
    return figures;
}

struct top_figures top_figures(const struct top *top, const struct top_row *row)
{
    const struct analysis *analysis = &top->found.analysis;
    struct top_figures none = {-1, -1, -1, -1, 0};

    switch (row->kind) {
    case ROW_FUNCTION:
        return function_figures(top, &analysis->functions[row->function]);
    case ROW_CALLER:
    case ROW_CALLEE:
        return arc_figures(top, &analysis->arcs[row->item]);
    case ROW_PATH:
        none.total = row->key / analysis->hz; /* its samples */
        return none;
    default:
        return none;
    }
}

double top_profiler_share(const struct top *top)
{
    const struct analysis *analysis = &top->found.analysis;

    if (analysis->total > 0)
        return analysis->overhead / analysis->total;
    if (analysis->timed.run > 0)
        return (double)analysis->timed.profiler / (double)analysis->timed.run;
    return -1;
}

double top_task_share(const struct top *top, const struct task_sum *task)
{
    const struct task_sums *tasks = &top->found.tasks;

    if (tasks->time > 0)
        return (double)task->time.total / (double)tasks->time;
    return tasks->samples > 0 ? (double)task->samples / (double)tasks->samples : -1;
}

double top_idle_share(const struct top *top)
{
    const struct task_sums *tasks = &top->found.tasks;
    double sum = 0;
    bool any = false;

    for (size_t i = 0; i < tasks->count; i++) {
        if (!tasks->items[i].idle)
            continue;
        any = true;
        sum += top_task_share(top, &tasks->items[i]);
    }
    return any && (tasks->time > 0 || tasks->samples > 0) ? sum : -1;
}
