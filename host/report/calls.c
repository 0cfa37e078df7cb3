/* SPDX-License-Identifier: MIT */
/* Timed calls: one table of the functions that were called, one of the places in the code
 * that called them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/memstream.h"
#include "../port/sort.h"
#include "columns.h"
#include "report.h"

enum { NAME_MAX_WHOLE = 28 };

/* A row of either table. */
struct timed_row {
    struct timed timed;
    struct timed_errors errors;      /* of a function */
    const struct joules *self, *all; /* energies of a function; NULL: not known */
    const char *name;  /* name of the function; for a call site, of its caller */
    unsigned cycle;    /* cycle of the function; NO_CYCLE: none */
    bool rest;         /* not a function, but the time in no finished call */
    bool recursive;    /* a call site whose calls are part of other calls'
                        * time */
    char *text;        /* for a call site: caller and place */
    const char *other; /* for a call site: name of the callee */
    uint64_t address;
};

struct timed_table {
    const struct report *report;
    struct timed_row *rows;
    size_t count;
    struct time_scale sums, singles;
};

static const struct timed_row *row_of(const void *view, size_t row)
{
    const struct timed_table *table = view;
    return &table->rows[row];
}

static bool is_raw(const struct timed_table *table)
{
    return table->report->analysis->timed.raw;
}

/* ---- Cells ---- */

/* Whether the row is a cycle. A cycle's self time is in the rows of its members. */
static bool is_cycle(const struct timed_row *row)
{
    return row->name == NULL;
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct timed_table *table = view;
    if (is_cycle(row_of(view, row)))
        return;
    double percent = report_percent((double)row_of(view, row)->timed.self,
                                    (double)table->report->analysis->timed.program);
    snprintf(cell->text, sizeof cell->text, "%.2f", percent);
    cell->tint = row_of(view, row)->rest ? TINT_DIM : report_heat(percent);
}

static void cell_self(struct cell *cell, const void *view, size_t row)
{
    const struct timed_table *table = view;
    const struct timed_row *shown = row_of(view, row);
    if (is_cycle(shown))
        return;
    report_time(cell->text, sizeof cell->text, &table->sums, (double)shown->timed.self);
    cell->tint = shown->rest || shown->timed.self == 0 ? TINT_DIM : TINT_PLAIN;
}

static void cell_total(struct cell *cell, const void *view, size_t row)
{
    const struct timed_table *table = view;
    const struct timed *timed = &row_of(view, row)->timed;
    if (timed->calls > 0 && !row_of(view, row)->recursive)
        report_time(cell->text, sizeof cell->text, &table->sums, (double)timed->total);
    cell->tint = timed->total == 0 ? TINT_DIM : TINT_PLAIN;
}

/* A time's standard error, in per cent of it. */
static void cell_error(struct cell *cell, double error, uint64_t ticks)
{
    double percent = report_percent(error, (double)ticks);
    if (error > 0 && ticks > 0)
        snprintf(cell->text, sizeof cell->text, "%.*f", percent < 9.95 ? 1 : 0, percent);
    cell->tint = TINT_DIM;
}

static void cell_self_error(struct cell *cell, const void *view, size_t row)
{
    cell_error(cell, row_of(view, row)->errors.self, row_of(view, row)->timed.self);
}

static void cell_total_error(struct cell *cell, const void *view, size_t row)
{
    cell_error(cell, row_of(view, row)->errors.total, row_of(view, row)->timed.total);
}

static void put_energy(struct cell *cell, const void *view, const struct joules *energy)
{
    if (energy != NULL)
        report_energy(cell->text, sizeof cell->text,
                      ((const struct timed_table *)view)->report, energy);
}

static void cell_self_energy(struct cell *cell, const void *view, size_t row)
{
    put_energy(cell, view, row_of(view, row)->self);
}

static void cell_energy(struct cell *cell, const void *view, size_t row)
{
    put_energy(cell, view, row_of(view, row)->all);
}

static void cell_calls(struct cell *cell, const void *view, size_t row)
{
    const struct timed *timed = &row_of(view, row)->timed;
    if (timed->recursive > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64 "+%" PRIu64, timed->calls,
                 timed->recursive);
    else if (timed->calls > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64, timed->calls);
}

static void cell_single(struct cell *cell, const void *view, size_t row, double ticks)
{
    const struct timed_table *table = view;
    const struct timed_row *shown = row_of(view, row);
    if (shown->timed.calls > 0 && !(shown->recursive && is_raw(table)))
        report_time(cell->text, sizeof cell->text, &table->singles, ticks);
    cell->tint = ticks > 0 ? TINT_PLAIN : TINT_DIM;
}

