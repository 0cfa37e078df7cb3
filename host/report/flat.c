/* SPDX-License-Identifier: MIT */
/* The flat profile: a row for each function, then what the profiler itself took. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/digits.h"
#include "../base/select.h"
#include "columns.h"
#include "report.h"

/* Functions in the order in which they are shown. */
struct flat {
    const struct report *report;
    const struct function **rows;
    size_t count;
    double whole; /* the time that is 100 % */
    struct time_scale scale;
};

static const struct function *row_of(const void *view, size_t row)
{
    const struct flat *flat = view;
    return flat->rows[row];
}

static void put_share(struct cell *cell, const struct flat *flat, double time)
{
    report_share(cell->text, sizeof cell->text, flat->report, time, flat->whole);
    cell->tint = report_heat(report_percent(time, flat->whole));
}

static void put_time(struct cell *cell, const struct flat *flat, double time)
{
    report_sampled(cell->text, sizeof cell->text, flat->report, time);
    cell->tint = time > 0 ? TINT_PLAIN : TINT_DIM;
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    put_share(cell, view, row_of(view, row)->self);
}

static void cell_self(struct cell *cell, const void *view, size_t row)
{
    put_time(cell, view, row_of(view, row)->self);
}

static void cell_total_share(struct cell *cell, const void *view, size_t row)
{
    const struct flat *flat = view;
    const struct function *function = row_of(view, row);
    report_total_share(cell->text, sizeof cell->text, flat->report, function->total,
                       function->unseen, flat->whole);
    cell->tint = report_heat(report_percent(function->total, flat->whole));
}

static void cell_total(struct cell *cell, const void *view, size_t row)
{
    const struct flat *flat = view;
    const struct function *function = row_of(view, row);
    report_total(cell->text, sizeof cell->text, flat->report, function->total,
                 function->unseen);
    cell->tint = function->total > 0 ? TINT_PLAIN : TINT_DIM;
}

static void cell_estimate(struct cell *cell, const void *view, size_t row)
{
    const struct flat *flat = view;
    double total = row_of(view, row)->total;
    report_estimate(cell->text, sizeof cell->text, flat->report, total);
    cell->tint = total > 0 ? TINT_PLAIN : TINT_DIM;
}

/* Whether there were more calls than are known, and nobody can say how many. */
static bool is_open(const struct flat *flat)
{
    return profile_misses_some(flat->report->profile);
}

static void cell_calls(struct cell *cell, const void *view, size_t row)
{
    const struct function *function = row_of(view, row);
    if (function->self_calls > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64 "+%" PRIu64, function->calls,
                 function->self_calls);
    else if (function->calls > 0)
        digits_whole(cell->text, sizeof cell->text, is_open(view) ? "\u2265" : "",
                     function->calls, "");
}

static void per_call(struct cell *cell, const void *view, size_t row, double seconds)
{
    const struct flat *flat = view;
    uint64_t calls = row_of(view, row)->calls;
    char *text = cell->text;
    size_t size = sizeof cell->text;
    if (calls == 0 || !(seconds > 0))
        return;
    if (is_open(flat)) {
        *text++ = '<';
        size--;
    }
    report_duration(text, size, flat->report, seconds / (double)calls);
}

static void cell_self_per_call(struct cell *cell, const void *view, size_t row)
{
    per_call(cell, view, row, row_of(view, row)->self);
}

static void cell_total_per_call(struct cell *cell, const void *view, size_t row)
{
    per_call(cell, view, row, row_of(view, row)->total);
}

static void put_energy(struct cell *cell, const void *view, size_t row, bool total)
{
    const struct flat *flat = view;
    const struct energy_functions *functions = &flat->report->energy->functions;
    const struct joules *all = total ? functions->total : functions->self;
    size_t at = (size_t)(row_of(view, row) - flat->report->analysis->functions);
    report_energy(cell->text, sizeof cell->text, flat->report, &all[at]);
    cell->tint = all[at].joules > 0 ? TINT_PLAIN : TINT_DIM;
}

static void cell_energy(struct cell *cell, const void *view, size_t row)
{
    put_energy(cell, view, row, false);
}

static void cell_total_energy(struct cell *cell, const void *view, size_t row)
{
    put_energy(cell, view, row, true);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    cell->string = row_of(view, row)->name;
    cell->tint = row_of(view, row)->overhead ? TINT_DIM : TINT_PLAIN;
}

