/* SPDX-License-Identifier: MIT */
/* Figures of functions as columns and cells: how each unit is shown. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/digits.h"
#include "columns.h"

/* ---- Cells ---- */

static void put_number(struct cell *cell, const struct measure *measure)
{
    const char *before = measure->is == MEASURE_AT_LEAST ? "\u2265" : "";
    if (measure->recursive > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64 "+%" PRIu64, measure->whole,
                 measure->recursive);
    else if (measure->whole > 0)
        digits_whole(cell->text, sizeof cell->text, before, measure->whole, "");
}

static void put_samples(struct cell *cell, double samples)
{
    int decimals = samples > rint(samples) || samples < rint(samples);
    digits_fixed(cell->text, sizeof cell->text, samples, decimals);
    cell->tint = samples > 0 ? TINT_PLAIN : TINT_DIM;
}

static void put_seconds(struct cell *cell, const struct report *report,
                        const struct measure *measure)
{
    if (isnan(measure->error))
        report_estimate(cell->text, sizeof cell->text, report, measure->value);
    else
        report_total(cell->text, sizeof cell->text, report, measure->value,
                     measure->missing);
    cell->tint = measure->value > 0 ? TINT_PLAIN : TINT_DIM;
}

static void put_percent(struct cell *cell, const struct figure_view *view,
                        const struct figure *figure, const struct measure *measure)
{
    const struct analysis *analysis = view->source.analysis;
    double whole = view->source.overhead ? analysis->total : analysis->program;
    if ((figure->needs & NEEDS_SAMPLES) != 0 && !isnan(measure->error))
        report_share_figure(cell->text, sizeof cell->text, view->report, measure, whole);
    else
        digits_fixed(cell->text, sizeof cell->text, measure->value, 2);
    cell->tint = report_heat(measure->value);
}

static void put_duration(char *text, size_t size, const struct figure_view *view,
                         const struct measure *measure, double factor)
{
    size_t used = measure->is == MEASURE_AT_MOST;
    if (used > 0)
        snprintf(text, size, "<");
    report_duration(text + used, size - used, view->report, measure->value * factor);
}

/* Writes a sampled time by calls, with its error unless it is an estimate. */
static void put_a_call(struct cell *cell, const struct figure_view *view,
                       const struct measure *measure)
{
    size_t used = measure->is == MEASURE_AT_MOST;
    if (!(measure->error > 0)) {
        put_duration(cell->text, sizeof cell->text, view, measure, 1);
        return;
    }
    if (used > 0)
        snprintf(cell->text, sizeof cell->text, "<");
    report_mean(cell->text + used, sizeof cell->text - used, view->report, measure->value,
                measure->error);
}

/* Writes the time of a call, in the table's unit or in one that suits it. */
static void put_single(struct cell *cell, const struct figure_view *view,
                       const struct measure *measure)
{
    double tick = view->source.analysis->timed.tick_seconds;
    if (view->singles.unit != NULL)
        report_time(cell->text, sizeof cell->text, &view->singles, measure->value);
    else if (tick > 0 && measure->value > 0)
        put_duration(cell->text, sizeof cell->text, view, measure, tick);
    else
        digits_fixed(cell->text, sizeof cell->text, measure->value,
                     measure->whole > 0 || !(measure->value > 0) ? 0 : 1);
    cell->tint = measure->value > 0 ? TINT_PLAIN : TINT_DIM;
}

static void put_joules(struct cell *cell, const struct report *report,
                       const struct measure *measure)
{
    const struct joules joules = {.joules = measure->value,
                                  .error = isnan(measure->error) ? 0 : measure->error};
    report_energy(cell->text, sizeof cell->text, report, &joules);
    cell->tint = measure->value > 0 ? TINT_PLAIN : TINT_DIM;
}

/* Writes a standard error, in per cent of the value. */
static void put_error(struct cell *cell, const struct measure *measure)
{
    double percent = report_percent(measure->error, measure->value);
    if (measure->error > 0 && measure->value > 0)
        snprintf(cell->text, sizeof cell->text, "%.*f", percent < 9.95 ? 1 : 0, percent);
    cell->tint = TINT_DIM;
}

static void put_unknown(struct cell *cell, const struct figure_view *view,
                        const struct figure *figure)
{
    cell->tint = TINT_DIM;
    if ((figure->needs & NEEDS_SINGLES) != 0)
        cell->string = view->report->style.utf8 ? "–" : "-";
    else if (figure->unit == UNIT_PERCENT && (figure->needs & NEEDS_SAMPLES) != 0)
        cell->string = "0"; /* of no time at all */
}

