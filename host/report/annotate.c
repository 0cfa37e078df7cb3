/* SPDX-License-Identifier: MIT */
/* Prints source, function by function, with the counts of each line or instruction. */
#include "annotate.h"
#include "../base/memstream.h"
#include "../base/plural.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

enum {
    LANDINGS_MAX = 4,
    SHARE_MAX = 16 /* columns of a share and of the text before it */
};

static const struct row *row_of(const void *view, size_t row)
{
    const struct rows *rows = view;
    return &rows->items[row];
}

/* Writes "12 ±3"; bins that are shared out give fractions. */
static void samples_text(char *text, size_t size, const struct report *report,
                         double samples)
{
    bool whole = fabs(samples - rint(samples)) < 1e-6;
    int decimals = whole || samples >= 99 ? 0 : 1;
    double error = analysis_error(report->analysis, samples);
    snprintf(text, size, "%.*f %s%.*f", whole ? 0 : 2, samples, report_plus_minus(report),
             decimals, fmax(error, pow(10, -decimals)));
}

static void put_share(struct cell *cell, const struct rows *rows, double samples)
{
    double whole = rows->view->annotation->whole, hz = rows->report->analysis->hz;
    report_share(cell->text, sizeof cell->text, rows->report, samples / hz, whole / hz);
    cell->tint = report_heat(report_percent(samples, whole));
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct rows *rows = view;
    const struct row *of = row_of(view, row);
    if (of->counted && of->here.samples > 0)
        put_share(cell, rows, of->here.samples);
}

static void cell_below(struct cell *cell, const void *view, size_t row)
{
    const struct row *of = row_of(view, row);
    if (of->counted && of->here.below > 0)
        put_share(cell, view, of->here.below);
}

static void cell_samples(struct cell *cell, const void *view, size_t row)
{
    const struct rows *rows = view;
    const struct row *of = row_of(view, row);
    if (of->counted && of->here.samples > 0)
        samples_text(cell->text, sizeof cell->text, rows->report, of->here.samples);
}

static const char *at_most(const struct report *report)
{
    return report->style.utf8 ? "≤" : "<=";
}

static void cell_ran(struct cell *cell, const void *view, size_t row)
{
    const struct rows *rows = view;
    const struct row *of = row_of(view, row);
    if (!of->counted || of->here.ran == NOT_COUNTED)
        return;
    snprintf(cell->text, sizeof cell->text, "%s%" PRIu64,
             of->here.at_most && of->here.ran > 0 ? at_most(rows->report) : "",
             of->here.ran);
    cell->tint = of->here.ran == 0 ? TINT_DIM : TINT_PLAIN;
}

static void cell_calls(struct cell *cell, const void *view, size_t row)
{
    const struct rows *rows = view;
    const struct row *of = row_of(view, row);
    const char *arrow = rows->report->style.utf8 ? "→" : ">";
    int used = 0;
    if (!of->counted)
        return;
    if (of->here.entries > 0)
        used = snprintf(cell->text, sizeof cell->text, "%s%" PRIu64 "%s", arrow,
                        of->here.entries, of->here.calls > 0 ? " " : "");
    if (of->here.calls > 0)
        snprintf(cell->text + used, sizeof cell->text - (size_t)used, "%" PRIu64 "%s",
                 of->here.calls, arrow);
}

static void cell_line(struct cell *cell, const void *view, size_t row)
{
    const struct row *of = row_of(view, row);
    cell->tint = TINT_DIM;
    unsigned line = of->kind == ROW_LINE ? of->line : of->landed;
    if (line > 0)
        snprintf(cell->text, sizeof cell->text, "%u", line);
    else if (of->kind == ROW_CODE)
        snprintf(cell->text, sizeof cell->text, "%" PRIx64, of->address);
}

static void cell_source(struct cell *cell, const void *view, size_t row)
{
    const struct rows *rows = view;
    const struct row *of = row_of(view, row);
    switch (of->kind) {
    case ROW_LINE:
        cell->string = of->text != NULL ? of->text : of->line == 0 ? "(no line)" : NULL;
        cell->tint = rows->view->code != NULL ? TINT_BOLD : TINT_PLAIN;
        break;
    case ROW_INLINED:
        cell->string = of->note;
        cell->indent = of->indent;
        cell->tint = rows->view->code != NULL ? TINT_BOLD : TINT_DIM;
        break;
    case ROW_GAP:
        cell->string = rows->report->style.utf8 ? "⋮" : ":";
        cell->tint = TINT_DIM;
        break;
    case ROW_FILE:
        cell->string = of->text;
        cell->tint = TINT_DIM;
        break;
    case ROW_CODE:
        cell->string = of->text;
        cell->indent = 4;
        break;
    }
}

