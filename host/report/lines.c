/* SPDX-License-Identifier: MIT */
/* Time by source line; inlined calls have lines of their own. */
#include <stdlib.h>
#include <string.h>

#include "../analysis/tally.h"
#include "../base/compare.h"
#include "../base/vector.h"
#include "columns.h"
#include "report.h"

enum { INLINED_MAX = 32 };

/* A source line of a function, as part of the function it was compiled into. */
struct source_line {
    const char *file; /* as debug information has it; NULL: unknown */
    char *shown;      /* the same path without "DIR/..": owned */
    unsigned line;
    const char *function; /* the function whose source it is */
    const char *into;     /* the function it was inlined into; NULL: not inlined */
    double samples;
};

struct source_lines {
    const struct report *report;
    struct source_line *rows;
    size_t count, room;
    size_t known;     /* rows with a file */
    size_t directory; /* length of the directory that all files share */
};

static const struct source_line *row_of(const void *view, size_t row)
{
    const struct source_lines *lines = view;
    return &lines->rows[row];
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct source_lines *lines = view;
    double time = row_of(view, row)->samples / lines->report->analysis->hz;
    double whole = lines->report->analysis->program;
    report_share(cell->text, sizeof cell->text, lines->report, time, whole);
    cell->tint = report_heat(report_percent(time, whole));
}

static void cell_self(struct cell *cell, const void *view, size_t row)
{
    const struct source_lines *lines = view;
    report_sampled(cell->text, sizeof cell->text, lines->report,
                   row_of(view, row)->samples / lines->report->analysis->hz);
}

static void cell_file(struct cell *cell, const void *view, size_t row)
{
    const struct source_lines *lines = view;
    const struct source_line *line = row_of(view, row);
    cell->string = line->file == NULL ? "?" : line->shown + lines->directory;
    if (line->file != NULL)
        snprintf(cell->suffix, sizeof cell->suffix, ":%u", line->line);
}

static void cell_function(struct cell *cell, const void *view, size_t row)
{
    cell->string = row_of(view, row)->function;
}

static void cell_into(struct cell *cell, const void *view, size_t row)
{
    const struct source_line *line = row_of(view, row);
    if (line->into != NULL)
        cell->string = line->into;
    cell->tint = TINT_DIM;
}

static const struct column columns[] = {
    {{"self", "%"}, .width = 6, .cell = cell_share},
    {{"self", NULL}, .width = 13, .cell = cell_self},
    {{"", "line"}, .left = true, .least = 24, .cut = CUT_PATH, .cell = cell_file},
    {{"", "function"}, .left = true, .least = 20, .cut = CUT_NAME, .cell = cell_function},
    {{"", "inlined into"}, .left = true, .drop = 1, .cut = CUT_NAME, .cell = cell_into},
};

static int by_place(const void *left, const void *right)
{
    const struct source_line *a = left, *b = right;
    int order = compare_known(a->file, b->file);
    if (order == 0 && a->line != b->line)
        order = a->line < b->line ? -1 : 1;
    if (order == 0)
        order = compare_known(a->function, b->function);
    return order != 0 ? order : compare_known(a->into, b->into);
}

static int by_samples(const void *left, const void *right)
{
    const struct source_line *a = left, *b = right;
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    return by_place(left, right);
}

/* The function for which a sample counts. NULL: there is none, or it is the profiler's
 * own or out of focus. */
static const struct function *function_at(const struct report *report, uint64_t address)
{
    const struct analysis *analysis = report->analysis;
    size_t at = analysis_function_at(analysis, report->image, address);
    if (at == NO_FUNCTION || analysis->functions[at].overhead ||
        (report->focus != NULL && !report->focus[at]))
        return NULL;
    return &analysis->functions[at];
}

/* Adds samples at an address to the row of its line. */
static bool add_row(struct source_lines *lines, const struct function *function,
                    uint64_t address, double samples)
{
    struct image_line found[INLINED_MAX];
    if (function == NULL || !(samples > 0))
        return true;
    if (!vector_grow(&lines->rows, lines->count, &lines->room, sizeof *lines->rows))
        return false;
    size_t depth = image_lines(lines->report->image, address, found, INLINED_MAX);
    struct source_line *row = &lines->rows[lines->count++];
    *row = (struct source_line){.function = function->name, .samples = samples};
    if (depth == 0 || found[0].file == NULL)
        return true;
    lines->known++;
    row->file = found[0].file;
    row->line = found[0].line;
    if (depth > 1) {
        row->function = found[0].function != NULL ? found[0].function : "?";
        row->into = function->name;
    }
    return true;
}

