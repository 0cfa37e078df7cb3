/* SPDX-License-Identifier: MIT */
/* The flat profile: a row for each function, then what the profiler itself took. */
#include <stdlib.h>
#include <string.h>

#include "../base/select.h"
#include "columns.h"
#include "report.h"

/* A function, and the figures it is sorted by. */
struct flat_row {
    const struct function *function;
    const struct figure_list *order;
    const double *keys;
};

/* Functions in the order in which they are shown. */
struct flat {
    struct figure_view view;
    struct flat_row *all;
    const struct flat_row **rows; /* those that are shown, in order */
    double *keys;
    size_t count;
};

static const struct function *row_of(const void *view, size_t row)
{
    const struct flat *flat = view;
    return flat->rows[row]->function;
}

static void cell_figure(struct cell *cell, const struct column *column, const void *view,
                        size_t row)
{
    const struct flat *flat = view;
    const struct measure measure =
        figure_measure(column->key.figure, &flat->view.source, row_of(view, row));
    report_figure(cell, &flat->view, &column->key, &measure);
}

static void cell_bar(struct cell *cell, const void *view, size_t row)
{
    const struct flat *flat = view;
    const struct function *function = row_of(view, row);
    double percent = report_percent(function->self, flat->view.report->analysis->program);
    report_bar(cell->text, sizeof cell->text, flat->view.report, percent);
    cell->tint = report_heat(percent);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    cell->string = row_of(view, row)->name;
    cell->tint = row_of(view, row)->overhead ? TINT_DIM : TINT_PLAIN;
}