static double mean_of(const struct timed *timed)
{
    return timed->calls > 0 ? (double)timed->total / (double)timed->calls : 0;
}

static void cell_mean(struct cell *cell, const void *view, size_t row)
{
    cell_single(cell, view, row, mean_of(&row_of(view, row)->timed));
}

static void cell_shortest(struct cell *cell, const void *view, size_t row)
{
    if (!is_raw(view))
        cell_single(cell, view, row, (double)row_of(view, row)->timed.shortest);
}

static void cell_longest(struct cell *cell, const void *view, size_t row)
{
    if (!is_raw(view))
        cell_single(cell, view, row, (double)row_of(view, row)->timed.longest);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    const struct timed_table *table = view;
    const struct timed_row *shown = row_of(view, row);
    bool at_most = table->report->analysis->timed.at_most;
    cell->string = shown->name;
    if (shown->rest) {
        cell->tint = TINT_DIM;
        snprintf(cell->suffix, sizeof cell->suffix, "%s", at_most ? " (at most)" : "");
    } else if (is_cycle(shown)) {
        snprintf(cell->text, sizeof cell->text, "<cycle %u as a whole>", shown->cycle);
    } else if (shown->cycle != NO_CYCLE) {
        snprintf(cell->suffix, sizeof cell->suffix, " <cycle %u>", shown->cycle);
    }
}

/* Writes "caller (file:line) -> callee". The callee is cut only if its own name is long.
 */
static void cell_site(struct cell *cell, const void *view, size_t row)
{
    const struct timed_table *table = view;
    const struct timed_row *site = row_of(view, row);
    const struct style *style = &table->report->style;
    cell->string = site->text;
    if (strlen(site->other) <= NAME_MAX_WHOLE)
        snprintf(cell->suffix, sizeof cell->suffix, "%s%s%s",
                 style->utf8 ? " → " : " -> ", site->other,
                 site->recursive ? " (recursive)" : "");
}

