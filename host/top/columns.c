/* SPDX-License-Identifier: MIT */
/* The tables of functions and of tasks: their columns and cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/digits.h"
#include "internal.h"

/* The rows that are shown; `first` is the first of them. */
struct view {
    const struct top *top;
    struct report report;
    size_t first;
};

static const struct top_row *row_of(const void *view, size_t row)
{
    const struct view *of = view;
    return &of->top->rows[of->first + row];
}

static struct top_figures figures_of(const void *view, size_t row)
{
    const struct view *of = view;
    return top_figures(of->top, row_of(view, row));
}

/* ---- Shares ---- */

static void put_share(struct cell *cell, const struct view *view, double time,
                      double hidden)
{
    double whole = top_whole(view->top), percent = report_percent(time, whole);
    if (time < 0)
        return;
    if (view->top->found.timed)
        digits_fixed(cell->text, sizeof cell->text, percent, 2);
    else
        report_total_share(cell->text, sizeof cell->text, &view->report, time, hidden,
                           whole);
    cell->tint = report_heat(percent);
}

static void cell_self(struct cell *cell, const void *view, size_t row)
{
    put_share(cell, view, figures_of(view, row).self, 0);
}

static void cell_total(struct cell *cell, const void *view, size_t row)
{
    struct top_figures figures = figures_of(view, row);
    put_share(cell, view, figures.total, figures.hidden);
}

static void cell_error(struct cell *cell, const void *view, size_t row)
{
    const struct view *of = view;
    report_share_error(cell->text, sizeof cell->text, &of->report,
                       figures_of(view, row).self, top_whole(of->top));
    cell->tint = TINT_DIM;
}

/* ---- Calls ---- */

void top_rate(char *text, size_t size, double rate)
{
    static const char units[] = "kMG";
    size_t unit = 0;
    if (rate < 99999.5) {
        digits_fixed(text, size, rate, rate > 0 && rate < 9.95 ? 1 : 0);
        return;
    }
    for (rate /= 1000; rate >= 999.5 && units[unit + 1] != '\0'; rate /= 1000)
        unit++;
    snprintf(text, size, "%.*f%c", rate < 99.95 ? 1 : 0, rate, units[unit]);
}

/* Puts a rate or, if no time is known, a number. */
static void put_rate(struct cell *cell, const struct view *view, double count)
{
    double seconds = view->top->found.rate_seconds;
    if (count > 0)
        top_rate(cell->text, sizeof cell->text, seconds > 0 ? count / seconds : count);
}

static void cell_calls(struct cell *cell, const void *view, size_t row)
{
    put_rate(cell, view, figures_of(view, row).calls);
}

static void cell_mean(struct cell *cell, const void *view, size_t row)
{
    const struct view *of = view;
    double mean = figures_of(view, row).mean;
    if (mean > 0)
        report_duration(cell->text, sizeof cell->text, &of->report, mean);
}

/* ---- Trends ---- */

/* Puts a bar of one of eight heights for each second. Half the height is the row's mean,
 * so that a constant share gives a flat line; but the scale is such that the highest bar
 * fits. */
static void put_bars(char *text, size_t size, const double shares[TREND_SECONDS],
                     bool utf8)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ".", "-", "-", "=", "=", "#"};
    double most = 0, sum = 0, seen = 0;
    size_t used = 0;
    for (size_t i = 0; i < TREND_SECONDS; i++) {
        most = fmax(most, shares[i]);
        sum += shares[i];
        seen += shares[i] > 0;
    }
    most = seen > 0 ? fmax(most, 2 * sum / seen) : 1;
    for (size_t i = 0; i < TREND_SECONDS; i++) {
        int height = (int)fmax(0, shares[i] / most * 8 - 0.5); /* the mean is 3.5 */
        const char *bar = shares[i] <= 0 ? " " : utf8 ? bars[height] : plain[height];
        used += (size_t)snprintf(text + used, size - used, "%s", bar);
    }
}

