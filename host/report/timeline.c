/* SPDX-License-Identifier: MIT */
/* Sums of the timeline: the load, the longest stretches, waits, the user's marks. */
#include <inttypes.h>

#include "../base/digits.h"
#include "../capture/sampling.h"
#include "../capture/tasks.h"
#include "../capture/timeline_sums.h"
#include "columns.h"
#include "report.h"

enum { DURATION_MAX = 32 };

struct timeline_view {
    const struct report *report;
    struct timeline_sums sums;
};

static const struct timeline_track *track_of(const void *view, size_t row)
{
    return &((const struct timeline_view *)view)->sums.tracks[row];
}

static const struct timeline_marks *marks_of(const void *view, size_t row)
{
    return &((const struct timeline_view *)view)->sums.marks[row];
}

static void put_ticks(char *text, size_t size, const void *view, uint64_t ticks)
{
    const struct report *report = ((const struct timeline_view *)view)->report;
    report_duration(text, size, report, (double)ticks / report->profile->timeline.hz);
}

static void put_durations(struct cell *cell, const void *view,
                          const struct durations *durations, double part)
{
    if (durations->count > 0)
        put_ticks(cell->text, sizeof cell->text, view,
                  durations_quantile(durations, part));
}

static void put_count(struct cell *cell, uint64_t count)
{
    if (count > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64, count);
}

/* ---- Tasks and interrupts ---- */

static void cell_load(struct cell *cell, const void *view, size_t row)
{
    const struct timeline_track *track = track_of(view, row);
    double percent = report_percent(
        (double)track->ticks, (double)((const struct timeline_view *)view)->sums.known);
    digits_fixed(cell->text, sizeof cell->text, percent, 2);
    cell->tint = track->idle ? TINT_DIM : report_heat(percent);
}

static void cell_ran(struct cell *cell, const void *view, size_t row)
{
    put_ticks(cell->text, sizeof cell->text, view, track_of(view, row)->ticks);
}

static void cell_energy(struct cell *cell, const void *view, size_t row)
{
    const struct report *report = ((const struct timeline_view *)view)->report;
    const struct timeline_track *track = track_of(view, row);
    const struct joules energy =
        energy_of_time(report->energy, report->profile, track->number,
                       (double)track->ticks / report->profile->timeline.hz);
    report_energy(cell->text, sizeof cell->text, report, &energy);
    cell->tint = track->idle ? TINT_DIM : TINT_PLAIN;
}

static void cell_times(struct cell *cell, const void *view, size_t row)
{
    put_count(cell, track_of(view, row)->stretches.count);
}

static void cell_median(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &track_of(view, row)->stretches, 0.5);
}

static void cell_late(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &track_of(view, row)->stretches, 0.99);
}

static void cell_longest(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &track_of(view, row)->stretches, 1);
}

static void cell_wait_median(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &track_of(view, row)->waits, 0.5);
}

static void cell_wait_late(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &track_of(view, row)->waits, 0.99);
}

static void cell_wait_longest(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &track_of(view, row)->waits, 1);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    const struct timeline_track *track = track_of(view, row);
    char label[TASK_LABEL_MAX];
    task_label(label, ((const struct timeline_view *)view)->report->profile,
               track->number);
    snprintf(cell->text, sizeof cell->text, "%s", label);
    if (track->idle) {
        snprintf(cell->suffix, sizeof cell->suffix, " (idle)");
        cell->tint = TINT_DIM;
    }
}

static const struct column track_columns[] = {
    {{"load", "%"}, .width = 6, .cell = cell_load},
    {{"", "ran"}, .width = 8, .cell = cell_ran},
    {{"energy", NULL}, .needs = NEEDS_POWER, .cell = cell_energy},
    {{"", "times"}, .cell = cell_times},
    {{"stretch", "p50"}, .width = 7, .drop = 2, .cell = cell_median},
    {{"stretch", "p99"}, .group = true, .width = 7, .drop = 1, .cell = cell_late},
    {{"stretch", "max"}, .group = true, .width = 7, .cell = cell_longest},
    {{"", "task"}, .left = true, .cell = cell_name},
};

static const struct column waiting_columns[] = {
    {{"load", "%"}, .width = 6, .cell = cell_load},
    {{"", "ran"}, .width = 8, .cell = cell_ran},
    {{"energy", NULL}, .needs = NEEDS_POWER, .cell = cell_energy},
    {{"", "times"}, .cell = cell_times},
    {{"stretch", "p50"}, .width = 7, .drop = 3, .cell = cell_median},
    {{"stretch", "p99"}, .group = true, .width = 7, .drop = 2, .cell = cell_late},
    {{"stretch", "max"}, .group = true, .width = 7, .cell = cell_longest},
    {{"wait", "p50"}, .width = 7, .drop = 4, .cell = cell_wait_median},
    {{"wait", "p99"}, .group = true, .width = 7, .drop = 1, .cell = cell_wait_late},
    {{"wait", "max"}, .group = true, .width = 7, .cell = cell_wait_longest},
    {{"", "task"}, .left = true, .cell = cell_name},
};