static const struct column function_columns[] = {
    {{"self", "%"}, .width = 6, .cell = cell_share},
    {{"self", NULL}, .width = 8, .cell = cell_self},
    {{"", "%"}, .drop = 4, .cell = cell_self_error},
    {{"total", NULL}, .width = 8, .cell = cell_total},
    {{"", "%"}, .drop = 4, .cell = cell_total_error},
    {{"self", NULL}, .needs = NEEDS_POWER, .cell = cell_self_energy},
    {{"total", NULL}, .needs = NEEDS_POWER, .drop = 1, .cell = cell_energy},
    {{"", "calls"}, .cell = cell_calls},
    {{"min", ""}, .drop = 3, .cell = cell_shortest},
    {{"mean", ""}, .drop = 1, .cell = cell_mean},
    {{"max", ""}, .drop = 2, .cell = cell_longest},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

static const struct column site_columns[] = {
    {{"self", "%"}, .width = 6, .drop = 4, .cell = cell_share},
    {{"self", NULL}, .width = 8, .drop = 5, .cell = cell_self},
    {{"total", NULL}, .width = 8, .cell = cell_total},
    {{"", "calls"}, .cell = cell_calls},
    {{"min", ""}, .drop = 3, .cell = cell_shortest},
    {{"mean", ""}, .drop = 1, .cell = cell_mean},
    {{"max", ""}, .drop = 2, .cell = cell_longest},
    {{"", "call site"}, .left = true, .cell = cell_site},
};
enum {
    FUNCTION_COLUMNS = sizeof function_columns / sizeof function_columns[0],
    SITE_COLUMNS = sizeof site_columns / sizeof site_columns[0],
};
_Static_assert(SITE_COLUMNS <= FUNCTION_COLUMNS, "print() has room for either");

/* ---- Rows ---- */

static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int by_name(const struct timed_row *a, const struct timed_row *b)
{
    int order = strcmp(a->name != NULL ? a->name : "", b->name != NULL ? b->name : "");
    if (order == 0 && a->other != NULL && b->other != NULL)
        order = strcmp(a->other, b->other);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_key(const void *left, const void *right, void *context)
{
    const struct timed_row *a = left, *b = right;
    const enum report_sort *sort = context;
    int order = 0;
    if (a->rest != b->rest)
        return a->rest ? 1 : -1;
    if (*sort == SORT_NAME)
        return by_name(a, b);
    if (*sort == SORT_CALLS)
        order = descending(a->timed.calls + a->timed.recursive,
                           b->timed.calls + b->timed.recursive);
    if (*sort == SORT_TOTAL)
        order = descending(a->timed.total, b->timed.total);
    if (order == 0)
        order = descending(a->timed.self, b->timed.self);
    if (order == 0)
        order = descending(a->timed.total, b->timed.total);
    return order != 0 ? order : by_name(a, b);
}

static void sort(struct timed_table *table)
{
    enum report_sort by = table->report->sort;
    if (table->count > 1)
        port_qsort_r(table->rows, table->count, sizeof *table->rows, by_key, &by);
}

/* Whether the energy of functions is by the times of their calls. */
static bool has_energy(const struct report *report)
{
    return report->energy != NULL && report->energy->source == ENERGY_TIMED;
}

static void collect_functions(struct timed_table *table)
{
    const struct report *report = table->report;
    const struct analysis *analysis = report->analysis;
    bool energy = has_energy(report);
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        if (function->timed->calls + function->timed->recursive == 0 ||
            (report->near != NULL && !report->near[i]))
            continue;
        table->rows[table->count++] =
            (struct timed_row){.timed = *function->timed,
                               .errors = analysis_timed_errors(analysis, function),
                               .self = energy ? &report->energy->functions.self[i] : NULL,
                               .all = energy ? &report->energy->functions.total[i] : NULL,
                               .name = function->name,
                               .cycle = function->cycle,
                               .address = function->address};
    }
    for (size_t i = 0; i < analysis->cycle_count && report->near == NULL; i++) {
        const struct cycle *cycle = &analysis->cycles[i];
        if (cycle->timed.calls + cycle->timed.recursive > 0)
            table->rows[table->count++] =
                (struct timed_row){.timed = cycle->timed, .cycle = cycle->number};
    }
    sort(table);
}

/* Adds the time in no finished call; it comes last, whatever the limit. */
static void add_rest(struct timed_table *table, size_t shown)
{
    const struct timed_run *timed = &table->report->analysis->timed;
    if (table->report->near == NULL && timed->unfinished > 0)
        table->rows[shown++] = (struct timed_row){
            .timed.self = timed->unfinished, .name = TIMED_UNFINISHED, .rest = true};
    table->count = shown;
}

/* "main (main.c:12)"; where no line is known the address, or "main (inlined)". */
static char *site_text(const struct report *report, const struct call_site *site)
{
    const struct analysis *analysis = report->analysis;
    struct image_line line = {0};
    const char *file = NULL, *arrow = report->style.utf8 ? " → " : " -> ";
    const char *callee = analysis->functions[site->callee].name;
    bool by_hardware = arch_exception_return(site->from) && !site->inlined;
    char *text = NULL;
    size_t size;
    FILE *out = port_open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    if (site->inlined)
        line = site->where;
    else if (site->caller != NO_FUNCTION)
        image_lines(report->image, site->from - 1, &line, 1);
    if (line.file != NULL)
        file = strrchr(line.file, '/') != NULL ? strrchr(line.file, '/') + 1 : line.file;
    fputs(site->caller != NO_FUNCTION
              ? analysis->functions[site->caller].name
              : call_path_above(by_hardware ? STACK_INTERRUPT : STACK_UNSURE),
          out);
    if (file != NULL)
        fprintf(out, " (%s:%u)", file, line.line);
    else if (site->inlined)
        fputs(" (inlined)", out);
    else if (!by_hardware)
        fprintf(out, " (0x%" PRIx64 ")", site->from);
    if (strlen(callee) > NAME_MAX_WHOLE)
        fprintf(out, "%s%s%s", arrow, callee, site->recursive ? " (recursive)" : "");
    memstream_close(out, &text);
    return text;
}

static bool is_focused(const struct report *report, const struct call_site *site)
{
    return report->focus == NULL || report->focus[site->callee] ||
           (site->caller != NO_FUNCTION && report->focus[site->caller]);
}

static bool collect_sites(struct timed_table *table)
{
    const struct report *report = table->report;
    const struct analysis *analysis = report->analysis;
    for (size_t i = 0; i < analysis->site_count; i++) {
        const struct call_site *site = &analysis->sites[i];
        struct timed_row *row = &table->rows[table->count];
        if (!is_focused(report, site))
            continue;
        *row = (struct timed_row){
            .timed = {site->count, 0, site->took.self, site->took.total,
                      site->took.shortest, site->took.longest, 0},
            .name =
                site->caller != NO_FUNCTION ? analysis->functions[site->caller].name : "",
            .other = analysis->functions[site->callee].name,
            .recursive = site->recursive,
            .text = site_text(report, site),
            .address = site->from,
        };
        if (row->text == NULL)
            return false;
        table->count++;
    }
    sort(table);
    return true;
}

/* ---- Tables ---- */

static void choose_scales(struct timed_table *table)
{
    double least = 0, most = 0;
    for (size_t i = 0; i < table->count; i++) {
        double mean = mean_of(&table->rows[i].timed);
        most = mean > most ? mean : most;
        least = mean > 0 && (least == 0 || mean < least) ? mean : least;
    }
    table->sums = report_ticks_scale(table->report);
    table->singles = report_single_scale(table->report, least, most);
}

static void title(const struct report *report, const char *name, const char *more)
{
    report_title(report, name, "%s%s",
                 report->analysis->timed.raw
                     ? "computed: measured, the profiler's own time put back"
                     : "measured",
                 more);
}

static bool has_errors(const struct timed_table *view)
{
    for (size_t i = 0; i < view->count; i++)
        if (view->rows[i].errors.self > 0)
            return true;
    return false;
}

/* Prints a table. min, mean and max have a unit of their own, in the second line of their
 * headings. */
static bool print(const struct timed_table *view, const struct column *columns,
                  size_t count, size_t left_out, const char *one, const char *many,
                  struct error *error)
{
    const struct report *report = view->report;
    struct column shown[FUNCTION_COLUMNS];
    struct table table = {
        .columns = shown,
        .view = view,
        .rows = view->count,
        .knows = has_energy(report) ? (unsigned)NEEDS_POWER : 0,
        .time_unit = view->sums.unit,
        .energy_unit = report_energy_scale(report).unit,
    };
    for (size_t i = 0; i < count; i++) {
        bool single = i + 4 >= count && i + 1 < count;
        bool extreme =
            columns[i].cell == cell_shortest || columns[i].cell == cell_longest;
        bool is_error =
            columns[i].cell == cell_self_error || columns[i].cell == cell_total_error;
        if ((extreme && is_raw(view)) || (is_error && !has_errors(view)))
            continue;
        shown[table.column_count] = columns[i];
        if (is_error)
            shown[table.column_count].title[0] = report_plus_minus(report);
        if (single)
            shown[table.column_count].title[1] = view->singles.unit;
        table.column_count++;
    }
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, left_out, one, many);
    return true;
}

