/* SPDX-License-Identifier: MIT */
/* Timed calls: one table of the functions that were called, one of the places in the code
 * that called them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/memstream.h"
#include "../base/path.h"
#include "../hook_cost/timed.h"
#include "../port/sort.h"
#include "../port/stream.h"
#include "columns.h"
#include "report.h"

enum { NAME_MAX_WHOLE = 28 };

/* A row of either table. */
struct timed_row {
    const struct function *function; /* NULL: a cycle, a call site or the rest */
    struct timed timed;
    const double *keys; /* the figures it is sorted by */
    const char *name;   /* name of the function; for a call site, of its caller */
    unsigned cycle;     /* cycle of the function; NO_CYCLE: none */
    bool rest;          /* not a function, but the time in no finished call */
    bool recursive;     /* a call site whose calls are part of other calls'
                         * time */
    char *text;         /* for a call site: caller and place */
    const char *other;  /* for a call site: name of the callee */
    uint64_t address;
};

struct timed_table {
    struct figure_view view;
    struct figure_list order; /* of figures of timed calls */
    struct timed_row *rows;
    double *keys;
    size_t count;
};

static const struct timed_row *row_of(const void *view, size_t row)
{
    const struct timed_table *table = view;
    return &table->rows[row];
}

/* ---- Cells ---- */

/* Whether the row is a cycle. A cycle's self time is in the rows of its members. */
static bool is_cycle(const struct timed_row *row)
{
    return row->name == NULL;
}

static bool is_of_self(const struct figure *figure)
{
    return strncmp(figure->id, "timed_self", 10) == 0;
}

/* Whether a row has no such figure: the total of recursive calls is in that of others,
 * and so is what the profiler took of it. */
static bool is_blank(const struct timed_table *table, const struct timed_row *row,
                     const struct figure *figure)
{
    if (is_cycle(row) && is_of_self(figure))
        return true;
    return row->recursive && (figure->unit == UNIT_TICKS_A_CALL
                                  ? table->view.source.analysis->timed.raw
                                  : figure->unit == UNIT_TICKS && !is_of_self(figure));
}

static void cell_figure(struct cell *cell, const struct column *column, const void *view,
                        size_t row)
{
    const struct timed_table *table = view;
    const struct timed_row *shown = row_of(view, row);
    const struct figure_subject subject = {shown->function, &shown->timed};
    const struct measure measure =
        figure_of(column->key.figure, &table->view.source, &subject);
    if (!is_blank(table, shown, column->key.figure))
        report_figure(cell, &table->view, &column->key, &measure);
    if (shown->rest)
        cell->tint = TINT_DIM;
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    const struct timed_table *table = view;
    const struct timed_row *shown = row_of(view, row);
    bool at_most = table->view.source.analysis->timed.at_most;
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
    const struct style *style = &table->view.report->style;
    cell->string = site->text;
    if (strlen(site->other) <= NAME_MAX_WHOLE)
        snprintf(cell->suffix, sizeof cell->suffix, "%s%s%s",
                 style->utf8 ? " → " : " -> ", site->other,
                 site->recursive ? " (recursive)" : "");
}

/* Beside enum column_needs: some error is known. */
enum { NEEDS_ERRORS = 1 << 16 };

static const struct column function_columns[] = {
    {.id = "timed_self_percent", .width = 6},
    {.id = "timed_self", .width = 8},
    {.id = "timed_self_error", .needs = NEEDS_ERRORS, .drop = 4},
    {.id = "timed_total", .width = 8},
    {.id = "timed_total_error", .needs = NEEDS_ERRORS, .drop = 4},
    {.id = "self_energy"},
    {.id = "total_energy", .drop = 1},
    {.id = "timed_calls"},
    {.id = "min", .drop = 3},
    {.id = "mean", .drop = 1},
    {.id = "max", .drop = 2},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

static const struct column site_columns[] = {
    {.id = "timed_self_percent", .width = 6, .drop = 4},
    {.id = "timed_self", .width = 8, .drop = 5},
    {.id = "timed_total", .width = 8},
    {.id = "timed_calls"},
    {.id = "min", .drop = 3},
    {.id = "mean", .drop = 1},
    {.id = "max", .drop = 2},
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
    const struct figure_list *order = context;
    if (a->rest != b->rest)
        return a->rest ? 1 : -1;
    if (figures_by_name(order))
        return order->keys[0].ascending ? by_name(a, b) : by_name(b, a);
    int compared = figures_compare(order, a->keys, a->name != NULL ? a->name : "",
                                   b->keys, b->name != NULL ? b->name : "");
    if (compared == 0)
        compared = descending(a->timed.self, b->timed.self);
    if (compared == 0)
        compared = descending(a->timed.total, b->timed.total);
    return compared != 0 ? compared : by_name(a, b);
}

static void sort(struct timed_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct timed_row *row = &table->rows[i];
        const struct figure_subject subject = {row->function, &row->timed};
        double *keys = table->keys + i * table->order.count;
        figures_keys(keys, &table->order, &table->view.source, &subject);
        row->keys = keys;
    }
    if (table->count > 1)
        port_qsort_r(table->rows, table->count, sizeof *table->rows, by_key,
                     &table->order);
}