static void cell_trend(struct cell *cell, const void *view, size_t row)
{
    static const char *const turns[2][3] = {{"v", " ", "^"}, {"↓", " ", "↑"}};
    const struct top *top = ((const struct view *)view)->top;
    const struct top_row *of = row_of(view, row);
    double shares[TREND_SECONDS];
    int turn;
    if (of->kind != ROW_FUNCTION)
        return;
    trend_shares(&top->found.trend, of->function, shares);
    put_bars(cell->text, sizeof cell->text, shares, top->style.utf8);
    turn = trend_turn(&top->found.trend, of->function);
    snprintf(cell->suffix, sizeof cell->suffix, " %s", turns[top->style.utf8][turn + 1]);
    cell->tint = turn == 0 ? TINT_DIM : TINT_BOLD;
}

/* ---- Names ---- */

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    const struct top_row *is = row_of(view, row);
    if (is->kind == ROW_PATH || is->kind == ROW_NOTE)
        return; /* it takes the columns before, too: draw.c puts it */
    cell->string = is->name;
    cell->indent = is->kind == ROW_FUNCTION ? 0 : 2;
    cell->tint = is->kind == ROW_FUNCTION ? TINT_PLAIN : TINT_DIM;
}

/* ---- Tasks ---- */

static const struct task_sum *task_of(const void *view, size_t row)
{
    const struct view *of = view;
    return &of->top->found.tasks.items[row_of(view, row)->item];
}

static void cell_load(struct cell *cell, const void *view, size_t row)
{
    const struct view *of = view;
    const struct task_sum *task = task_of(view, row);
    double share = top_task_share(of->top, task), hz = of->report.analysis->hz;
    if (share < 0)
        return;
    if (of->top->found.tasks.time > 0)
        digits_fixed(cell->text, sizeof cell->text, 100 * share, 2);
    else
        report_share(cell->text, sizeof cell->text, &of->report,
                     (double)task->samples / hz,
                     (double)of->top->found.tasks.samples / hz);
    cell->tint = task->idle ? TINT_DIM : report_heat(100 * share);
}

static void cell_load_error(struct cell *cell, const void *view, size_t row)
{
    const struct view *of = view;
    double hz = of->report.analysis->hz;
    if (of->top->found.tasks.time == 0)
        report_share_error(cell->text, sizeof cell->text, &of->report,
                           (double)task_of(view, row)->samples / hz,
                           (double)of->top->found.tasks.samples / hz);
    cell->tint = TINT_DIM;
}

static void cell_runs(struct cell *cell, const void *view, size_t row)
{
    put_rate(cell, view, (double)task_of(view, row)->runs);
}

static void cell_run_mean(struct cell *cell, const void *view, size_t row)
{
    const struct view *of = view;
    const struct task_sum *task = task_of(view, row);
    double hz = of->report.profile->time.hz;
    if (task->runs > 0 && hz > 0)
        report_duration(cell->text, sizeof cell->text, &of->report,
                        (double)task->time.total / (double)task->runs / hz);
}

static void cell_task_calls(struct cell *cell, const void *view, size_t row)
{
    put_rate(cell, view, (double)task_of(view, row)->calls);
}

static void cell_task(struct cell *cell, const void *view, size_t row)
{
    cell->string = task_of(view, row)->label;
    if (!task_of(view, row)->idle)
        return;
    snprintf(cell->suffix, sizeof cell->suffix, " (idle)");
    cell->tint = TINT_DIM;
}

/* ---- Tables ---- */

enum { TREND_WIDTH = TREND_SECONDS + 2 };

/* How each table of functions ends. */
#define TREND_AND_FUNCTION                                                               \
    {{"trend", ""}, .needs = NEEDS_SECONDS, .left = true, .width = TREND_WIDTH,          \
     .drop = 5,     .cell = cell_trend},                                                 \
    {                                                                                    \
        {"function", ""}, .left = true, .cut = CUT_NAME, .cell = cell_name               \
    }

