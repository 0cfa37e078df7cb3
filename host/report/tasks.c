/* SPDX-License-Identifier: MIT */
/* What each task and interrupt did: samples, calls, and how long it ran. */
#include <inttypes.h>
#include <stdlib.h>

#include "../capture/tasks.h"
#include "columns.h"
#include "report.h"

struct task_view {
    const struct report *report;
    struct task_sums sums;
    struct time_scale ticks, singles;
};

static const struct task_sum *row_of(const void *view, size_t row)
{
    const struct task_view *tasks = view;
    return &tasks->sums.items[row];
}

/* An idle task's time is dim, because it is no load. */
static enum tint heat(const struct task_sum *sum, double percent)
{
    return sum->idle ? TINT_DIM : report_heat(percent);
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct task_view *tasks = view;
    const struct task_sum *sum = row_of(view, row);
    double hz = tasks->report->analysis->hz;
    report_share(cell->text, sizeof cell->text, tasks->report, (double)sum->samples / hz,
                 (double)tasks->sums.samples / hz);
    cell->tint =
        heat(sum, report_percent((double)sum->samples, (double)tasks->sums.samples));
}

static void cell_bar(struct cell *cell, const void *view, size_t row)
{
    const struct task_view *tasks = view;
    const struct task_sum *sum = row_of(view, row);
    double percent = report_percent((double)sum->samples, (double)tasks->sums.samples);
    report_bar(cell->text, sizeof cell->text, tasks->report, percent);
    cell->tint = heat(sum, percent);
}

static void cell_samples(struct cell *cell, const void *view, size_t row)
{
    const struct task_view *tasks = view;
    double samples = (double)row_of(view, row)->samples;
    report_sampled(cell->text, sizeof cell->text, tasks->report,
                   samples / tasks->report->analysis->hz);
    cell->tint = samples > 0 ? TINT_PLAIN : TINT_DIM;
}

static void cell_calls(struct cell *cell, const void *view, size_t row)
{
    if (row_of(view, row)->calls > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64, row_of(view, row)->calls);
}

static void cell_current(struct cell *cell, const void *view, size_t row)
{
    const struct report *report = ((const struct task_view *)view)->report;
    uint32_t number = row_of(view, row)->number;
    if (number != TASK_UNKNOWN)
        report_quantity(cell->text, sizeof cell->text, report,
                        power_of_task(report->energy->power, report->profile, number),
                        "A");
}

static void cell_energy(struct cell *cell, const void *view, size_t row)
{
    const struct report *report = ((const struct task_view *)view)->report;
    const struct energy_task *task =
        energy_of_task(report->energy, row_of(view, row)->number);
    static const struct joules none;
    if (task != NULL && task->amperes == 0)
        snprintf(cell->text, sizeof cell->text, "0");
    else
        report_energy(cell->text, sizeof cell->text, report,
                      task != NULL ? &task->used : &none);
    cell->tint = task == NULL || task->idle ? TINT_DIM : TINT_PLAIN;
}

static void cell_run_share(struct cell *cell, const void *view, size_t row)
{
    const struct task_view *tasks = view;
    const struct task_sum *sum = row_of(view, row);
    double percent = report_percent((double)sum->time.total, (double)tasks->sums.time);
    if (sum->runs > 0)
        snprintf(cell->text, sizeof cell->text, "%.2f", percent);
    cell->tint = heat(sum, percent);
}

static void cell_run_time(struct cell *cell, const void *view, size_t row)
{
    const struct task_view *tasks = view;
    const struct task_sum *sum = row_of(view, row);
    if (sum->runs > 0)
        report_time(cell->text, sizeof cell->text, &tasks->ticks,
                    (double)sum->time.total);
}

static void cell_runs(struct cell *cell, const void *view, size_t row)
{
    if (row_of(view, row)->runs > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64, row_of(view, row)->runs);
}

static void single(struct cell *cell, const void *view, size_t row, double ticks)
{
    const struct task_view *tasks = view;
    if (row_of(view, row)->runs > 0)
        report_time(cell->text, sizeof cell->text, &tasks->singles, ticks);
}

static void cell_shortest(struct cell *cell, const void *view, size_t row)
{
    single(cell, view, row, (double)row_of(view, row)->time.shortest);
}

static void cell_mean(struct cell *cell, const void *view, size_t row)
{
    const struct task_sum *sum = row_of(view, row);
    single(cell, view, row,
           sum->runs > 0 ? (double)sum->time.total / (double)sum->runs : 0);
}

static void cell_longest(struct cell *cell, const void *view, size_t row)
{
    single(cell, view, row, (double)row_of(view, row)->time.longest);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    const struct task_sum *sum = row_of(view, row);
    cell->string = sum->label;
    if (sum->idle) {
        snprintf(cell->suffix, sizeof cell->suffix, " (idle)");
        cell->tint = TINT_DIM;
    }
}

