/* SPDX-License-Identifier: MIT */
/* The functions as a table for spreadsheets: RFC 4180, one header line. A figure that is
 * not known (no samples, no rate, no timed calls, no debug information) is empty. Times
 * of timed calls are in seconds or, if the time base is not known, in ticks, and their
 * columns say so. Energies have columns where they are asked for. If there are tasks,
 * each has its own rows, which begin with its name; percentages are then of the task's
 * time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/digits.h"
#include "../port/sort.h"
#include "export.h"

/* Writes a field. A spreadsheet takes a text that begins with one of these characters for
 * a formula, and runs it; an apostrophe in front makes it a text. */
static void put_field(FILE *out, const char *text)
{
    const char *defused = *text != '\0' && strchr("=+-@\t", *text) != NULL ? "'" : "";

    if (strpbrk(text, ",\"\r\n") == NULL) {
        fprintf(out, "%s%s", defused, text);
        return;
    }
    fprintf(out, "\"%s", defused);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static bool put_text(FILE *out, const char *name)
{
    char *text = export_text(name, 0);

    if (text == NULL)
        return false;
    put_field(out, text);
    free(text);
    return true;
}

static bool put_place(FILE *out, struct image *image, const struct function *function)
{
    struct image_line place = export_place(image, function);

    fprintf(out, ",0x%" PRIx64 ",", function->address);
    if (place.file != NULL && !put_text(out, place.file))
        return false;
    putc(',', out);
    if (place.file != NULL)
        fprintf(out, "%u", place.line);
    return true;
}

/* Whether functions have an energy: not where the timeline alone tells what ran. */
static bool has_energy(const struct export_options *options)
{
    return options->energy != NULL && options->energy->functions.self != NULL;
}

/* Whether calls of some task were timed by a time base that is not known. */
static bool is_in_ticks(const struct profile *profile,
                        const struct export_options *options)
{
    const struct task_sums *tasks = options->part != NULL ? options->part->tasks : NULL;
    bool timed = profile->counters[EVENT_CALL].used > 0;

    for (size_t i = 0; tasks != NULL && i < tasks->count; i++)
        timed = timed || tasks->items[i].self > 0;
    return timed && profile->time.hz <= 0;
}

/* What is exported, of one task or of all. */
struct csv {
    FILE *out;
    struct figure_source source;
    struct image *image;
    const struct task_sum *task; /* NULL: all */
    struct figure_list columns, order;
    const char *tick_unit;
};

/* ---- Columns ---- */

static const char usual[] =
    "samples,self,self_error,self_percent,children,total,total_percent,calls,self_calls,"
    "cycle,overhead,timed_calls,timed_recursive_calls,timed_self,timed_total,min,mean,"
    "max,"
    "total_error,p50,p90,p99,timed_self_error,timed_total_error";
static const char usual_with_energy[] = "self_energy,self_energy_error,total_energy,"
                                        "total_energy_error";

static void choose_columns(struct figure_list *columns,
                           const struct export_options *options)
{
    struct figure_list energies;
    struct error error; /* the lists above are right: a test prints each */

    if (options->columns != NULL) {
        *columns = *options->columns;
        return;
    }
    figures_parse(columns, usual, &error);
    if (!has_energy(options) || !figures_parse(&energies, usual_with_energy, &error))
        return;
    for (size_t i = 0; i < energies.count; i++)
        columns->keys[columns->count++] = energies.keys[i];
}

static void put_heading(const struct csv *csv)
{
    char name[FIGURE_FIELD];

    fputs(csv->task != NULL ? "task,name,address,file,line" : "name,address,file,line",
          csv->out);
    for (size_t i = 0; i < csv->columns.count; i++) {
        const struct figure_key *key = &csv->columns.keys[i];
        bool of_task = key->figure->unit == UNIT_PERCENT && csv->task != NULL;

        figure_field(name, key, csv->tick_unit);
        fprintf(csv->out, ",%s%s", name, of_task ? "_of_task" : "");
    }
    fputs("\r\n", csv->out);
}

static void put_number(const struct csv *csv, enum figure_unit unit, double number)
{
    const struct analysis *analysis = csv->source.analysis;
    double tick = analysis->timed.tick_seconds;
    char digits[DIGITS_ROOM];

    switch (unit) {
    case UNIT_SECONDS:
    case UNIT_SECONDS_A_CALL:
        if (analysis->has_time)
            fprintf(csv->out, "%.9g", number);
        break;
    case UNIT_TICKS:
    case UNIT_TICKS_A_CALL:
        fprintf(csv->out, "%.9g", tick > 0 ? number * tick : number);
        break;
    case UNIT_PERCENT:
        digits_fixed(digits, sizeof digits, number, 4);
        fputs(digits, csv->out);
        break;
    default:
        fprintf(csv->out, "%.9g", number);
        break;
    }
}

static void put_figure(const struct csv *csv, const struct figure_key *key,
                       const struct function *function)
{
    const struct measure measure = figure_measure(key->figure, &csv->source, function);
    double number = key->error ? measure.error : measure.value;
    char digits[DIGITS_ROOM];

    putc(',', csv->out);
    if (isnan(number))
        return;
    if (key->figure->unit == UNIT_NUMBER) {
        digits_whole(digits, sizeof digits, "", measure.whole, "");
        fputs(digits, csv->out);
    } else {
        put_number(csv, key->figure->unit, number);
    }
}

/* ---- Rows ---- */

static bool put_row(const struct csv *csv, const struct function *function)
{
    FILE *out = csv->out;

    if (csv->task != NULL && !put_text(out, csv->task->label))
        return false;
    if (csv->task != NULL)
        putc(',', out);
    if (!put_text(out, function->name) || !put_place(out, csv->image, function))
        return false;
    for (size_t i = 0; i < csv->columns.count; i++)
        put_figure(csv, &csv->columns.keys[i], function);
    fputs("\r\n", out);
    return true;
}

/* A function, and the figures it is sorted by. */
struct row {
    const struct function *function;
    const double *keys;
};

static int by_keys(const void *left, const void *right, void *context)
{
    const struct row *a = left, *b = right;
    int order =
        figures_compare(context, a->keys, a->function->name, b->keys, b->function->name);

    return order != 0 ? order : (a->function > b->function) - (a->function < b->function);
}

static void sort(struct csv *csv, struct row *rows, double *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct figure_subject subject = {rows[i].function, rows[i].function->timed};

        figures_keys(keys, &csv->order, &csv->source, &subject);
        rows[i].keys = keys;
        keys += csv->order.count;
    }
    if (csv->order.count > 0 && count > 1)
        port_qsort_r(rows, count, sizeof *rows, by_keys, &csv->order);
}