static const struct column sampled_columns[] = {
    {{"self %", ""}, .needs = NEEDS_SAMPLES, .width = 7, .cell = cell_self},
    {{"±", ""}, .needs = NEEDS_SAMPLES, .width = 4, .drop = 2, .cell = cell_error},
    {{"total %", ""},
     .needs = NEEDS_SAMPLES | NEEDS_PATHS,
     .width = 7,
     .drop = 3,
     .cell = cell_total},
    {{"total~%", ""},
     .needs = NEEDS_SAMPLES | NEEDS_CALLS | NEEDS_ESTIMATE,
     .width = 7,
     .drop = 3,
     .cell = cell_total},
    {{"calls/s", ""}, .needs = NEEDS_CALLS, .width = 8, .drop = 1, .cell = cell_calls},
    {{"mean", ""},
     .needs = NEEDS_RATE | NEEDS_CALLS | NEEDS_PATHS,
     .width = 7,
     .drop = 4,
     .cell = cell_mean},
    {{"mean~", ""},
     .needs = NEEDS_RATE | NEEDS_CALLS | NEEDS_ESTIMATE,
     .width = 7,
     .drop = 4,
     .cell = cell_mean},
    TREND_AND_FUNCTION,
};

static const struct column timed_columns[] = {
    {{"self %", ""}, .width = 7, .cell = cell_self},
    {{"total %", ""}, .width = 7, .drop = 3, .cell = cell_total},
    {{"calls/s", ""}, .width = 8, .drop = 1, .cell = cell_calls},
    {{"mean", ""}, .width = 7, .drop = 4, .cell = cell_mean},
    TREND_AND_FUNCTION,
};

static const struct column task_columns[] = {
    {{"load %", ""}, .width = 7, .cell = cell_load},
    {{"±", ""}, .needs = NEEDS_SAMPLES, .width = 4, .drop = 2, .cell = cell_load_error},
    {{"runs/s", ""}, .needs = NEEDS_RUNS, .width = 7, .drop = 1, .cell = cell_runs},
    {{"mean", ""}, .needs = NEEDS_RUNS, .width = 7, .drop = 3, .cell = cell_run_mean},
    {{"calls/s", ""},
     .needs = NEEDS_CALLS,
     .width = 8,
     .drop = 4,
     .cell = cell_task_calls},
    {{"task", ""}, .left = true, .cell = cell_task},
};

/* The end of each table of functions. */
static const struct column last_columns[] = {TREND_AND_FUNCTION};

static const struct {
    const struct column *columns;
    size_t count;
} tables[] = {
    {sampled_columns, sizeof sampled_columns / sizeof *sampled_columns},
    {timed_columns, sizeof timed_columns / sizeof *timed_columns},
    {task_columns, sizeof task_columns / sizeof *task_columns},
    {last_columns, sizeof last_columns / sizeof *last_columns},
};
enum { TABLE_SAMPLED, TABLE_TIMED, TABLE_TASKS, TABLE_ASKED };

/* The order's column has a mark in its title. */
static void mark(struct column *column, const struct top *top)
{
    static void (*const cells[])(struct cell *, const void *,
                                 size_t) = {[TOP_SELF] = cell_self,
                                            [TOP_TOTAL] = cell_total,
                                            [TOP_CALLS] = cell_calls,
                                            [TOP_MEAN] = cell_mean,
                                            [TOP_NAME] = cell_name};
    static const char *const titles[][2] = {
        {"self %", "*self %"},    {"total %", "*total%"}, {"total~%", "*total~"},
        {"calls/s", "*calls/s"},  {"mean", "*mean"},      {"mean~", "*mean~"},
        {"function", "*function"}};
    if (column->cell == NULL || top->sort == TOP_SORTS ||
        column->cell != cells[top->sort])
        return;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(column->title[0], titles[i][0]) == 0) {
            column->title[0] = titles[i][1];
            return;
        }
}

