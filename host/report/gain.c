/* SPDX-License-Identifier: MIT */
/* How much faster the run would be if a function cost nothing, or half: what is left of
 * it bounds that (G. Amdahl, "Validity of the Single Processor Approach to Achieving
 * Large Scale Computing Capabilities", AFIPS 1967). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "report.h"

enum { DECIMALS_MAX = 4, DECIMALS_EXACT = 3 };

/* A share of the run, 0 to 1, and its standard error; 0: exact. */
struct share {
    double part, error;
};

struct gain_row {
    const char *name;
    struct share self, total;
};

struct gains {
    const struct report *report;
    struct gain_row *rows;
    size_t count;
};

static struct share sampled(const struct analysis *analysis, double time)
{
    double samples = time * analysis->hz, all = analysis->program * analysis->hz;
    if (!(all > 0))
        return (struct share){0, 0};
    return (struct share){fmin(samples / all, 1),
                          analysis_error(analysis, samples) / all};
}

static struct share timed(const struct analysis *analysis, uint64_t ticks)
{
    double all = (double)analysis->timed.program;
    return (struct share){all > 0 ? fmin((double)ticks / all, 1) : 0, 0};
}

static const struct gain_row *row_of(const void *view, size_t row)
{
    const struct gains *gains = view;
    return &gains->rows[row];
}

/* ---- Cells ---- */

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct gains *gains = view;
    const struct analysis *analysis = gains->report->analysis;
    double part = row_of(view, row)->self.part;
    if (analysis->has_samples)
        report_share(cell->text, sizeof cell->text, gains->report,
                     part * analysis->program, analysis->program);
    else
        snprintf(cell->text, sizeof cell->text, "%.2f", 100 * part);
    cell->tint = report_heat(100 * part);
}

/* Puts "×1.25 ±0.03": so many times as fast is the run without that part of the share.
 * Nothing is put where the share is nothing, or no less than all that there is. */
static void put_gain(struct cell *cell, const void *view, struct share share, double part)
{
    const struct gains *gains = view;
    double left = 1 - part * share.part, error;
    if (share.part <= 0 || left <= 2 * part * share.error || left < 1e-6)
        return;
    error = part * share.error / (left * left);
    int decimals = error > 0 ? report_decimals(error) : DECIMALS_EXACT;
    decimals = decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
    int used = snprintf(cell->text, sizeof cell->text, "%s%.*f",
                        gains->report->style.utf8 ? "×" : "x", decimals, 1 / left);
    if (error > 0)
        snprintf(cell->text + used, sizeof cell->text - (size_t)used, " %s%.*f",
                 report_plus_minus(gains->report), decimals, error);
}

static void cell_self_free(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, row_of(view, row)->self, 1);
}

static void cell_self_half(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, row_of(view, row)->self, 0.5);
}

static void cell_total_free(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, row_of(view, row)->total, 1);
}

static void cell_total_half(struct cell *cell, const void *view, size_t row)
{
    put_gain(cell, view, row_of(view, row)->total, 0.5);
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
    const enum report_sort *sort = context;
    int order = *sort == SORT_TOTAL  ? descending(a->total.part, b->total.part)
                : *sort == SORT_NAME ? strcmp(a->name, b->name)
                                     : 0;
    if (order == 0)
        order = descending(a->self.part, b->self.part);
    if (order == 0)
        order = descending(a->total.part, b->total.part);
    return order != 0 ? order : strcmp(a->name, b->name);
}

/* Estimated totals are too unsure to promise anything of them. */
static bool has_totals(const struct analysis *analysis)
{
    return analysis->measured || !analysis->has_samples;
}

static void collect(struct gains *gains)
{
    const struct report *report = gains->report;
    const struct analysis *analysis = report->analysis;
    enum report_sort by = report->sort;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        const struct timed *calls = function->timed;
        struct gain_row row = {.name = function->name};
        row.self = analysis->has_samples ? sampled(analysis, function->self)
                                         : timed(analysis, calls->self);
        row.total = analysis->has_samples
                        ? sampled(analysis, function->total)
                        : timed(analysis, calls->self + calls->children);
        double most = has_totals(analysis) ? row.total.part : row.self.part;
        bool shown = report->near == NULL || report->near[i];
        if (shown && !function->overhead && most > 0)
            gains->rows[gains->count++] = row;
    }
    if (gains->count > 1)
        qsort_r(gains->rows, gains->count, sizeof *gains->rows, by_key, &by);
}

static bool print(const struct gains *gains, struct error *error)
{
    const struct report *report = gains->report;
    const struct analysis *analysis = report->analysis;
    struct table table = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .view = gains,
        .rows = gains->count,
        .knows = has_totals(analysis) ? (unsigned)NEEDS_PATHS : 0,
        .time_unit = "",
    };
    if (report->limit != 0 && report->limit < table.rows)
        table.rows = report->limit;
    report_title(report, "If a function cost less",
                 "the run would be so many times as fast%s%s%s; free: at no cost",
                 analysis->has_samples ? ", " : "",
                 analysis->has_samples ? report_plus_minus(report) : "",
                 analysis->has_samples ? " one standard error" : "");
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, gains->count - table.rows, "function", "functions");
    return true;
}

bool report_gains(const struct report *report, struct error *error)
{
    struct gains gains = {.report = report};
    gains.rows = calloc(report->analysis->function_count + 1, sizeof *gains.rows);
    if (gains.rows == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    collect(&gains);
    bool done = true;
    if (gains.count == 0)
        fputs("\nno times: nothing is known of gains\n", report->out);
    else
        done = print(&gains, error);
    free(gains.rows);
    return done;
}