static bool put_rows(struct csv *csv)
{
    const struct analysis *analysis = csv->source.analysis;
    size_t count = analysis->function_count;
    struct row *rows = calloc(count + 1, sizeof *rows);
    double *keys = calloc(count * csv->order.count + 1, sizeof *keys);
    bool done = rows != NULL && keys != NULL;

    for (size_t i = 0; done && i < count; i++)
        rows[i].function = &analysis->functions[i];
    if (done)
        sort(csv, rows, keys, count);
    for (size_t i = 0; done && i < count; i++)
        done = put_row(csv, rows[i].function);
    free(rows);
    free(keys);
    return done;
}

/* Warns of columns that are empty in all rows: of tasks, when the last one is written. */
static void warn_of_empty(const struct csv *csv, const struct export_options *options)
{
    char lacks[FIGURES_TEXT], text[FIGURES_TEXT + 32];
    const struct export_part *part = options->part;
    void (*warn)(const char *text) = part != NULL ? part->warn : options->warn;
    unsigned known = figures_known(&csv->source);

    if (part != NULL)
        known = *part->known |= known;
    if (warn == NULL || options->columns == NULL || !export_is_last(options) ||
        figures_lacking(&csv->columns, known, lacks) == 0)
        return;
    snprintf(text, sizeof text, "empty columns: %s", lacks);
    warn(text);
}

bool export_csv(FILE *out, const struct profile *profile, const struct analysis *analysis,
                struct image *image, const struct export_options *options,
                struct error *error)
{
    struct energy_functions energy = {NULL, NULL};
    bool done = !has_energy(options) ||
                energy_find_functions(&energy, options->energy, profile, analysis, image);
    struct csv csv = {
        .out = out,
        .source = {.profile = profile,
                   .analysis = analysis,
                   .joules = energy.self != NULL ? &energy : NULL},
        .image = image,
        .task = export_task(options),
        .tick_unit = is_in_ticks(profile, options) ? "_ticks" : "_seconds",
    };

    choose_columns(&csv.columns, options);
    if (options->order != NULL)
        csv.order = figures_in(options->order, figures_known(&csv.source));
    if (done && export_is_first(options))
        put_heading(&csv);
    if (done)
        warn_of_empty(&csv, options);
    done = done && put_rows(&csv);
    energy_release_functions(&energy);
    return done || error_no_memory(error);
}