/* Titles that depend on what is known. */
static void name_columns(struct column *columns, size_t count, const struct top *top)
{
    for (size_t i = 0; i < count; i++) {
        struct column *column = &columns[i];
        if (top->pane == TOP_FUNCTIONS)
            mark(column, top);
        if (!top->style.utf8 && strcmp(column->title[0], "±") == 0)
            column->title[0] = "+-";
        if (top->found.rate_seconds <= 0 && strcmp(column->title[0], "calls/s") == 0)
            column->title[0] = "calls";
        if (top->found.rate_seconds <= 0 && strcmp(column->title[0], "*calls/s") == 0)
            column->title[0] = "*calls";
        if (top->found.rate_seconds <= 0 && strcmp(column->title[0], "runs/s") == 0)
            column->title[0] = "runs";
    }
}

/* ---- Columns that are asked for ---- */

enum { TITLE_MAX = 40 };

static void cell_asked(struct cell *cell, const struct column *column, const void *view,
                       size_t row)
{
    const struct top *top = ((const struct view *)view)->top;
    const struct top_row *is = row_of(view, row);
    const struct figure_view shown = {
        .report = &((const struct view *)view)->report,
        .source = top_source_of(top),
        .sums = report_ticks_scale(&((const struct view *)view)->report),
    };
    if (is->kind != ROW_FUNCTION)
        return;
    const struct measure measure = figure_measure(
        column->key.figure, &shown.source, &top->found.analysis.functions[is->function]);
    report_figure(cell, &shown, &column->key, &measure);
}

/* The cursor's mark stands here. */
static void cell_mark(struct cell *cell, const void *view, size_t row)
{
    (void)cell, (void)view, (void)row;
}

/* Makes the columns; their titles are of one line each, in `titles`. */
static size_t make_asked(struct column *columns, char titles[][TITLE_MAX],
                         const struct view *view)
{
    const struct top *top = view->top;
    const struct figure_list list = figures_in(&top->columns, top->found.knows);
    const struct figure_view shown = {
        .report = &view->report,
        .source = top_source_of(top),
        .sums = report_ticks_scale(&view->report),
    };
    *columns++ = (struct column){{"", ""}, .width = 2, .cell = cell_mark};
    report_list_columns(columns, &list, &shown);
    columns[0].joined = true;
    for (size_t i = 0; i < list.count; i++) {
        const char **title = columns[i].title;
        bool first = top->sort == TOP_SORTS && top->columns.keys[i].figure == top->by;
        const char *gap = title[0][0] != '\0' && title[1][0] != '\0' ? " " : "";
        snprintf(titles[i], TITLE_MAX, "%s%s%s%s", first ? "*" : "", title[0], gap,
                 title[1]);
        title[0] = titles[i];
        title[1] = "";
        columns[i].width = 7;
    }
    return 1 + list.count;
}

bool top_print_table(const struct top *top, size_t first, size_t rows, FILE *out)
{
    int kind = top->pane == TOP_TASKS   ? TABLE_TASKS
               : top->columns.count > 0 ? TABLE_ASKED
               : top->found.timed       ? TABLE_TIMED
                                        : TABLE_SAMPLED;
    struct column columns[COLUMNS_MAX + 2]; /* more than a table can have */
    char titles[FIGURES_MAX][TITLE_MAX];
    struct view view = {top, top_report(top, out), first};
    struct error error;
    size_t asked = kind == TABLE_ASKED ? make_asked(columns, titles, &view) : 0;
    struct table table = {
        .columns = columns,
        .column_count = asked + tables[kind].count,
        .view = &view,
        .rows = rows,
        .knows = top->found.knows,
        .time_unit = "",
        .figure = cell_asked,
    };

    memcpy(columns + asked, tables[kind].columns, tables[kind].count * sizeof *columns);
    name_columns(columns + asked, tables[kind].count, top);
    return table_print(&table, &view.report.style, out, &error);
}