static bool add_samples(struct source_lines *lines)
{
    const struct counters *samples = &lines->report->profile->counters[EVENT_SAMPLE];
    bool done = true;
    for (size_t i = 0; i < samples->used && done; i++) {
        const struct counter sample = counter_at(samples, i);
        done = add_row(lines, function_at(lines->report, sample.to), sample.to,
                       (double)sample.count);
    }
    return done;
}

/* Adds to each line its part of the bins that cover it. */
static bool add_function(struct source_lines *lines, const struct tally *tally,
                         const struct function *function)
{
    const struct image_symbol *symbol = function->symbol;
    bool done = true;
    for (uint64_t at = symbol->address, end; done && at < symbol->end; at = end) {
        end = image_lines_until(lines->report->image, at);
        end = end > at && end < symbol->end ? end : symbol->end;
        done = add_row(lines, function, at, tally_between(tally, at, end));
    }
    return done;
}

/* Bins of several bytes are shared out among lines as they are among functions. */
static bool add_bins(struct source_lines *lines)
{
    const struct report *report = lines->report;
    const struct analysis *analysis = report->analysis;
    struct tally tally;
    bool done = tally_init(&tally, report->profile, NULL, 0);
    for (size_t i = 0; i < analysis->function_count && done; i++) {
        const struct function *function = &analysis->functions[i];
        if (function->overhead || (report->focus != NULL && !report->focus[i]) ||
            !(function->self_samples > 0))
            continue;
        done = function->symbol != NULL
                   ? add_function(lines, &tally, function)
                   : add_row(lines, function, UINT64_MAX, function->self_samples);
    }
    tally_release(&tally);
    return done;
}

static void merge(struct source_lines *lines)
{
    size_t kept = 0;
    if (lines->count == 0)
        return;
    qsort(lines->rows, lines->count, sizeof *lines->rows, by_place);
    for (size_t i = 0; i < lines->count; i++) {
        if (kept > 0 && by_place(&lines->rows[kept - 1], &lines->rows[i]) == 0)
            lines->rows[kept - 1].samples += lines->rows[i].samples;
        else
            lines->rows[kept++] = lines->rows[i];
    }
    lines->count = kept;
}

static bool clean_paths(struct source_lines *lines)
{
    bool done = true;
    for (size_t i = 0; i < lines->count && done; i++)
        if (lines->rows[i].file != NULL) {
            lines->rows[i].shown = path_clean(lines->rows[i].file);
            done = lines->rows[i].shown != NULL;
        }
    return done;
}

/* Finds the directory that all files share: it is shown once, not in each row. */
static void find_directory(struct source_lines *lines)
{
    const char *first = NULL;
    size_t shared = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const char *file = lines->rows[i].shown;
        if (file == NULL)
            continue;
        if (first == NULL) {
            first = file;
            shared = strlen(file);
        }
        for (size_t at = 0; at < shared; at++)
            if (file[at] != first[at])
                shared = at;
    }
    while (shared > 0 && first[shared - 1] != '/')
        shared--;
    lines->directory = shared > 1 ? shared : 0;
}

static void title(const struct source_lines *lines)
{
    const struct report *report = lines->report;
    const char *directory = "";
    for (size_t i = 0; i < lines->count && lines->directory > 0; i++)
        if (lines->rows[i].shown != NULL)
            directory = lines->rows[i].shown;
    report_title(report, "By source line", "measured, %s one standard error%s%.*s",
                 report_plus_minus(report), lines->directory > 0 ? "; in " : "",
                 (int)lines->directory, directory);
}

static bool print(struct source_lines *lines, struct error *error)
{
    const struct report *report = lines->report;
    struct table table = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .view = lines,
        .rows = lines->count,
        .time_unit = report_time_scale(report).unit,
    };
    if (report->limit != 0 && report->limit < table.rows)
        table.rows = report->limit;
    title(lines);
    if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, lines->count - table.rows, "line", "lines");
    return true;
}

static bool show(struct source_lines *lines, struct error *error)
{
    const struct report *report = lines->report;
    if (lines->count == 0) {
        fputs("\nno samples: nothing is known of source lines\n", report->out);
        return true;
    }
    if (lines->known == 0) {
        fputs("\nno line of any sample is known: build the firmware with -g\n",
              report->out);
        return true;
    }
    if (!figures_by_name(report->order))
        qsort(lines->rows, lines->count, sizeof *lines->rows, by_samples);
    if (!clean_paths(lines))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    find_directory(lines);
    return print(lines, error);
}

bool report_lines(const struct report *report, struct error *error)
{
    struct source_lines lines = {.report = report};
    bool done = report->profile->bin_bytes > 1 ? add_bins(&lines) : add_samples(&lines);
    merge(&lines);
    done = done ? show(&lines, error) : error_set(error, EXIT_BAD_INPUT, "out of memory");
    for (size_t i = 0; i < lines.count; i++)
        free(lines.rows[i].shown);
    free(lines.rows);
    return done;
}
