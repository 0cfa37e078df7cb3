/* SPDX-License-Identifier: MIT */
/* How much faster the run would be if a function cost less. */
#include <stdlib.h>
#include <string.h>

#include "../answers/gain.h"
#include "../port/sort.h"
#include "columns.h"
#include "report.h"

enum { DECIMALS_MAX = 4, DECIMALS_EXACT = 3 };

struct gain_row {
    const char *name;
    const double *keys; /* the figures it is sorted by */
    struct gain_share self, total;
};

struct gain_view {
    const struct report *report;
    struct gains gains;
    struct figure_list order;
    struct gain_row *rows;
    double *keys;
    size_t count;
};

static const struct gain_row *row_of(const void *view, size_t row)
{
    return &((const struct gain_view *)view)->rows[row];
}

/* ---- Cells ---- */

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct gain_view *gains = view;
    double part = row_of(view, row)->self.part, whole = gains->gains.whole;
    if (gains->report->analysis->has_samples)
        report_share(cell->text, sizeof cell->text, gains->report, part * whole, whole);
    else
        snprintf(cell->text, sizeof cell->text, "%.2f", 100 * part);
    cell->tint = report_heat(100 * part);
}

/* Puts "×1.25 ±0.03": how many times as fast the run is without that part of the share.
 */
static void put_gain(struct cell *cell, const void *view, const struct gain_share *share,
                     double part)
{
    const struct report *report = ((const struct gain_view *)view)->report;
    struct gain gain;
    if (!gain_of(share, part, &gain))
        return;
    int decimals = gain.error > 0 ? report_decimals(gain.error) : DECIMALS_EXACT;
    decimals = decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
    int used = snprintf(cell->text, sizeof cell->text, "%s%.*f",
                        report->style.utf8 ? "×" : "x", decimals, gain.times);
    if (gain.error > 0)
        snprintf(cell->text + used, sizeof cell->text - (size_t)used, " %s%.*f",
                 report_plus_minus(report), decimals, gain.error);
}

static void cell_self_free(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, &row_of(view, row)->self, 1);
}

static void cell_self_half(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, &row_of(view, row)->self, 0.5);
}

static void cell_total_free(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, &row_of(view, row)->total, 1);
}

static void cell_total_half(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, &row_of(view, row)->total, 0.5);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    cell->string = row_of(view, row)->name;
}

static const struct column columns[] = {
    {{"self", "%"}, .width = 6, .cell = cell_share},
    {{"itself", "free"}, .cell = cell_self_free},
    {{"itself", "half"}, .cell = cell_self_half},
    {{"with callees", "free"}, .needs = NEEDS_PATHS, .cell = cell_total_free},
    {{"with callees", "half"}, .needs = NEEDS_PATHS, .drop = 1, .cell = cell_total_half},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

/* ---- Rows ---- */

static int descending(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_key(const void *left, const void *right, void *context)
{
    const struct gain_row *a = left, *b = right;
    int order = figures_compare(context, a->keys, a->name, b->keys, b->name);
    if (order == 0)
        order = descending(a->self.part, b->self.part);
    if (order == 0)
        order = descending(a->total.part, b->total.part);
    return order != 0 ? order : strcmp(a->name, b->name);
}

/* What a function is sorted by. Its self and total times are those that gains are of. */
static void find_keys(const struct gain_view *view, double *keys,
                      const struct function *function, const struct gain_shares *shares)
{
    const struct figure_source source = report_source(view->report, false);
    const struct figure_subject subject = {function, function->timed};
    figures_keys(keys, &view->order, &source, &subject);
    for (size_t i = 0; i < view->order.count; i++) {
        const struct figure_key *key = &view->order.keys[i];
        if (key->figure == NULL || key->error)
            continue;
        double sign = key->ascending ? 1 : -1;
        if (strcmp(key->figure->id, "self") == 0)
            keys[i] = sign * shares->self.part;
        if (strcmp(key->figure->id, "total") == 0)
            keys[i] = sign * shares->total.part;
    }
}

static void collect(struct gain_view *view)
{
    const struct report *report = view->report;
    const struct analysis *analysis = report->analysis;
    double *keys = view->keys;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        const struct gain_shares *shares = &view->gains.items[i];
        double most = view->gains.totals ? shares->total.part : shares->self.part;
        bool shown = report->near == NULL || report->near[i];
        if (!shown || function->overhead || !(most > 0))
            continue;
        find_keys(view, keys, function, shares);
        view->rows[view->count++] =
            (struct gain_row){function->name, keys, shares->self, shares->total};
        keys += view->order.count;
    }
    if (view->count > 1)
        port_qsort_r(view->rows, view->count, sizeof *view->rows, by_key, &view->order);
}

static void print_title(const struct gain_view *view)
{
    const struct report *report = view->report;
    bool sampled = report->analysis->has_samples;
    char idle[48] = "";
    if (view->gains.idle > 0)
        snprintf(idle, sizeof idle, ", without its %.1f %% in idle tasks,",
                 100 * view->gains.idle);
    report_title(report, "If a function cost less",
                 "the run%s would be so many times as fast%s%s%s; free: at no cost", idle,
                 sampled ? ", " : "", sampled ? report_plus_minus(report) : "",
                 sampled ? " one standard error" : "");
}

static bool print(const struct gain_view *view, struct error *error)
{
    const struct report *report = view->report;
    struct table table = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .view = view,
        .rows = view->count,
        .knows = view->gains.totals ? (unsigned)NEEDS_PATHS : 0,
        .time_unit = "",
    };
    if (report->limit != 0 && report->limit < table.rows)
        table.rows = report->limit;
    print_title(view);
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, view->count - table.rows, "function", "functions");
    return true;
}

bool report_gains(const struct report *report, struct error *error)
{
    size_t functions = report->analysis->function_count;
    struct gain_view view = {.report = report, .order = *report->order};
    if (!gains_find(&view.gains, report->profile, report->analysis, report->image, error))
        return false;
    view.rows = calloc(functions + 1, sizeof *view.rows);
    view.keys = calloc(functions * view.order.count + 1, sizeof *view.keys);
    bool done = (view.rows != NULL && view.keys != NULL) ||
                error_set(error, EXIT_BAD_INPUT, "out of memory");
    if (done)
        collect(&view);
    if (done && view.count == 0)
        fputs("\nno times: nothing is known of gains\n", report->out);
    else if (done)
        done = print(&view, error);
    free(view.rows);
    free(view.keys);
    gains_release(&view.gains);
    return done;
}
