/* SPDX-License-Identifier: MIT */
/* How long the single timed calls of each function took: percentiles and a histogram. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../hook_cost/timed.h"
#include "../port/sort.h"
#include "columns.h"
#include "report.h"

enum { BARS = 12, DURATION_MAX = 32 };

struct singles_row {
    const struct function *function;
    const struct durations *durations; /* NULL: not known */
    const double *keys;                /* the figures it is sorted by */
};

struct singles_view {
    struct figure_view view;
    struct figure_list order; /* of figures of timed calls */
    struct singles_row *rows;
    double *keys;
    size_t count, unknown; /* number of rows; and of functions for which only sums are
                            * known */
    double least, most;    /* ticks: the histograms' begin and end */
};

static const struct singles_row *row_of(const void *view, size_t row)
{
    return &((const struct singles_view *)view)->rows[row];
}

/* ---- Cells ---- */

static void cell_figure(struct cell *cell, const struct column *column, const void *view,
                        size_t row)
{
    const struct singles_view *singles = view;
    struct measure measure = figure_measure(column->key.figure, &singles->view.source,
                                            row_of(view, row)->function);
    measure.recursive = 0; /* their times are in those of the others */
    report_figure(cell, &singles->view, &column->key, &measure);
}

/* The bar that a time belongs to. Each bar ends where the next one begins, and all grow
 * by the same factor. */
static size_t bar_of(const struct singles_view *view, uint64_t ticks)
{
    double all = log(view->most / view->least);
    double part = all > 0 ? log(fmax((double)ticks / view->least, 1)) / all : 0;
    return (size_t)fmin(part * BARS, BARS - 1);
}

/* Draws a histogram, in which the longest bar has the height of a line. */
static void cell_bars(struct cell *cell, const void *view, size_t row)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct durations *durations = row_of(view, row)->durations;
    double counts[BARS] = {0}, highest = 0;
    for (size_t i = 0; durations != NULL && i < durations->used; i++) {
        double *count = &counts[bar_of(view, durations->bins[i].low)];
        *count += (double)durations->bins[i].count;
        highest = fmax(highest, *count);
    }
    for (size_t i = 0, used = 0; highest > 0 && i < BARS; i++)
        used += (size_t)snprintf(cell->text + used, sizeof cell->text - used, "%s",
                                 bars[(size_t)ceil(8 * counts[i] / highest)]);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    cell->string = row_of(view, row)->function->name;
}

static const struct column columns[] = {
    {.id = "timed_calls"},
    {.id = "min", .width = 7, .drop = 2},
    {.id = "p50", .width = 7},
    {.id = "p90", .width = 7, .drop = 3},
    {.id = "p99", .width = 7},
    {.id = "max", .width = 7},
    {{"", "spread"}, .needs = NEEDS_UTF8, .left = true, .drop = 1, .cell = cell_bars},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* ---- Rows ---- */

static int by_key(const void *left, const void *right, void *context)
{
    const struct singles_row *a = left, *b = right;
    const struct function *one = a->function, *other = b->function;
    int order = figures_compare(context, a->keys, one->name, b->keys, other->name);
    if (order == 0)
        order = strcmp(one->name, other->name);
    return order != 0 ? order
                      : (one->address > other->address) - (one->address < other->address);
}

static void widen(struct singles_view *view, const struct timed *timed)
{
    double least = fmax((double)timed->shortest, 1);
    view->least = view->least > 0 ? fmin(view->least, least) : least;
    view->most = fmax(view->most, fmax((double)timed->longest, least));
}

static void collect(struct singles_view *view)
{
    const struct report *report = view->view.report;
    const struct analysis *analysis = report->analysis;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        const struct figure_subject subject = {function, function->timed};
        const struct durations *durations = analysis_singles(analysis, function);
        double *keys = view->keys + view->count * view->order.count;
        if (function->timed->calls == 0 || (report->near != NULL && !report->near[i]))
            continue;
        figures_keys(keys, &view->order, &view->view.source, &subject);
        view->rows[view->count++] = (struct singles_row){function, durations, keys};
        view->unknown += durations == NULL;
        if (durations != NULL)
            widen(view, function->timed);
    }
    if (view->count > 1)
        port_qsort_r(view->rows, view->count, sizeof *view->rows, by_key, &view->order);
}

/* ---- The table ---- */

static void print_title(const struct singles_view *view)
{
    const struct report *report = view->view.report;
    double tick = report->analysis->timed.tick_seconds;
    char least[DURATION_MAX], most[DURATION_MAX];
    if (view->most <= 0 || tick <= 0 || !report->style.utf8) {
        report_title(report, "Single calls", "measured");
        return;
    }
    report_duration(least, sizeof least, report, view->least * tick);
    report_duration(most, sizeof most, report, view->most * tick);
    report_title(report, "Single calls", "measured; spread from %s to %s, logarithmic",
                 least, most);
}

static bool print(const struct singles_view *view, struct error *error)
{
    const struct report *report = view->view.report;
    size_t limit = report->limit != 0 ? report->limit : view->count;
    struct column filled[COLUMNS];
    struct table table = {.columns = filled,
                          .column_count = COLUMNS,
                          .view = view,
                          .rows = limit < view->count ? limit : view->count,
                          .knows = report_knows(report) | NEEDS_SINGLES |
                                   (report->style.utf8 ? (unsigned)NEEDS_UTF8 : 0),
                          .figure = cell_figure};
    report_columns(filled, columns, COLUMNS, &view->view);
    print_title(view);
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, view->count - table.rows, "function", "functions");
    if (view->unknown > 0)
        fputs("\nOf some functions only sums came: the firmware's cache, or merge, added "
              "calls up. Built\nwith -DMCUPROF_ENTRIES=0 firmware sends each call for "
              "itself.\n",
              report->out);
    return true;
}

bool report_singles(const struct report *report, struct error *error)
{
    size_t functions = report->analysis->function_count;
    struct singles_view view = {
        .view = {.report = report, .source = report_source(report, false), .calls = true},
        .order = figures_of_calls(report->order),
        .rows = calloc(functions + 1, sizeof *view.rows),
        .keys = calloc(functions * report->order->count + 1, sizeof *view.keys),
    };
    bool done = view.rows != NULL && view.keys != NULL;
    if (done) {
        collect(&view);
        done = print(&view, error);
    } else {
        error_set(error, EXIT_BAD_INPUT, "out of memory");
    }
    free(view.rows);
    free(view.keys);
    return done;
}