static void collect_functions(struct timed_table *table)
{
    const struct report *report = table->view.report;
    const struct analysis *analysis = report->analysis;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        if (function->timed->calls + function->timed->recursive == 0 ||
            (report->near != NULL && !report->near[i]))
            continue;
        table->rows[table->count++] = (struct timed_row){.function = function,
                                                         .timed = *function->timed,
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
    const struct timed_run *timed = &table->view.report->analysis->timed;
    if (table->view.report->near == NULL && timed->unfinished > 0)
        table->rows[shown++] = (struct timed_row){
            .timed.self = timed->unfinished, .name = TIMED_UNFINISHED, .rest = true};
    table->count = shown;
}

/* "main (main.c:12)"; where no line is known the address, or "main (inlined)". */
static char *site_text(const struct report *report, const struct call_site *site)
{
    const struct analysis *analysis = report->analysis;
    struct image_line line = {0};
    const char *arrow = report->style.utf8 ? " → " : " -> ";
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
    const char *file = path_tail(line.file, 1);
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
    const struct report *report = table->view.report;
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
        const struct timed *timed = &table->rows[i].timed;
        double mean = timed->calls > 0 ? (double)timed->total / (double)timed->calls : 0;
        most = mean > most ? mean : most;
        least = mean > 0 && (least == 0 || mean < least) ? mean : least;
    }
    table->view.sums = report_ticks_scale(table->view.report);
    table->view.singles = report_single_scale(table->view.report, least, most);
}

static void title(const struct report *report, const char *name, const char *more)
{
    report_title(report, name, "%s%s",
                 report->analysis->timed.raw
                     ? "computed: measured, the profiler's own time put back"
                     : "measured",
                 more);
}

static bool has_errors(const struct timed_table *table)
{
    const struct analysis *analysis = table->view.source.analysis;
    for (size_t i = 0; i < table->count; i++) {
        const struct function *function = table->rows[i].function;
        if (function != NULL && analysis_timed_errors(analysis, function).self > 0)
            return true;
    }
    return false;
}

/* Whether the energy of functions is by the times of their calls. */
static bool has_energy(const struct report *report)
{
    return report->energy != NULL && report->energy->source == ENERGY_TIMED;
}

/* Prints a table. min, mean and max have a unit of their own, in the second line of their
 * headings. */
static bool print(const struct timed_table *shown, const struct column *columns,
                  size_t count, size_t left_out, const char *one, const char *many,
                  struct error *error)
{
    const struct report *report = shown->view.report;
    struct column filled[FUNCTION_COLUMNS];
    struct table table = {
        .columns = filled,
        .column_count = count,
        .view = shown,
        .rows = shown->count,
        .knows = report_knows(report) | (has_errors(shown) ? (unsigned)NEEDS_ERRORS : 0),
        .figure = cell_figure,
    };
    if (!has_energy(report))
        table.knows &= ~(unsigned)NEEDS_ENERGY;
    report_columns(filled, columns, count, &shown->view);
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, left_out, one, many);
    return true;
}

static bool table_init(struct timed_table *table, const struct report *report,
                       size_t rows, struct error *error)
{
    *table = (struct timed_table){
        .view = {.report = report, .source = report_source(report, false), .calls = true},
        .order = figures_of_calls(report->order),
        .rows = calloc(rows + 1, sizeof *table->rows),
        .keys = calloc(rows * report->order->count + 1, sizeof *table->keys),
    };
    return (table->rows != NULL && table->keys != NULL) ||
           error_set(error, EXIT_BAD_INPUT, "out of memory");
}

static void table_release(struct timed_table *table, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        free(table->rows[i].text);
    free(table->rows);
    free(table->keys);
}

static size_t limited(const struct timed_table *table)
{
    size_t limit = table->view.report->limit;
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
    bool done = table_init(&table, report,
                           analysis->function_count + analysis->cycle_count + 1, error);
    if (done) {
        collect_functions(&table);
        choose_scales(&table);
        size_t all = table.count, shown = limited(&table);
        add_rest(&table, shown);
        title(report, "Timed calls", recursion_note(analysis));
        done = print(&table, function_columns, FUNCTION_COLUMNS, all - shown, "function",
                     "functions", error);
    }
    table_release(&table, 0);
    return done;
}

bool report_sites(const struct report *report, struct error *error)
{
    struct timed_table table;
    bool done =
        table_init(&table, report, report->analysis->site_count, error) &&
        (collect_sites(&table) || error_set(error, EXIT_BAD_INPUT, "out of memory"));
    size_t all = table.count;
    if (done) {
        choose_scales(&table);
        table.count = limited(&table);
        title(report, "Call sites", "");
        done = print(&table, site_columns, SITE_COLUMNS, all - table.count, "call site",
                     "call sites", error);
    }
    table_release(&table, all);
    return done;
}
