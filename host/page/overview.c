/* SPDX-License-Identifier: MIT */
/* What ran for how long, on which chip, in which task; what was lost; what profiling
 * cost. */
#include <stdlib.h>
#include <string.h>

#include "../base/memstream.h"
#include "../base/path.h"
#include "../capture/sampling.h"
#include "../capture/tasks.h"
#include "../export/export.h"
#include "data.h"

/* The rule of three (docs/design.md): a function without samples has at most so many. */
static const double at_most = 3;

/* ---- Units ---- */

/* Puts how times of a kind are shown: multiplied by `factor`, with at most `decimals`
 * decimals. */
static void put_scale(struct json *json, const char *key, const char *name, double factor,
                      int decimals, int finest)
{
    json_open(json, key, '{');
    json_text(json, "name", name);
    json_real(json, "factor", factor);
    json_whole(json, "decimals", (uint64_t)decimals);
    json_whole(json, "finest", (uint64_t)finest);
    json_close(json, '}');
}

/* The least and the largest mean of the functions' calls, in ticks. */
static void find_means(const struct analysis *analysis, double *least, double *most)
{
    *least = *most = 0;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct timed *timed = analysis->functions[i].timed;
        double mean = timed->calls > 0 ? (double)timed->total / (double)timed->calls : 0;

        if (mean > 0 && (mean < *least || *least <= 0))
            *least = mean;
        if (mean > *most)
            *most = mean;
    }
}

static void put_units(struct json *json, const struct page *page)
{
    const struct report report = data_report(page);
    const struct analysis *analysis = page->analysis;
    bool timed = data_is_timed(analysis);
    struct time_scale time =
        timed ? report_ticks_scale(&report) : report_time_scale(&report);
    double program = timed ? (double)analysis->timed.program : analysis->program;
    double least, most;

    find_means(analysis, &least, &most);
    struct time_scale single = report_single_scale(&report, least, most);
    json_open(json, "units", '{');
    put_scale(json, "time", time.unit, time.factor, time.decimals, time.finest);
    put_scale(json, "share", "%", program > 0 ? 100 / program : 0, 2, 2);
    put_scale(json, "single", single.unit, single.factor, single.decimals, 0);
    if (page->energy != NULL) {
        struct time_scale energy = report_energy_scale(&report);
        put_scale(json, "energy", energy.unit, energy.factor, energy.decimals,
                  energy.finest);
    }
    json_real(json, "none", timed ? 0 : at_most / analysis->hz);
    json_close(json, '}');
}

/* ---- The summary ---- */

/* Puts a line of the report's summary: its label, a word, and its text. */
static bool put_line(struct json *json, char *line, struct error *error)
{
    size_t label = strcspn(line, " ");
    char *said = line + label + strspn(line + label, " ");

    line[label] = '\0';
    json_open(json, NULL, '[');
    json_text(json, NULL, line);
    if (!data_name(json, NULL, said, error))
        return false;
    json_close(json, ']');
    return true;
}

