/* SPDX-License-Identifier: MIT */
/* The source and the instructions of the hottest functions, with the counts of their
 * lines.
 */
#include <stdlib.h>
#include <string.h>

#include "../export/export.h"
#include "../report/annotate.h"
#include "data.h"

enum {
    CONTEXT = 12,       /* lines of source shown around those with counts */
    INLINED_CONTEXT = 3 /* the same, for functions that are inlined everywhere */
};

struct page_source {
    const struct page *page;
    struct report report;
    struct annotation annotation;
    struct annotate_view view;
    struct disassembly code;
    size_t count; /* number of functions that are put */
};

static bool is_put(const struct annotated_function *function)
{
    return function->samples > 0 || function->ran > 0 || function->entries > 0;
}

/* Puts the time of a number of samples, and the error of their share as a time. */
static void put_time(struct json *json, const struct page_source *source,
                     const char *time, const char *error, double samples)
{
    double hz = source->page->analysis->hz, whole = source->annotation.whole;

    json_real(json, time, samples / hz);
    json_real(json, error,
              samples > 0 ? whole * analysis_share_error(samples / whole, whole) / hz
                          : 0);
}

/* ---- Rows ---- */

static void put_counts(struct json *json, const struct page_source *source,
                       const struct annotated *here)
{
    put_time(json, source, NULL, NULL, here->samples);
    json_real(json, NULL, here->below / source->page->analysis->hz);
    if (here->ran == NOT_COUNTED)
        json_null(json, NULL);
    else
        json_whole(json, NULL, here->ran);
    json_whole(json, NULL, here->calls);
    json_whole(json, NULL, here->entries);
    if (here->at_most)
        json_bool(json, NULL, true);
}

/* Whether a row has anything beside its text. */
static bool is_counted(const struct row *row)
{
    const struct annotated *here = &row->here;

    return row->counted && (here->samples > 0 || here->below > 0 || here->calls > 0 ||
                            here->entries > 0 || here->ran != NOT_COUNTED);
}

static bool put_row(struct json *json, const struct page_source *source,
                    const struct row *row, struct error *error)
{
    bool code = row->kind == ROW_CODE;

    json_open(json, NULL, '[');
    json_whole(json, NULL, row->kind);
    json_whole(json, NULL, code ? row->address : row->line);
    if (!data_name(json, NULL, row->note != NULL ? row->note : row->text, error))
        return false;
    json_whole(json, NULL, row->indent);
    if (is_counted(row))
        put_counts(json, source, &row->here);
    json_close(json, ']');
    return true;
}

typedef bool make_rows(struct rows *rows, const struct annotated_function *function,
                       struct error *error);

static bool put_rows(struct json *json, const char *key, struct page_source *source,
                     const struct annotated_function *function, make_rows *make,
                     struct error *error)
{
    struct rows rows = {.report = &source->report, .view = &source->view};
    bool done;

    source->view.context = function->symbol != NULL ? CONTEXT : INLINED_CONTEXT;
    done = make(&rows, function, error);
    json_open(json, key, '[');
    for (size_t i = 0; done && i < rows.count; i++)
        done = put_row(json, source, &rows.items[i], error);
    json_close(json, ']');
    rows_release(&rows);
    return done;
}

/* ---- Functions ---- */

static bool put_landings(struct json *json, const struct page_source *source,
                         const struct annotated_function *function, struct error *error)
{
    bool done = true;

    json_open(json, "landed", '[');
    for (size_t i = 0; done && i < function->landing_count; i++) {
        json_open(json, NULL, '[');
        done = data_name(json, NULL, function->landings[i].function, error);
        json_real(json, NULL, function->landings[i].samples / source->page->analysis->hz);
        json_close(json, ']');
    }
    json_close(json, ']');
    return done;
}

static bool put_function(struct json *json, struct page_source *source,
                         const struct annotated_function *function, struct error *error)
{
    const struct page *page = source->page;
    bool inlined = function->symbol == NULL;
    size_t number = inlined ? SIZE_MAX
                            : analysis_function_at(page->analysis, page->image,
                                                   function->symbol->address);
    const char *name = number < page->analysis->function_count
                           ? page->analysis->functions[number].name
                           : function->name;

    json_open(json, NULL, '{');
    if (!data_name(json, "name", name, error) ||
        !data_name(json, "file", function->file, error))
        return false;
    data_index(json, "function", number);
    json_whole(json, "line", function->line);
    put_time(json, source, "time", "error", function->samples);
    if (!put_landings(json, source, function, error) ||
        !put_rows(json, "lines", source, function, rows_of_lines, error) ||
        (!inlined && source->code.count > 0 &&
         !put_rows(json, "code", source, function, rows_of_code, error)))
        return false;
    json_close(json, '}');
    return true;
}

/* ---- All of it ---- */

/* Disassembles all functions that are put, in one run. Without objdump there are no
 * instructions. */
static void read_code(struct page_source *source)
{
    struct image_range *ranges = calloc(source->count + 1, sizeof *ranges);
    size_t count = 0;
    struct error error;

    for (size_t i = 0; ranges != NULL && i < source->count; i++) {
        const struct image_symbol *symbol = source->annotation.functions[i].symbol;

        if (symbol != NULL && is_put(&source->annotation.functions[i]))
            ranges[count++] = (struct image_range){symbol->address, symbol->end};
    }
    if (ranges == NULL)
        error_no_memory(&error);
    if (ranges == NULL || !disassemble(source->page->image, source->page->objdump, ranges,
                                       count, &source->code, &error))
        source->page->warn(error.text);
    free(ranges);
}

static bool put_source(FILE *out, struct page_source *source, struct error *error)
{
    struct json json;
    const struct annotation *annotation = &source->annotation;
    const struct analysis *analysis = source->page->analysis;
    bool done = true, any = false;

    for (size_t i = 0; i < source->count && !any; i++)
        any = is_put(&annotation->functions[i]);
    if (!any) /* without functions the block is left out */
        return true;
    read_code(source);
    data_begin(&json, out, "source");
    json_real(&json, "factor",
              annotation->whole > 0 ? 100 * analysis->hz / annotation->whole : 0);
    json_bool(&json, "blocks", annotation->has_blocks);
    json_bool(&json, "code", source->code.count > 0);
    json_bool(&json, "texts", !source->page->texts->none);
    json_whole(&json, "most", source->page->sources);
    json_whole(&json, "left_out",
               annotation->function_count - source->count + annotation->left_out);
    json_open(&json, "functions", '[');
    for (size_t i = 0; done && i < source->count; i++)
        if (is_put(&annotation->functions[i]))
            done = put_function(&json, source, &annotation->functions[i], error);
    json_close(&json, ']');
    data_end(&json);
    return done;
}

bool data_source(FILE *out, const struct page *page, struct error *error)
{
    struct page_source source = {.page = page, .report = data_report(page)};
    bool done = annotate(&source.annotation, page->profile, page->analysis, page->image,
                         page->sources, error);

    source.view.annotation = &source.annotation;
    source.view.texts = page->texts;
    source.view.code = &source.code;
    source.count = source.annotation.function_count;
    if (page->sources > 0 && source.count > page->sources)
        source.count = page->sources;
    done = done && put_source(out, &source, error);
    disassembly_release(&source.code);
    if (done || source.annotation.functions != NULL)
        annotation_release(&source.annotation);
    return done;
}
