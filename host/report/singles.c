/* SPDX-License-Identifier: MIT */
/* How long the single timed calls of each function took: percentiles and a histogram. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../port/sort.h"
#include "columns.h"
#include "report.h"

enum { BARS = 12, DURATION_MAX = 32 };

struct singles_row {
    const struct function *function;
    const struct spread *spread; /* NULL: not known */
};

struct singles_view {
    const struct report *report;
    struct singles_row *rows;
    size_t count, unknown; /* number of rows; and of functions for which only sums are
                            * known */
    double least, most;    /* ticks: the histograms' begin and end */
};

static const struct singles_row *row_of(const void *view, size_t row)
{
    return &((const struct singles_view *)view)->rows[row];
}

/* ---- Cells ---- */

static void cell_calls(struct cell *cell, const void *view, size_t row)
{
    snprintf(cell->text, sizeof cell->text, "%" PRIu64,
             row_of(view, row)->function->timed->calls);
}

static void put_ticks(struct cell *cell, const void *view, uint64_t ticks)
{
    const struct report *report = ((const struct singles_view *)view)->report;
    double tick = report->analysis->timed.tick_seconds;
    if (ticks == 0)
        cell->tint = TINT_DIM;
    if (tick > 0 && ticks > 0)
        report_duration(cell->text, sizeof cell->text, report, (double)ticks * tick);
    else
        snprintf(cell->text, sizeof cell->text, "%" PRIu64, ticks);
}

static void cell_shortest(struct cell *cell, const void *view, size_t row)
{
    put_ticks(cell, view, row_of(view, row)->function->timed->shortest);
}

static void cell_longest(struct cell *cell, const void *view, size_t row)
{
    put_ticks(cell, view, row_of(view, row)->function->timed->longest);
}

static void put_part(struct cell *cell, const void *view, size_t row, double part)
{
    const struct spread *spread = row_of(view, row)->spread;
    if (spread != NULL) {
        put_ticks(cell, view, spread_quantile(spread, part));
        return;
    }
    cell->string = ((const struct singles_view *)view)->report->style.utf8 ? "–" : "-";
    cell->tint = TINT_DIM;
}

static void cell_p50(struct cell *cell, const void *view, size_t row)
{
    put_part(cell, view, row, 0.5);
}

static void cell_p90(struct cell *cell, const void *view, size_t row)
{
    put_part(cell, view, row, 0.9);
}

static void cell_p99(struct cell *cell, const void *view, size_t row)
{
    put_part(cell, view, row, 0.99);
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
    const struct spread *spread = row_of(view, row)->spread;
    double counts[BARS] = {0}, highest = 0;
    for (size_t i = 0; spread != NULL && i < spread->used; i++) {
        double *count = &counts[bar_of(view, spread->bins[i].low)];
        *count += (double)spread->bins[i].count;
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
    {{"", "calls"}, .cell = cell_calls},
    {{"", "min"}, .width = 7, .drop = 2, .cell = cell_shortest},
    {{"", "p50"}, .width = 7, .cell = cell_p50},
    {{"", "p90"}, .width = 7, .drop = 3, .cell = cell_p90},
    {{"", "p99"}, .width = 7, .cell = cell_p99},
    {{"", "max"}, .width = 7, .cell = cell_longest},
    {{"", "spread"}, .needs = NEEDS_UTF8, .left = true, .drop = 1, .cell = cell_bars},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

/* ---- Rows ---- */

static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int by_key(const void *left, const void *right, void *context)
{
    const struct function *a = ((const struct singles_row *)left)->function;
    const struct function *b = ((const struct singles_row *)right)->function;
    enum report_sort by = *(const enum report_sort *)context;
    int order = by == SORT_CALLS   ? descending(a->timed->calls, b->timed->calls)
                : by == SORT_TOTAL ? descending(a->timed->total, b->timed->total)
                : by == SORT_SELF  ? descending(a->timed->self, b->timed->self)
                                   : 0;
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static void widen(struct singles_view *view, const struct timed *timed)
{
    double least = fmax((double)timed->shortest, 1);
    view->least = view->least > 0 ? fmin(view->least, least) : least;
    view->most = fmax(view->most, fmax((double)timed->longest, least));
}

static void collect(struct singles_view *view)
{
    const struct report *report = view->report;
    const struct analysis *analysis = report->analysis;
    enum report_sort sort = report->sort;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        const struct spread *spread = analysis_singles(analysis, function);
        if (function->timed->calls == 0 || (report->near != NULL && !report->near[i]))
            continue;
        view->rows[view->count++] = (struct singles_row){function, spread};
        view->unknown += spread == NULL;
        if (spread != NULL)
            widen(view, function->timed);
    }
    if (view->count > 1)
        port_qsort_r(view->rows, view->count, sizeof *view->rows, by_key, &sort);
}

/* ---- The table ---- */

static void print_title(const struct singles_view *view)
{
    const struct report *report = view->report;
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

bool report_singles(const struct report *report, struct error *error)
{
    size_t functions = report->analysis->function_count;
    struct singles_view view = {.report = report,
                                .rows = calloc(functions + 1, sizeof *view.rows)};
    if (view.rows == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    collect(&view);
    size_t limit = report->limit != 0 ? report->limit : view.count;
    struct table table = {.columns = columns,
                          .column_count = sizeof columns / sizeof columns[0],
                          .view = &view,
                          .rows = limit < view.count ? limit : view.count,
                          .knows = report->style.utf8 ? NEEDS_UTF8 : 0,
                          .time_unit = ""};
    print_title(&view);
    bool done = table_print(&table, &report->style, report->out, error);
    report_cut(report, view.count - table.rows, "function", "functions");
    if (view.unknown > 0)
        fputs("\nOf some functions only sums came: the firmware's cache, or merge, added "
              "calls up. Built\nwith -DMCUPROF_ENTRIES=0 firmware sends each call for "
              "itself.\n",
              report->out);
    free(view.rows);
    return done;
}