static bool put_summary(struct json *json, const struct page *page, struct error *error)
{
    struct report report = data_report(page);
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    bool done;

    report.out = port_open_memstream(&text, &size);
    if (report.out == NULL)
        return error_no_memory(error);
    done = report_summary(&report, page->captures, page->events, page->advice, error);
    report_unplaced(&report);
    if (!memstream_close(report.out, &text) && done)
        return error_no_memory(error);
    json_open(json, "summary", '[');
    for (char *line = done ? strtok_r(text, "\n", &rest) : NULL; done && line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        done = put_line(json, line, error);
    json_close(json, ']');
    free(text);
    return done;
}

/* ---- Figures of the whole run ---- */

static void put_known(struct json *json, const struct analysis *analysis)
{
    json_open(json, "knows", '{');
    json_bool(json, "samples", analysis->has_samples);
    json_bool(json, "time", analysis->has_time || data_is_timed(analysis));
    json_bool(json, "calls", analysis->has_calls);
    json_bool(json, "paths", analysis->measured);
    json_bool(json, "timed", analysis->timed.known);
    json_close(json, '}');
}

/* Puts the time of the run, of the program and of the profiler; the errors are those of
 * samples. What profiling cost is the sum of two parts of all time: what sampling took,
 * and what its own functions had of the rest. */
static void put_run(struct json *json, const struct page *page)
{
    const struct analysis *analysis = page->analysis;
    const struct timed_run *timed = &analysis->timed;
    bool is_timed = data_is_timed(analysis);
    double program = analysis->program, profiler = analysis->overhead;
    double took = is_timed ? 0 : 100 * sampling_share(page->profile);
    double own = is_timed ? report_percent((double)timed->profiler, (double)timed->run)
                          : report_percent(profiler, analysis->total);

    own *= 1 - took / 100;
    json_open(json, "run", '{');
    json_real(json, "whole", is_timed ? (double)timed->run : analysis->total);
    json_real(json, "program", is_timed ? (double)timed->program : program);
    json_real(json, "profiler", is_timed ? (double)timed->profiler : profiler);
    json_real(json, "profiler_percent", own);
    if (is_timed)
        json_real(json, "unfinished", (double)timed->unfinished);
    json_real(json, "samples", analysis->samples);
    json_real(json, "sampling_percent", took);
    json_real(json, "cost_percent", took + own);
    json_close(json, '}');
}

/* Puts how many events came and how many were lost; task switches do not count as calls.
 */
static void put_events(struct json *json, const struct profile *profile)
{
    static const char *const names[EVENT_KINDS] = {"samples", "calls", "blocks",
                                                   "timed calls"};

    json_open(json, "events", '[');
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        if (profile->received[kind] == 0 && profile->lost[kind] == 0)
            continue;
        bool timed = kind == EVENT_CALL;
        json_open(json, NULL, '[');
        json_text(json, NULL, names[kind]);
        json_whole(json, NULL,
                   profile->received[kind] - (timed ? profile_switches(profile) : 0));
        if (profile->accounted)
            json_whole(json, NULL, profile->lost[kind]);
        else
            json_null(json, NULL);
        if (profile->one_task) /* only all tasks' losses are known */
            json_whole(json, NULL,
                       profile->run_received[kind] - (timed ? profile->run_switches : 0));
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* ---- Energy ---- */

/* Puts what the whole took, and, in words, what that means. Nothing where it was not
 * asked for. */
static void put_energy(struct json *json, const struct page *page)
{
    const struct energy *energy = page->energy;
    const struct report report = data_report(page);
    double bound;
    char text[96];

    if (energy == NULL)
        return;
    bound = energy_bound(energy, page->analysis);
    json_open(json, "energy", '{');
    json_real(json, "joules", energy->whole.joules);
    json_real(json, "error", energy->whole.error);
    json_real(json, "none", bound);
    json_whole(
        json, "none_decimals",
        (uint64_t)report_bound_decimals(bound * report_energy_scale(&report).factor, 3));
    report_current(text, sizeof text, &report, energy->amperes, energy->amperes_error);
    json_text(json, "mean", text);
    report_life(text, sizeof text, &report, energy->life, energy->life_error);
    json_text(json, "life", energy->life > 0 ? text : NULL);
    json_real(json, "battery", energy->power->battery / 3.6);
    json_close(json, '}');
}

/* ---- Tasks ---- */

/* Puts a task's share in per cent and its error. Where tasks were timed, it is measured.
 */
static void put_share(struct json *json, const struct task_sums *sums,
                      const struct task_sum *sum)
{
    bool timed = sums->samples == 0;
    double whole = (double)(timed ? sums->time : sums->samples);
    double share = (double)(timed ? sum->time.total : sum->samples) / whole;

    if (!(whole > 0)) {
        json_null(json, NULL);
        json_null(json, NULL);
        return;
    }
    json_real(json, NULL, 100 * share);
    json_real(json, NULL, timed ? 0 : 100 * analysis_share_error(share, whole));
}

static void put_task_energy(struct json *json, const struct energy *energy,
                            uint32_t number)
{
    const struct energy_task *task = energy_of_task(energy, number);

    json_real(json, NULL, task != NULL ? task->used.joules : 0);
    json_real(json, NULL, task != NULL ? task->used.error : 0);
}

static bool put_task(struct json *json, const struct page *page,
                     const struct task_sums *sums, const struct task_sum *sum,
                     struct error *error)
{
    json_open(json, NULL, '[');
    if (!data_name(json, NULL, sum->label, error))
        return false;
    json_whole(json, NULL, sum->idle);
    put_share(json, sums, sum);
    json_whole(json, NULL, sum->samples);
    json_whole(json, NULL, sum->calls);
    json_whole(json, NULL, sum->runs);
    json_real(json, NULL, (double)sum->time.total);
    json_real(json, NULL,
              sum->runs > 0 ? (double)sum->time.total / (double)sum->runs : 0);
    json_whole(json, NULL, sum->time.shortest);
    json_whole(json, NULL, sum->time.longest);
    if (page->energy != NULL)
        put_task_energy(json, page->energy, sum->number);
    json_close(json, ']');
    return true;
}

static bool put_tasks(struct json *json, const struct page *page, struct error *error)
{
    static const char *const columns[] = {"name",    "idle",     "share",   "error",
                                          "samples", "calls",    "runs",    "ran",
                                          "mean",    "shortest", "longest", NULL},
                             *const with_energy[] = {
                                 "name",    "idle",   "share",        "error", "samples",
                                 "calls",   "runs",   "ran",          "mean",  "shortest",
                                 "longest", "joules", "joules_error", NULL};
    struct task_sums sums;
    bool done = true;

    if (!task_sums_init(&sums, page->profile))
        return error_no_memory(error);
    json_open(json, "tasks", '{');
    data_words(json, "columns", page->energy != NULL ? with_energy : columns);
    json_open(json, "rows", '[');
    for (size_t i = 0; done && i < sums.count && page->profile->task_count > 0; i++)
        done = put_task(json, page, &sums, &sums.items[i], error);
    json_close(json, ']');
    json_close(json, '}');
    task_sums_release(&sums);
    return done;
}

static bool put_head(struct json *json, const struct page *page, struct error *error)
{
    json_text(json, "chip",
              *page->profile->arch != '\0' ? page->profile->arch
                                           : image_machine_name(page->image));
    json_bool(json, "lost", page->lost);
    json_bool(json, "live", page->live);
    json_bool(json, "compared", page->before != NULL);
    return data_name(json, "problem", page->problem, error) &&
           data_name(json, "title", path_tail(image_path(page->image), 1), error);
}

bool data_overview(FILE *out, const struct page *page, struct error *error)
{
    struct json json;

    data_begin(&json, out, "overview");
    if (!put_head(&json, page, error))
        return false;
    put_known(&json, page->analysis);
    put_units(&json, page);
    put_run(&json, page);
    put_events(&json, page->profile);
    put_energy(&json, page);
    if (!put_summary(&json, page, error) || !put_tasks(&json, page, error))
        return false;
    data_end(&json);
    return true;
}