static const struct column columns[] = {
    {{"", "self %"}, .needs = NEEDS_SAMPLES, .width = 6, .cell = cell_share},
    {{"", "samples"},
     .needs = NEEDS_SAMPLES,
     .width = 8,
     .drop = 2,
     .cell = cell_samples},
    {{"", "below %"}, .needs = NEEDS_SAMPLES | NEEDS_PATHS, .cell = cell_below},
    {{"", "ran"}, .needs = NEEDS_BLOCKS, .width = 5, .cell = cell_ran},
    {{"", "calls"}, .needs = NEEDS_CALLS, .width = 5, .drop = 1, .cell = cell_calls},
    {{"", "line"}, .width = 5, .cell = cell_line},
    {{"", "source"}, .left = true, .cell = cell_source},
};

/* ---- A function ---- */

static void put_landings(const struct rows *rows,
                         const struct annotated_function *function, FILE *out)
{
    fputs(", as written; inlined into ", out);
    for (size_t i = 0; i < function->landing_count && i < LANDINGS_MAX; i++) {
        const struct annotated_landing *landing = &function->landings[i];
        fprintf(out, "%s%s", i > 0 ? ", " : "", landing->function);
        if (landing->samples > 0)
            fprintf(out, " %.2f %%",
                    report_percent(landing->samples, rows->view->annotation->whole));
    }
    if (function->landing_count > LANDINGS_MAX)
        fprintf(out, " and %zu more", function->landing_count - LANDINGS_MAX);
}

/* Puts the function's share; returns its columns. */
static size_t print_share(const struct rows *rows,
                          const struct annotated_function *function)
{
    const struct report *report = rows->report;
    double whole = rows->view->annotation->whole, hz = report->analysis->hz;
    char share[CELL_TEXT_MAX];
    report_share(share, sizeof share, report, function->samples / hz, whole / hz);
    share[strcspn(share, " ")] = '\0';
    bool below = share[0] == '<';
    style_tint(&report->style, report->out,
               report_heat(report_percent(function->samples, whole)));
    int printed = fprintf(report->out, "  %s%s %%", below ? "below " : "", share + below);
    style_tint(&report->style, report->out, TINT_PLAIN);
    return printed > 0 ? (size_t)printed : 0;
}

static void put_rest(const struct rows *rows, const struct annotated_function *function,
                     FILE *out)
{
    char samples[CELL_TEXT_MAX];
    samples_text(samples, sizeof samples, rows->report, function->samples);
    if (rows->report->analysis->has_samples)
        fprintf(out, ", %s samples", function->samples > 0 ? samples : "0");
    if (function->entries > 0)
        fprintf(out, "%s%" PRIu64 " call%s",
                rows->report->analysis->has_samples ? ", " : "  ", function->entries,
                plural(function->entries));
    if (function->symbol == NULL)
        put_landings(rows, function, out);
}

static void print_title(const struct rows *rows,
                        const struct annotated_function *function)
{
    const struct report *report = rows->report;
    const struct style *style = &report->style;
    char *rest = NULL;
    size_t size, width = style->width;
    FILE *out = port_open_memstream(&rest, &size);
    style_tint(style, report->out, TINT_BOLD);
    size_t at = style_fit(style, report->out, function->name,
                          width > 2 * SHARE_MAX ? width - SHARE_MAX : SIZE_MAX, CUT_NAME);
    style_tint(style, report->out, TINT_PLAIN);
    if (report->analysis->has_samples)
        at += print_share(rows, function);
    if (out != NULL)
        put_rest(rows, function, out);
    if (out != NULL && memstream_close(out, &rest))
        style_words(style, report->out, rest, at, 4, CUT_PATH);
    else
        rows->view->texts->no_memory = true;
    free(rest);
    fputc('\n', report->out);
}