static const struct column counted_columns[] = {
    {{"samples", "%"}, .needs = NEEDS_SAMPLES, .width = 6, .cell = cell_share},
    {{"samples", NULL}, .needs = NEEDS_SAMPLES, .width = 13, .cell = cell_samples},
    {{"", "calls"}, .needs = NEEDS_CALLS, .cell = cell_calls},
    {{"", "current"}, .needs = NEEDS_POWER, .cell = cell_current},
    {{"energy", NULL}, .needs = NEEDS_POWER, .cell = cell_energy},
    {{"", ""},
     .needs = NEEDS_SAMPLES | NEEDS_TERMINAL,
     .left = true,
     .drop = 1,
     .cell = cell_bar},
    {{"", "task"}, .left = true, .cell = cell_name},
};

static const struct column timed_columns[] = {
    {{"ran", "%"}, .width = 6, .cell = cell_run_share},
    {{"ran", NULL}, .width = 8, .cell = cell_run_time},
    {{"", "times"}, .cell = cell_runs},
    {{"", "current"}, .needs = NEEDS_POWER, .cell = cell_current},
    {{"energy", NULL}, .needs = NEEDS_POWER, .cell = cell_energy},
    {{"min", ""}, .drop = 1, .cell = cell_shortest},
    {{"mean", ""}, .drop = 3, .cell = cell_mean},
    {{"max", ""}, .drop = 2, .cell = cell_longest},
    {{"", "task"}, .left = true, .cell = cell_name},
};

enum { COLUMNS = sizeof timed_columns / sizeof timed_columns[0] };

/* `knows`: enum column_needs. */
static bool print(const struct task_view *view, const struct column *columns,
                  size_t count, size_t rows, unsigned knows, const char *unit,
                  struct error *error)
{
    const struct report *report = view->report;
    struct table table = {
        .columns = columns,
        .column_count = count,
        .view = view,
        .rows = rows,
        .knows = knows,
        .time_unit = unit,
        .energy_unit = report_energy_scale(report).unit,
    };
    return table_print(&table, &report->style, report->out, error);
}

/* How many rows have runs. These rows come first. */
static size_t ran(const struct task_view *view)
{
    size_t rows = view->sums.count;
    while (rows > 0 && view->sums.items[rows - 1].runs == 0)
        rows--;
    return rows;
}

/* Prints timed tasks. min, mean and max have a unit of their own, in the second line of
 * their headings. */
static bool print_timed(const struct task_view *view, struct error *error)
{
    struct column columns[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        columns[i] = timed_columns[i];
        if (columns[i].drop != 0)
            columns[i].title[1] = view->singles.unit;
    }
    report_title(view->report, "Tasks and interrupts", "measured at each switch");
    return print(view, columns, COLUMNS, ran(view), report_knows(view->report),
                 view->ticks.unit, error);
}

static bool print_counted(const struct task_view *view, struct error *error)
{
    bool samples = view->sums.samples > 0, calls = view->sums.calls > 0;
    unsigned knows = report_knows(view->report);
    if (view->sums.time > 0) /* then print_timed() has printed it */
        knows &= ~(unsigned)NEEDS_POWER;
    report_title(view->report, "Tasks and interrupts", "%s%s%s", samples ? "samples" : "",
                 samples && calls ? " and " : "", calls ? "calls" : "");
    return print(view, counted_columns,
                 sizeof counted_columns / sizeof counted_columns[0], view->sums.count,
                 knows, report_time_scale(view->report).unit, error);
}

/* Finds the scales. That of single times depends on the smallest and the largest of them.
 */
static void find_scales(struct task_view *view)
{
    double least = 0, most = 0;
    for (size_t i = 0; i < view->sums.count; i++) {
        const struct task_sum *sum = &view->sums.items[i];
        double mean = sum->runs > 0 ? (double)sum->time.total / (double)sum->runs : 0;
        if (mean > 0 && (least <= 0 || mean < least))
            least = mean;
        if (mean > most)
            most = mean;
    }
    view->ticks = report_ticks_scale(view->report);
    view->singles = report_single_scale(view->report, least, most);
}

bool report_tasks(const struct report *report, struct error *error)
{
    struct task_view view = {.report = report};
    if (!task_sums_init(&view.sums, report->profile))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    find_scales(&view);
    bool done = view.sums.time == 0 || print_timed(&view, error);
    if (done && (view.sums.samples > 0 || view.sums.calls > 0))
        done = print_counted(&view, error);
    if (view.sums.count == 0)
        fputs("\nno events: nothing is known of tasks\n", report->out);
    task_sums_release(&view.sums);
    return done;
}