static const struct column columns[] = {
    {{"self", "%"}, .needs = NEEDS_SAMPLES, .width = 6, .cell = cell_share},
    {{"self", NULL}, .needs = NEEDS_SAMPLES, .width = 13, .cell = cell_self},
    {{"total~", NULL},
     .needs = NEEDS_SAMPLES | NEEDS_CALLS | NEEDS_ESTIMATE,
     .drop = 1,
     .cell = cell_estimate},
    {{"total", "%"},
     .needs = NEEDS_SAMPLES | NEEDS_PATHS,
     .drop = 1,
     .cell = cell_total_share},
    {{"total", NULL}, .needs = NEEDS_SAMPLES | NEEDS_PATHS, .cell = cell_total},
    {{"self", NULL}, .needs = NEEDS_SAMPLES | NEEDS_POWER, .cell = cell_energy},
    {{"total~", NULL},
     .needs = NEEDS_SAMPLES | NEEDS_CALLS | NEEDS_ESTIMATE | NEEDS_POWER,
     .drop = 1,
     .cell = cell_total_energy},
    {{"total", NULL},
     .needs = NEEDS_SAMPLES | NEEDS_PATHS | NEEDS_POWER,
     .drop = 1,
     .cell = cell_total_energy},
    {{"", "calls"}, .needs = NEEDS_CALLS, .cell = cell_calls},
    {{"self", "/call"},
     .needs = NEEDS_RATE | NEEDS_CALLS,
     .drop = 3,
     .cell = cell_self_per_call},
    {{"total~", "/call"},
     .needs = NEEDS_RATE | NEEDS_CALLS | NEEDS_ESTIMATE,
     .drop = 2,
     .cell = cell_total_per_call},
    {{"total", "/call"},
     .needs = NEEDS_RATE | NEEDS_CALLS | NEEDS_PATHS,
     .drop = 2,
     .cell = cell_total_per_call},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

/* The profiler's own functions have only a measured time. */
static const struct column overhead_columns[] = {
    {{"", ""}, .needs = NEEDS_SAMPLES, .width = 6, .cell = cell_share},
    {{"", ""}, .needs = NEEDS_SAMPLES, .width = 13, .cell = cell_self},
    {{"", ""}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

static int by_descending(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_self(const void *left, const void *right)
{
    const struct function *a = *(const struct function *const *)left;
    const struct function *b = *(const struct function *const *)right;
    int order = by_descending(a->self, b->self);
    if (order == 0)
        order = by_descending((double)a->calls, (double)b->calls);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_total(const void *left, const void *right)
{
    const struct function *a = *(const struct function *const *)left;
    const struct function *b = *(const struct function *const *)right;
    int order = by_descending(a->total, b->total);
    return order != 0 ? order : by_self(left, right);
}

static int by_calls(const void *left, const void *right)
{
    const struct function *a = *(const struct function *const *)left;
    const struct function *b = *(const struct function *const *)right;
    int order = by_descending((double)a->calls + (double)a->self_calls,
                              (double)b->calls + (double)b->self_calls);
    return order != 0 ? order : by_self(left, right);
}

static int by_name(const void *left, const void *right)
{
    const struct function *a = *(const struct function *const *)left;
    const struct function *b = *(const struct function *const *)right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : by_self(left, right);
}

static int (*const orders[])(const void *, const void *) = {
    [SORT_SELF] = by_self,
    [SORT_TOTAL] = by_total,
    [SORT_CALLS] = by_calls,
    [SORT_NAME] = by_name,
};

static void collect(struct flat *flat, bool overhead)
{
    const struct analysis *analysis = flat->report->analysis;
    flat->count = 0;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        bool wanted = overhead ? function->self > 0
                               : flat->report->near == NULL || flat->report->near[i];
        bool nothing =
            function->total <= 0 && function->calls == 0 && function->self_calls == 0;
        if (function->overhead == overhead && wanted && !nothing)
            flat->rows[flat->count++] = function;
    }
    size_t shown = flat->report->limit != 0 ? flat->report->limit : flat->count;
    sort_first(flat->rows, flat->count, sizeof *flat->rows, shown,
               orders[flat->report->sort]);
}

static bool print(const struct flat *flat, const struct column *shown, size_t shown_count,
                  bool heading, struct error *error)
{
    const struct report *report = flat->report;
    struct table table = {
        .columns = shown,
        .column_count = shown_count,
        .view = flat,
        .rows = flat->count,
        .knows = report_knows(report),
        .time_unit = flat->scale.unit,
        .energy_unit = report_energy_scale(report).unit,
        .no_heading = !heading,
    };
    if (report->limit != 0 && report->limit < table.rows)
        table.rows = report->limit;
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, flat->count - table.rows, "function", "functions");
    return true;
}

/* Whether some function has no sample. */
static bool any_unseen(const struct flat *flat)
{
    for (size_t i = 0; i < flat->count; i++)
        if (flat->rows[i]->self <= 0)
            return true;
    return false;
}

static void title(const struct flat *flat)
{
    const struct report *report = flat->report;
    unsigned knows = report_knows(report);
    bool unseen = any_unseen(flat);
    bool estimates = (knows & NEEDS_CALLS) != 0 && (knows & NEEDS_ESTIMATE) != 0;
    if ((knows & NEEDS_SAMPLES) == 0)
        report_title(report, "Flat profile", "%s", "");
    else
        report_title(report, "Flat profile", "measured, %s one standard error%s%s%s",
                     report_plus_minus(report), unseen ? ", < below (95 %)" : "",
                     estimates ? "; ~ estimated" : "",
                     estimates && !unseen ? " from the calls" : "");
}

static bool print_overhead(struct flat *flat, struct error *error)
{
    const struct report *report = flat->report;
    collect(flat, true);
    if (flat->count == 0 || report->near != NULL)
        return true;
    flat->whole = report->analysis->total;
    fputc('\n', report->out);
    style_words(&report->style, report->out,
                "The profiler's own, not in the figures above; % of all time sampled", 0,
                0, CUT_PATH);
    fputs("\n\n", report->out);
    return print(flat, overhead_columns,
                 sizeof overhead_columns / sizeof overhead_columns[0], false, error);
}

bool report_flat(const struct report *report, struct error *error)
{
    struct flat flat = {
        .report = report,
        .whole = report->analysis->program,
        .scale = report_time_scale(report),
    };
    flat.rows = calloc(report->analysis->function_count + 1, sizeof(void *));
    if (flat.rows == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    collect(&flat, false);
    title(&flat);
    bool done = true;
    if (flat.count == 0)
        fputs("nothing was counted\n", report->out);
    else
        done = print(&flat, columns, sizeof columns / sizeof columns[0], true, error);
    done = done && print_overhead(&flat, error);
    free(flat.rows);
    return done;
}