void report_figure(struct cell *cell, const struct figure_view *view,
                   const struct figure_key *key, const struct measure *measure)
{
    if (key->error) {
        put_error(cell, measure);
        return;
    }
    if (isnan(measure->value)) {
        put_unknown(cell, view, key->figure);
        return;
    }
    switch (key->figure->unit) {
    case UNIT_NUMBER:
        put_number(cell, measure);
        break;
    case UNIT_SAMPLES:
        put_samples(cell, measure->value);
        break;
    case UNIT_SECONDS:
        put_seconds(cell, view->report, measure);
        break;
    case UNIT_SECONDS_A_CALL:
        put_a_call(cell, view, measure);
        break;
    case UNIT_TICKS:
        report_time(cell->text, sizeof cell->text, &view->sums, measure->value);
        cell->tint = measure->value > 0 ? TINT_PLAIN : TINT_DIM;
        break;
    case UNIT_TICKS_A_CALL:
        put_single(cell, view, measure);
        break;
    case UNIT_PERCENT:
        put_percent(cell, view, key->figure, measure);
        break;
    case UNIT_JOULES:
        put_joules(cell, view->report, measure);
        break;
    }
}

/* ---- Columns ---- */

static const char *unit_of(const struct figure *figure, const struct figure_view *view)
{
    switch (figure->unit) {
    case UNIT_SECONDS:
        return report_time_scale(view->report).unit;
    case UNIT_TICKS:
        return view->sums.unit;
    case UNIT_JOULES:
        return report_energy_scale(view->report).unit;
    default:
        return "";
    }
}

/* The title in a table of timed calls, where "timed" need not be said. */
static const char *shorter(const char *title)
{
    static const char timed[] = "timed";
    if (strncmp(title, timed, sizeof timed - 1) != 0)
        return title;
    title += sizeof timed - 1;
    return *title == ' ' ? title + 1 : title;
}

static const char *estimated_title(const char *title)
{
    return strcmp(title, "total") == 0 ? "total~" : "callees~";
}

static void give_title(struct column *column, const struct figure_view *view)
{
    const struct analysis *analysis = view->source.analysis;
    const struct figure *figure = column->key.figure;
    const char **title = column->title;
    title[0] = figure->title[0];
    title[1] = figure->title[1] != NULL ? figure->title[1] : unit_of(figure, view);
    if (figure->estimated && analysis->has_samples && !analysis->measured)
        title[0] = estimated_title(title[0]);
    if (view->calls)
        title[0] = shorter(title[0]);
    if (figure->unit == UNIT_TICKS_A_CALL && view->singles.unit != NULL) {
        title[0] = title[1];
        title[1] = view->singles.unit;
    }
    if (column->key.error) { /* it stands behind its figure */
        title[0] = report_plus_minus(view->report);
        title[1] = "%";
    }
}

void report_columns(struct column *columns, const struct column *from, size_t count,
                    const struct figure_view *view)
{
    for (size_t i = 0; i < count; i++) {
        struct figure_list found;
        struct error error;
        columns[i] = from[i];
        if (from[i].id == NULL || !figures_parse(&found, from[i].id, &error))
            continue;
        columns[i].key = found.keys[0];
        columns[i].needs |= found.keys[0].figure->needs;
        give_title(&columns[i], view);
    }
}

void report_list_columns(struct column *columns, const struct figure_list *list,
                         const struct figure_view *view)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct figure_key *key = &list->keys[i];
        columns[i] = (struct column){.key = *key, .needs = key->figure->needs};
        give_title(&columns[i], view);
        /* what an error is of must be said where its figure does not come before */
        if (key->error && (i == 0 || list->keys[i - 1].figure != key->figure))
            columns[i].title[0] = key->figure->id;
        if (key->error && columns[i].title[0] == key->figure->id)
            columns[i].title[1] = view->report->style.utf8 ? "± %" : "+- %";
    }
}

size_t report_lacking(const struct report *report, const struct figure_list *list,
                      const char *what)
{
    unsigned knows = report_knows(report);
    const struct figure_list found = figures_in(list, knows);
    char text[FIGURES_TEXT];
    size_t lacking = figures_lacking(&found, knows, text);
    if (lacking > 0)
        fprintf(report->out, "%s%s\n", what, text);
    return lacking;
}