static bool any_waits(const struct timeline_sums *sums)
{
    for (size_t i = 0; i < sums->track_count; i++)
        if (sums->tracks[i].waits.count > 0)
            return true;
    return false;
}

static bool print(const struct timeline_view *view, const struct column *columns,
                  size_t count, size_t rows, struct error *error)
{
    const struct report *report = view->report;
    struct table table = {.columns = columns,
                          .column_count = count,
                          .view = view,
                          .rows = rows,
                          .knows = report_knows(report),
                          .time_unit = "",
                          .energy_unit = report_energy_scale(report).unit};
    return table_print(&table, &report->style, report->out, error);
}

#define PRINT(view, columns, rows, error)                                                \
    print(view, columns, sizeof(columns) / sizeof(columns)[0], rows, error)

/* Prints the processor's load, and what is not known. */
static void print_load(const struct timeline_view *view)
{
    const struct timeline_sums *sums = &view->sums;
    FILE *out = view->report->out;
    char known[DURATION_MAX], unknown[DURATION_MAX];
    put_ticks(known, sizeof known, view, sums->known);
    put_ticks(unknown, sizeof unknown, view, sums->unknown);
    if (sums->idle > 0)
        fprintf(out, "load %.1f %% of %s",
                report_percent((double)(sums->known - sums->idle), (double)sums->known),
                known);
    else
        fprintf(out, "%s, in which no task is known to be idle", known);
    if (sums->gaps > 0)
        fprintf(out, "; what ran in another %s is not known (%zu %s)", unknown,
                sums->gaps, sums->gaps == 1 ? "gap" : "gaps");
    fputc('\n', out);
    double latest = sampling_latest(view->report->profile);
    if (latest > 0) {
        report_duration(known, sizeof known, view->report, latest);
        fprintf(out, "interrupts masked for up to %s, as samples came that late\n",
                known);
    }
    fputc('\n', out);
}

/* ---- Marks ---- */

static void cell_mark_times(struct cell *cell, const void *view, size_t row)
{
    const struct timeline_marks *marks = marks_of(view, row);
    put_count(cell, marks->count > 0 ? marks->count : marks->spans.count);
}

static void put_value(struct cell *cell, const struct timeline_marks *marks,
                      int32_t value)
{
    if (marks->count > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRId32, value);
}

static void cell_last(struct cell *cell, const void *view, size_t row)
{
    put_value(cell, marks_of(view, row), marks_of(view, row)->last);
}

static void cell_least(struct cell *cell, const void *view, size_t row)
{
    put_value(cell, marks_of(view, row), marks_of(view, row)->least);
}

static void cell_most(struct cell *cell, const void *view, size_t row)
{
    put_value(cell, marks_of(view, row), marks_of(view, row)->most);
}

static void cell_span_median(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &marks_of(view, row)->spans, 0.5);
}

static void cell_span_late(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &marks_of(view, row)->spans, 0.99);
}

static void cell_span_longest(struct cell *cell, const void *view, size_t row)
{
    put_durations(cell, view, &marks_of(view, row)->spans, 1);
}

static void cell_mark(struct cell *cell, const void *view, size_t row)
{
    uint32_t name = marks_of(view, row)->name;
    struct image *image = ((const struct timeline_view *)view)->report->image;
    cell->string = image != NULL ? image_text(image, name) : NULL;
    if (cell->string == NULL)
        snprintf(cell->text, sizeof cell->text, "[0x%" PRIx32 "]", name);
}

static const struct column mark_columns[] = {
    {{"", "times"}, .width = 6, .cell = cell_mark_times},
    {{"span", "p50"}, .width = 7, .cell = cell_span_median},
    {{"span", "p99"}, .group = true, .width = 7, .cell = cell_span_late},
    {{"span", "max"}, .group = true, .width = 7, .cell = cell_span_longest},
    {{"value", "last"}, .width = 6, .drop = 1, .cell = cell_last},
    {{"value", "min"}, .group = true, .width = 6, .cell = cell_least},
    {{"value", "max"}, .group = true, .width = 6, .cell = cell_most},
    {{"", "mark"}, .left = true, .cell = cell_mark},
};

static bool print_all(const struct timeline_view *view, struct error *error)
{
    const struct timeline_sums *sums = &view->sums;
    size_t rows = sums->track_count;
    report_title(view->report, "Timeline",
                 "tasks from switch to switch, interrupts from entry to return");
    print_load(view);
    if (!(any_waits(sums) ? PRINT(view, waiting_columns, rows, error)
                          : PRINT(view, track_columns, rows, error)))
        return false;
    if (sums->mark_count == 0)
        return true;
    report_title(view->report, "Marks", "the program's own");
    return PRINT(view, mark_columns, sums->mark_count, error);
}

bool report_timeline(const struct report *report, struct error *error)
{
    struct timeline_view view = {.report = report};
    if (report->profile->timeline.hz <= 0) {
        fputs("\nno timeline: build the firmware with MCUPROF_TIMELINE=1\n", report->out);
        return true;
    }
    if (!timeline_sums_init(&view.sums, report->profile))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    bool done = print_all(&view, error);
    timeline_sums_release(&view.sums);
    return done;
}