static void print_place(const struct rows *rows,
                        const struct annotated_function *function)
{
    const struct report *report = rows->report;
    const struct text *text =
        function->file == NULL ? NULL : texts_find(rows->view->texts, function->file);
    const char *path = text != NULL && text->found != NULL ? text->found : function->file;
    char *clean = path != NULL ? path_clean(path) : NULL, line[16] = "";
    size_t width = report->style.width;
    rows->view->texts->no_memory |= path != NULL && clean == NULL;
    if (function->line > 0)
        snprintf(line, sizeof line, ":%u", function->line);
    style_tint(&report->style, report->out, TINT_DIM);
    if (path == NULL)
        fputs("no source line is known: build the firmware with -g", report->out);
    else
        style_fit(&report->style, report->out, clean != NULL ? clean : path,
                  width > 0 ? width - strlen(line) : SIZE_MAX, CUT_PATH);
    fputs(path != NULL ? line : "", report->out);
    style_tint(&report->style, report->out, TINT_PLAIN);
    fputs("\n\n", report->out);
    free(clean);
}

static bool print_function(const struct report *report, const struct annotate_view *view,
                           const struct annotated_function *function, struct error *error)
{
    struct rows rows = {.report = report, .view = view};
    bool done = view->code != NULL ? rows_of_code(&rows, function, error)
                                   : rows_of_lines(&rows, function, error);
    if (done) {
        struct table table = {
            .columns = columns,
            .column_count = sizeof columns / sizeof columns[0],
            .view = &rows,
            .rows = rows.count,
            .knows = report_knows(report) |
                     (view->annotation->has_blocks ? (unsigned)NEEDS_BLOCKS : 0),
            .time_unit = "",
        };
        print_title(&rows, function);
        print_place(&rows, function);
        done = table_print(&table, &report->style, report->out, error);
    }
    rows_release(&rows);
    return done;
}

/* ---- All of them ---- */

bool report_annotates(const struct annotate_view *view,
                      const struct annotated_function *function)
{
    return (view->code == NULL || function->symbol != NULL) &&
           (view->focus == NULL ||
            analysis_is_named(function->name, function->symbol, view->focus));
}

/* Whether a line of a function that is shown ran at most as often as is said. */
static bool has_at_most(const struct annotate_view *view)
{
    const struct annotation *annotation = view->annotation;
    for (size_t i = 0; i < annotation->function_count; i++) {
        const struct annotated_function *function = &annotation->functions[i];
        for (size_t j = 0; j < function->line_count && report_annotates(view, function);
             j++)
            if (function->lines[j].here.at_most)
                return true;
    }
    return false;
}

static void print_legend(const struct report *report, const struct annotate_view *view)
{
    const struct analysis *analysis = report->analysis;
    const char *arrow = report->style.utf8 ? "→" : ">";
    const char *ran =
        profile_is_told(report->profile) && report->profile->lost[EVENT_BLOCK] == 0
            ? view->code != NULL ? "times, exact" : "times of its code"
            : "times, at least";
    bool samples = analysis->has_samples, blocks = view->annotation->has_blocks;
    char calls[64] = "", most[64] = "";
    if (analysis->has_calls)
        snprintf(calls, sizeof calls, "%s%sn calls of it, n%s calls from there",
                 samples || blocks ? "; " : "", arrow, arrow);
    if (blocks && has_at_most(view))
        snprintf(most, sizeof most, " (%s conditional code: its block's)",
                 at_most(report));
    report_title(report, view->code != NULL ? "Annotated code" : "Annotated source",
                 "%s%s%s%s%s%s%s", samples ? report_plus_minus(report) : "",
                 samples ? " one standard error" : "",
                 samples && analysis->measured ? "; below: in what is called there" : "",
                 blocks ? samples ? "; ran: " : "ran: " : "", blocks ? ran : "", most,
                 calls);
}

bool report_annotation(const struct report *report, const struct annotate_view *view,
                       struct error *error)
{
    const struct annotation *annotation = view->annotation;
    size_t shown = 0, left_out = annotation->left_out;
    print_legend(report, view);
    for (size_t i = 0; i < annotation->function_count; i++) {
        const struct annotated_function *function = &annotation->functions[i];
        if (!report_annotates(view, function))
            continue;
        if (report->limit != 0 && shown == report->limit) {
            left_out++;
            continue;
        }
        if (shown++ > 0)
            fputc('\n', report->out);
        if (!print_function(report, view, function, error))
            return false;
    }
    if (shown == 0)
        fputs("nothing was counted\n", report->out);
    if (left_out > 0)
        fputc('\n', report->out);
    report_cut(report, left_out, "function", "functions");
    if (annotation->unknown > 0 && view->focus == NULL)
        fprintf(report->out, "\n%.2f %% of the time was in no function\n",
                report_percent(annotation->unknown, annotation->whole));
    return true;
}
