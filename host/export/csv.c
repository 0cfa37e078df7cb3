/* SPDX-License-Identifier: MIT */
/* The functions as a table for spreadsheets: RFC 4180, one header line. A figure that is
 * not known (no samples, no rate, no timed calls, no debug information) is empty. Times
 * of timed calls are in seconds or, if the time base is not known, in ticks, and their
 * columns say so. Energies have columns where they are asked for. If there are tasks,
 * each has its own rows, which begin with its name; percentages are then of the task's
 * time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void put_seconds(FILE *out, const struct analysis *analysis, double seconds)
{
    putc(',', out);
    if (analysis->has_time)
        fprintf(out, "%.9g", seconds);
}

static void put_percent(FILE *out, double percent)
{
    putc(',', out);
    if (percent >= 0)
        fprintf(out, "%.4f", percent);
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

static void put_ticks(FILE *out, const struct analysis *analysis, double ticks)
{
    double tick = analysis->timed.tick_seconds;

    fprintf(out, ",%.9g", tick > 0 ? ticks * tick : ticks);
}

static void put_timed(FILE *out, const struct analysis *analysis,
                      const struct timed *timed)
{
    if (timed->calls + timed->recursive == 0) {
        fputs(",,,,,,,", out);
        return;
    }
    fprintf(out, ",%" PRIu64 ",%" PRIu64, timed->calls, timed->recursive);
    put_ticks(out, analysis, (double)timed->self);
    if (timed->calls > 0) {
        put_ticks(out, analysis, (double)timed->total);
        put_ticks(out, analysis, (double)timed->shortest);
        put_ticks(out, analysis, (double)timed->total / (double)timed->calls);
        put_ticks(out, analysis, (double)timed->longest);
    } else {
        fputs(",,,,", out);
    }
}

/* Writes percentiles; they are empty where only sums of calls are known. */
static void put_percentiles(FILE *out, const struct analysis *analysis,
                            const struct function *function)
{
    static const double parts[] = {0.5, 0.9, 0.99};
    const struct spread *singles = analysis_singles(analysis, function);

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (singles != NULL)
            put_ticks(out, analysis, (double)spread_quantile(singles, parts[i]));
        else
            putc(',', out);
    }
}

static void put_errors(FILE *out, const struct analysis *analysis,
                       const struct function *function)
{
    const struct timed_errors errors = analysis_timed_errors(analysis, function);
    const double both[] = {errors.self, errors.total};

    for (size_t i = 0; i < 2; i++) {
        if (both[i] > 0 && function->timed->calls + function->timed->recursive > 0)
            put_ticks(out, analysis, both[i]);
        else
            putc(',', out);
    }
}

static void put_joules(FILE *out, const struct joules *energy)
{
    fprintf(out, ",%.9g,", energy->joules);
    if (energy->error > 0)
        fprintf(out, "%.9g", energy->error);
}

static bool put_row(FILE *out, const struct analysis *analysis, struct image *image,
                    const struct energy_functions *energy, size_t number)
{
    const struct function *function = &analysis->functions[number];

    if (!put_text(out, function->name) || !put_place(out, image, function))
        return false;
    fprintf(out, ",%.9g", function->self_samples);
    put_seconds(out, analysis, function->self);
    put_seconds(out, analysis, function->self_error);
    put_percent(out, export_percent(analysis, function, function->self));
    put_seconds(out, analysis, function->children);
    put_seconds(out, analysis, function->total);
    put_percent(out, export_percent(analysis, function, function->total));
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", function->calls, function->self_calls);
    if (function->cycle != NO_CYCLE)
        fprintf(out, "%u", function->cycle);
    fprintf(out, ",%d", function->overhead);
    put_timed(out, analysis, function->timed);
    if (analysis->measured)
        put_seconds(out, analysis, function->total_error);
    else
        putc(',', out);
    put_percentiles(out, analysis, function);
    put_errors(out, analysis, function);
    if (energy->self != NULL) {
        put_joules(out, &energy->self[number]);
        put_joules(out, &energy->total[number]);
    }
    fputs("\r\n", out);
    return true;
}

/* The %s stand for what percentages are of, unless that is the program, and for the unit
 * of measured times.
 */
static const char heading[] =
    "name,address,file,line,samples,self_seconds,self_error_seconds,self_percent%s,"
    "children_seconds,total_seconds,total_percent%s,calls,self_calls,cycle,overhead,"
    "timed_calls,timed_recursive_calls,timed_self_%s,timed_total_%s,timed_min_%s,"
    "timed_mean_%s,timed_max_%s,total_error_seconds,timed_p50_%s,timed_p90_%s,timed_p99_%"
    "s,timed_self_error_%s,timed_total_error_%s";

static void put_heading(FILE *out, const struct profile *profile,
                        const struct export_options *options)
{
    bool task = export_task(options) != NULL;
    const char *of = task ? "_of_task" : "";
    const char *unit = is_in_ticks(profile, options) ? "ticks" : "seconds";

    fputs(task ? "task," : "", out);
    fprintf(out, heading, of, of, unit, unit, unit, unit, unit, unit, unit, unit, unit,
            unit);
    if (has_energy(options))
        fputs(",self_joules,self_error_joules,total_joules,total_error_joules", out);
    fputs("\r\n", out);
}

bool export_csv(FILE *out, const struct profile *profile, const struct analysis *analysis,
                struct image *image, const struct export_options *options,
                struct error *error)
{
    const struct task_sum *task = export_task(options);
    struct energy_functions energy = {NULL, NULL};
    bool done = !has_energy(options) ||
                energy_find_functions(&energy, options->energy, profile, analysis, image);

    if (done && export_is_first(options))
        put_heading(out, profile, options);
    for (size_t i = 0; done && i < analysis->function_count; i++) {
        done = task == NULL || put_text(out, task->label);
        if (task != NULL)
            putc(',', out);
        done = done && put_row(out, analysis, image, &energy, i);
    }
    energy_release_functions(&energy);
    return done || export_no_memory(error);
}