#define NAME_COLUMN                                                                      \
    {                                                                                    \
        {"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name               \
    }

/* Beside enum column_needs: totals are not estimates of what timed calls have measured.
 */
enum { NEEDS_NO_BETTER = 1 << 16 };

static const struct column usual_columns[] = {
    {.id = "self_percent", .width = 6},
    {.id = "self", .width = 13},
    {.id = "total", .needs = NEEDS_ESTIMATE | NEEDS_NO_BETTER, .drop = 1},
    {.id = "total_percent", .needs = NEEDS_PATHS, .drop = 1},
    {.id = "total", .needs = NEEDS_PATHS},
    {.id = "self_energy", .needs = NEEDS_SAMPLES},
    {.id = "total_energy", .needs = NEEDS_SAMPLES, .drop = 1},
    {.id = "calls"},
    {.id = "self_per_call", .drop = 3},
    {.id = "total_per_call", .needs = NEEDS_NO_BETTER, .drop = 2},
    {{"", ""},
     .needs = NEEDS_SAMPLES | NEEDS_TERMINAL,
     .left = true,
     .drop = 4,
     .cell = cell_bar},
    NAME_COLUMN,
};

/* The profiler's own functions have only a measured time. */
static const struct column overhead_columns[] = {
    {.id = "self_percent", .width = 6}, {.id = "self", .width = 13}, NAME_COLUMN};

enum {
    USUAL_COLUMNS = sizeof usual_columns / sizeof usual_columns[0],
    OVERHEAD_COLUMNS = sizeof overhead_columns / sizeof overhead_columns[0],
};

static int by_descending(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_self(const struct function *a, const struct function *b)
{
    int order = by_descending(a->self, b->self);
    if (order == 0)
        order = by_descending((double)a->calls, (double)b->calls);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_keys(const void *left, const void *right)
{
    const struct flat_row *a = *(const struct flat_row *const *)left;
    const struct flat_row *b = *(const struct flat_row *const *)right;
    int order =
        figures_compare(a->order, a->keys, a->function->name, b->keys, b->function->name);
    return order != 0 ? order : by_self(a->function, b->function);
}

static bool is_shown(const struct report *report, const struct function *function)
{
    bool nothing =
        function->total <= 0 && function->calls == 0 && function->self_calls == 0;
    size_t number = (size_t)(function - report->analysis->functions);
    if (function->overhead)
        return function->self > 0;
    return !nothing && (report->near == NULL || report->near[number]);
}

static void collect(struct flat *flat, const struct figure_list *order)
{
    const struct report *report = flat->view.report;
    double *keys = flat->keys;
    flat->count = 0;
    for (size_t i = 0; i < report->analysis->function_count; i++) {
        const struct function *function = &report->analysis->functions[i];
        const struct figure_subject subject = {function, function->timed};
        if (function->overhead != flat->view.source.overhead ||
            !is_shown(report, function))
            continue;
        figures_keys(keys, order, &flat->view.source, &subject);
        flat->all[flat->count] = (struct flat_row){function, order, keys};
        flat->rows[flat->count] = &flat->all[flat->count];
        flat->count++;
        keys += order->count;
    }
    size_t shown = report->limit != 0 ? report->limit : flat->count;
    sort_first(flat->rows, flat->count, sizeof *flat->rows, shown, by_keys);
}

static bool print(const struct flat *flat, const struct column *columns, size_t count,
                  bool heading, struct error *error)
{
    const struct report *report = flat->view.report;
    bool better = report->analysis->timed.known && !report->analysis->measured;
    struct table table = {
        .columns = columns,
        .column_count = count,
        .view = flat,
        .rows = flat->count,
        .knows = report_knows(report) | (better ? 0 : (unsigned)NEEDS_NO_BETTER),
        .no_heading = !heading,
        .figure = cell_figure,
    };
    if (report->limit != 0 && report->limit < table.rows)
        table.rows = report->limit;
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, flat->count - table.rows, "function", "functions");
    return true;
}

/* Prints the columns that were asked for, or the usual ones. */
static bool print_functions(const struct flat *flat, struct error *error)
{
    const struct figure_list *asked = flat->view.report->columns;
    struct column columns[COLUMNS_MAX];
    if (asked == NULL) {
        report_columns(columns, usual_columns, USUAL_COLUMNS, &flat->view);
        return print(flat, columns, USUAL_COLUMNS, true, error);
    }
    const struct figure_list found = figures_in(asked, report_knows(flat->view.report));
    report_list_columns(columns, &found, &flat->view);
    columns[found.count] = (struct column)NAME_COLUMN;
    return print(flat, columns, found.count + 1, true, error);
}

/* Whether some function has no sample. */
static bool any_hidden(const struct flat *flat)
{
    for (size_t i = 0; i < flat->count; i++)
        if (row_of(flat, i)->self <= 0)
            return true;
    return false;
}

static void title(const struct flat *flat)
{
    const struct report *report = flat->view.report;
    unsigned knows = report_knows(report);
    bool hidden = any_hidden(flat);
    bool estimates = (knows & NEEDS_CALLS) != 0 && (knows & NEEDS_ESTIMATE) != 0 &&
                     !report->analysis->timed.known;
    if ((knows & NEEDS_SAMPLES) == 0)
        report_title(report, "Flat profile", "%s", "");
    else
        report_title(report, "Flat profile", "measured, %s one standard error%s%s%s",
                     report_plus_minus(report), hidden ? ", < below (95 %)" : "",
                     estimates ? "; ~ estimated" : "",
                     estimates && !hidden ? " from the calls" : "");
}

static bool print_overhead(struct flat *flat, const struct figure_list *order,
                           struct error *error)
{
    const struct report *report = flat->view.report;
    struct column columns[OVERHEAD_COLUMNS];
    flat->view.source.overhead = true;
    collect(flat, order);
    if (flat->count == 0 || report->near != NULL)
        return true;
    fputc('\n', report->out);
    style_words(&report->style, report->out,
                "The profiler's own, not in the figures above; % of all time sampled", 0,
                0, CUT_PATH);
    fputs("\n\n", report->out);
    report_columns(columns, overhead_columns, OVERHEAD_COLUMNS, &flat->view);
    return print(flat, columns, OVERHEAD_COLUMNS, false, error);
}

bool report_flat(const struct report *report, struct error *error)
{
    const struct figure_list order = figures_in(report->order, report_knows(report));
    size_t functions = report->analysis->function_count;
    struct flat flat = {
        .view = {.report = report,
                 .source = report_source(report, false),
                 .sums = report_ticks_scale(report)},
        .all = calloc(functions + 1, sizeof *flat.all),
        .rows = calloc(functions + 1, sizeof *flat.rows),
        .keys = calloc(functions * order.count + 1, sizeof *flat.keys),
    };
    bool done = flat.all != NULL && flat.rows != NULL && flat.keys != NULL;
    if (done) {
        collect(&flat, &order);
        title(&flat);
        if (flat.count == 0)
            fputs("nothing was counted\n", report->out);
        else
            done = print_functions(&flat, error);
        if (done && report->columns == NULL && report->rest == NULL)
            done = print_overhead(&flat, &order, error);
    } else {
        error_set(error, EXIT_BAD_INPUT, "out of memory");
    }
    free(flat.all);
    free(flat.rows);
    free(flat.keys);
    return done;
}