static bool table_init(struct timed_table *table, const struct report *report,
                       size_t rows, struct error *error)
{
    *table = (struct timed_table){.report = report};
    table->rows = calloc(rows + 1, sizeof *table->rows);
    return table->rows != NULL || error_set(error, EXIT_BAD_INPUT, "out of memory");
}

static size_t limited(const struct timed_table *table)
{
    size_t limit = table->report->limit;
    return limit != 0 && limit < table->count ? limit : table->count;
}

static const char *recursion_note(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->site_count; i++)
        if (analysis->sites[i].recursive)
            return "; calls n+m: m recursive, in the time of the n";
    return "";
}

bool report_timed(const struct report *report, struct error *error)
{
    const struct analysis *analysis = report->analysis;
    struct timed_table table;
    if (!table_init(&table, report, analysis->function_count + analysis->cycle_count + 1,
                    error))
        return false;
    collect_functions(&table);
    choose_scales(&table);
    size_t all = table.count, shown = limited(&table);
    add_rest(&table, shown);
    title(report, "Timed calls", recursion_note(analysis));
    bool done = print(&table, function_columns, FUNCTION_COLUMNS, all - shown, "function",
                      "functions", error);
    free(table.rows);
    return done;
}

bool report_sites(const struct report *report, struct error *error)
{
    struct timed_table table;
    if (!table_init(&table, report, report->analysis->site_count, error))
        return false;
    bool done = collect_sites(&table);
    size_t all = table.count;
    if (done) {
        choose_scales(&table);
        table.count = limited(&table);
        title(report, "Call sites", "");
        done = print(&table, site_columns, SITE_COLUMNS, all - table.count, "call site",
                     "call sites", error);
    } else {
        error_set(error, EXIT_BAD_INPUT, "out of memory");
    }
    for (size_t i = 0; i < all; i++)
        free(table.rows[i].text);
    free(table.rows);
    return done;
}
