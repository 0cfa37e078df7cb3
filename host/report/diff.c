/* SPDX-License-Identifier: MIT */
#include "diff.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "../base/json.h"
#include "../base/plural.h"
#include "columns.h"
#include "report.h"

enum { LABEL = 8 }; /* columns */

/* A function without a sample among n has a share of at most 3 / n, with 95 % confidence.
 */
static const double at_most = 3;

static const struct diff_row *row_of(const void *view, size_t row)
{
    const struct diff_view *shown = view;

    return &shown->diff->rows[row];
}

static const char *plus_minus(const struct diff_view *view)
{
    return view->style.utf8 ? "±" : "+-";
}

static void put_share(struct cell *cell, const struct diff_view *view,
                      const struct diff_share *of)
{
    int digits = report_digits(100 * of->error), used;

    if (of->share <= 0 && of->error > 0) {
        double unit = pow(10, -digits);

        snprintf(cell->text, sizeof cell->text, "<%.*f", digits,
                 ceil(100 * at_most / of->samples / unit - 1e-9) * unit);
        cell->tint = TINT_DIM;
        return;
    }
    used = snprintf(cell->text, sizeof cell->text, "%.*f", digits, 100 * of->share);
    if (of->error > 0)
        snprintf(cell->text + used, sizeof cell->text - (size_t)used, " %s%.*f",
                 plus_minus(view), digits, 100 * of->error);
}

static enum tint tint_of(double sigmas)
{
    return fabs(sigmas) < DIFF_SIGMAS ? TINT_DIM : sigmas > 0 ? TINT_HOT : TINT_BOLD;
}

static void put_change(struct cell *cell, const struct diff_view *view,
                       const struct diff_share *before, const struct diff_share *after)
{
    double error = diff_error(before, after), change = after->share - before->share;
    int digits = report_digits(100 * error), used;

    if (before->share <= 0 && after->share <= 0)
        return;
    if (fabs(100 * change) < 0.5 * pow(10, -digits))
        used = snprintf(cell->text, sizeof cell->text, "0");
    else
        used = snprintf(cell->text, sizeof cell->text, "%+.*f", digits, 100 * change);
    if (error > 0)
        snprintf(cell->text + used, sizeof cell->text - (size_t)used, " %s%.*f",
                 plus_minus(view), digits, 100 * error);
    cell->tint = tint_of(diff_sigmas(before, after));
}

static void put_sigmas(struct cell *cell, const struct diff_share *before,
                       const struct diff_share *after)
{
    double sigmas = diff_sigmas(before, after);

    if (before->share <= 0 && after->share <= 0)
        return;
    snprintf(cell->text, sizeof cell->text, "%+.1f", sigmas);
    cell->tint = tint_of(sigmas);
}

static void cell_self_before(struct cell *cell, const void *view, size_t row)
{
    put_share(cell, view, &row_of(view, row)->before.self);
}

static void cell_self_after(struct cell *cell, const void *view, size_t row)
{
    put_share(cell, view, &row_of(view, row)->after.self);
}

static void cell_self_change(struct cell *cell, const void *view, size_t row)
{
    put_change(cell, view, &row_of(view, row)->before.self,
               &row_of(view, row)->after.self);
}

static void cell_self_sigmas(struct cell *cell, const void *view, size_t row)
{
    put_sigmas(cell, &row_of(view, row)->before.self, &row_of(view, row)->after.self);
}

static struct time_scale scale_of(const struct diff_view *view)
{
    const struct report report = {.style = view->style,
                                  .analysis = view->before.of.analysis};

    return report_time_scale(&report);
}

static void cell_self_time(struct cell *cell, const void *view, size_t row)
{
    const struct diff_view *shown = view;
    const struct diff_row *of = row_of(view, row);
    double factor = scale_of(shown).factor;
    struct diff_time time =
        diff_longer(&of->before.self, &of->after.self, shown->before.of.analysis->program,
                    shown->after.of.analysis->program);
    double change = time.change * factor, error = time.error * factor;
    int digits = report_bound_decimals(error, 3);

    if (of->before.self.share <= 0 && of->after.self.share <= 0)
        return;
    int used = fabs(change) < 0.5 * pow(10, -digits)
                   ? snprintf(cell->text, sizeof cell->text, "0")
                   : snprintf(cell->text, sizeof cell->text, "%+.*f", digits, change);
    snprintf(cell->text + used, sizeof cell->text - (size_t)used, " %s%.*f",
             plus_minus(shown), digits, error);
    cell->tint = tint_of(change / error);
}

static void cell_total_before(struct cell *cell, const void *view, size_t row)
{
    put_share(cell, view, &row_of(view, row)->before.total);
}

static void cell_total_after(struct cell *cell, const void *view, size_t row)
{
    put_share(cell, view, &row_of(view, row)->after.total);
}

static void cell_total_change(struct cell *cell, const void *view, size_t row)
{
    put_change(cell, view, &row_of(view, row)->before.total,
               &row_of(view, row)->after.total);
}

static void cell_total_sigmas(struct cell *cell, const void *view, size_t row)
{
    put_sigmas(cell, &row_of(view, row)->before.total, &row_of(view, row)->after.total);
}

static void put_calls(struct cell *cell, uint64_t calls)
{
    if (calls > 0)
        snprintf(cell->text, sizeof cell->text, "%" PRIu64, calls);
}

static void cell_calls_before(struct cell *cell, const void *view, size_t row)
{
    put_calls(cell, row_of(view, row)->before.calls);
}

static void cell_calls_after(struct cell *cell, const void *view, size_t row)
{
    put_calls(cell, row_of(view, row)->after.calls);
}

static void put_mean(struct cell *cell, const struct diff_view *view,
                     const struct diff_side *side)
{
    const struct report report = {.style = view->style};

    if (side->timed_calls > 0 && side->seconds > 0)
        report_duration(cell->text, sizeof cell->text, &report,
                        side->seconds / (double)side->timed_calls);
}

static void cell_mean_before(struct cell *cell, const void *view, size_t row)
{
    put_mean(cell, view, &row_of(view, row)->before);
}

static void cell_mean_after(struct cell *cell, const void *view, size_t row)
{
    put_mean(cell, view, &row_of(view, row)->after);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    cell->string = row_of(view, row)->name;
}

static void cell_inlined(struct cell *cell, const void *view, size_t row)
{
    cell->string = diff_inlined(row_of(view, row));
    cell->tint = TINT_DIM;
}

/* Shares of samples always have errors. Timed calls are measured, and so are their
 * totals. */
enum {
    ERRORS = NEEDS_SAMPLES,
    TOTALS = NEEDS_PATHS,
    CALLS = NEEDS_CALLS,
    MEANS = NEEDS_RATE,
    INLINED = NEEDS_BLOCKS,
    TIMES = NEEDS_SINGLES /* both runs are whole, and samples have a time */
};

static const struct column columns[] = {
    {{"self %", "before"}, .cell = cell_self_before},
    {{"self %", "after"}, .group = true, .cell = cell_self_after},
    {{"self %", "change"}, .group = true, .cell = cell_self_change},
    {{"self %", "sigma"},
     .group = true,
     .needs = ERRORS,
     .drop = 3,
     .cell = cell_self_sigmas},
    {{"change", NULL}, .needs = TIMES, .cell = cell_self_time},
    {{"total %", "before"}, .needs = TOTALS, .drop = 2, .cell = cell_total_before},
    {{"total %", "after"},
     .group = true,
     .needs = TOTALS,
     .drop = 2,
     .cell = cell_total_after},
    {{"total %", "change"}, .group = true, .needs = TOTALS, .cell = cell_total_change},
    {{"total %", "sigma"},
     .group = true,
     .needs = TOTALS | ERRORS,
     .drop = 3,
     .cell = cell_total_sigmas},
    {{"calls", "before"}, .needs = CALLS, .drop = 1, .cell = cell_calls_before},
    {{"calls", "after"},
     .group = true,
     .needs = CALLS,
     .drop = 1,
     .cell = cell_calls_after},
    {{"/call", "before"}, .needs = MEANS, .cell = cell_mean_before},
    {{"/call", "after"}, .group = true, .needs = MEANS, .cell = cell_mean_after},
    {{"", ""}, .left = true, .needs = INLINED, .cell = cell_inlined},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

/* How many rows changed by more than chance; rows are sorted by their change. */
static size_t changed(const struct diff *diff)
{
    size_t count = 0;

    while (count < diff->count &&
           fabs(diff_row_sigmas(diff, &diff->rows[count])) >= DIFF_SIGMAS)
        count++;
    return count;
}

static void put_side(const struct diff_view *view, const char *which, const char *path,
                     const struct analysis *analysis)
{
    const struct report report = {.style = view->style};
    const struct timed_run *timed = &analysis->timed;
    double samples = analysis->program * analysis->hz;
    char text[48] = "", line[PATH_MAX + 128];
    int used;

    fprintf(view->out, "%-*s", LABEL, which);
    if (view->diff->timed && timed->tick_seconds > 0)
        report_duration(text, sizeof text, &report,
                        (double)timed->program * timed->tick_seconds);
    else if (view->diff->timed)
        snprintf(text, sizeof text, "%" PRIu64 " ticks", timed->program);
    else if (analysis->has_time)
        report_duration(text, sizeof text, &report, analysis->program);
    used = snprintf(line, sizeof line, "%s: the program's %s", path, text);
    if (!view->diff->timed && used > 0 && (size_t)used < sizeof line)
        snprintf(line + used, sizeof line - (size_t)used, "%s%.0f sample%s",
                 *text != '\0' ? ", " : "", samples, plural(samples));
    style_words(&view->style, view->out, line, LABEL, LABEL, CUT_PATH);
    fputc('\n', view->out);
}

/* Prints how much longer the program took in all: where every function takes its part of
 * that, no share changes. */
static void put_time(const struct diff_view *view)
{
    const struct report report = {.style = view->style};
    struct diff_time time;
    char error[48] = "", sigma[48] = "";
    int decimals = 1;

    if (!view->ended ||
        !diff_time(view->before.of.analysis, view->after.of.analysis, &time))
        return;
    if (time.error > 0) {
        decimals = report_decimals(100 * time.error);
        decimals = decimals < 0 ? 0 : decimals;
        snprintf(error, sizeof error, " %s%.*f", report_plus_minus(&report), decimals,
                 100 * time.error);
        snprintf(sigma, sizeof sigma, " (sigma %+.1f)", time.change / time.error);
    }
    fprintf(view->out, "%-*sthe program's time %+.*f%s %%%s\n", LABEL, "change", decimals,
            100 * time.change, error, sigma);
}

/* `rows`: those that are shown. */
static unsigned knows(const struct diff *diff, size_t rows)
{
    bool inlined = false;

    for (size_t i = 0; i < rows && !inlined; i++)
        inlined = *diff_inlined(&diff->rows[i]) != '\0';
    return (inlined ? INLINED : 0) | (diff->timed ? MEANS : ERRORS) |
           (diff->totals ? TOTALS : 0) | (diff->calls ? CALLS : 0);
}

static void put_rest(const struct diff_view *view, size_t left, bool changed)
{
    if (left == 0)
        return;
    if (changed)
        fprintf(view->out, "and %zu more that changed\n", left);
    else if (view->diff->timed)
        fprintf(view->out, "%zu function%s not change: --all\n", left,
                left == 1 ? " did" : "s did");
    else
        fprintf(view->out, "%zu function%s by less than %d standard errors: --all\n",
                left, left == 1 ? " changed" : "s changed", DIFF_SIGMAS);
}

bool report_diff(const struct diff_view *view, struct error *error)
{
    const struct diff *diff = view->diff;
    size_t wanted = view->all ? diff->count : changed(diff);
    struct table table = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .view = view,
        .rows = view->limit != 0 && view->limit < wanted ? view->limit : wanted,
        .time_unit = scale_of(view).unit,
    };

    table.knows = knows(diff, table.rows);
    if (view->ended && !diff->timed && view->before.of.analysis->has_time &&
        view->after.of.analysis->has_time)
        table.knows |= TIMES;

    put_side(view, "before", view->before.path, view->before.of.analysis);
    put_side(view, "after", view->after.path, view->after.of.analysis);
    put_time(view);
    fputc('\n', view->out);
    if (table.rows == 0)
        fputs(diff->timed
                  ? "no function changed\n"
                  : "no function's share of the time changed by more than chance\n",
              view->out);
    else if (!table_print(&table, &view->style, view->out, error))
        return false;
    put_rest(view, wanted - table.rows, true);
    put_rest(view, diff->count - wanted, false);
    return true;
}

/* ---- JSON ---- */

static void json_share(struct json *json, const char *key,
                       const struct diff_share *before, const struct diff_share *after)
{
    json_open(json, key, '{');
    json_real(json, "before", before->share);
    json_real(json, "before_error", before->error);
    json_real(json, "after", after->share);
    json_real(json, "after_error", after->error);
    json_real(json, "sigmas", diff_sigmas(before, after));
    json_close(json, '}');
}

static void json_side(struct json *json, const char *key, const char *path,
                      const struct analysis *analysis, bool timed)
{
    double tick = analysis->timed.tick_seconds;

    json_open(json, key, '{');
    json_text(json, "capture", path);
    json_real(json, "samples", analysis->program * analysis->hz);
    if (timed && tick > 0)
        json_real(json, "seconds", (double)analysis->timed.program * tick);
    else if (!timed && analysis->has_time)
        json_real(json, "seconds", analysis->program);
    else
        json_null(json, "seconds");
    json_close(json, '}');
}

static void json_time(struct json *json, const struct diff_view *view)
{
    struct diff_time time;

    if (!view->ended ||
        !diff_time(view->before.of.analysis, view->after.of.analysis, &time)) {
        json_null(json, "time");
        return;
    }
    json_open(json, "time", '{');
    json_real(json, "change", time.change);
    json_real(json, "error", time.error);
    if (time.error > 0)
        json_real(json, "sigmas", time.change / time.error);
    else
        json_null(json, "sigmas");
    json_close(json, '}');
}

static void json_mean(struct json *json, const char *key, const struct diff_side *side)
{
    if (side->timed_calls > 0 && side->seconds > 0)
        json_real(json, key, side->seconds / (double)side->timed_calls);
    else
        json_null(json, key);
}

static void json_row(struct json *json, const struct diff *diff,
                     const struct diff_row *row)
{
    json_open(json, NULL, '{');
    json_text(json, "name", row->name);
    json_bool(json, "before", row->before.there);
    json_bool(json, "after", row->after.there);
    json_bool(json, "inlined_before", row->before.inlined);
    json_bool(json, "inlined_after", row->after.inlined);
    json_share(json, "self", &row->before.self, &row->after.self);
    if (diff->totals)
        json_share(json, "total", &row->before.total, &row->after.total);
    if (diff->calls) {
        json_whole(json, "calls_before", row->before.calls);
        json_whole(json, "calls_after", row->after.calls);
    }
    if (diff->timed) {
        json_mean(json, "mean_seconds_before", &row->before);
        json_mean(json, "mean_seconds_after", &row->after);
    }
    json_close(json, '}');
}

void report_diff_json(const struct diff_view *view)
{
    struct json json = {.out = view->out, .indent = 1};

    json_open(&json, NULL, '{');
    json_side(&json, "before", view->before.path, view->before.of.analysis,
              view->diff->timed);
    json_side(&json, "after", view->after.path, view->after.of.analysis,
              view->diff->timed);
    json_time(&json, view);
    json_text(&json, "of", view->diff->timed ? "timed calls" : "samples");
    json_open(&json, "functions", '[');
    for (size_t i = 0; i < view->diff->count; i++)
        json_row(&json, view->diff, &view->diff->rows[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', view->out);
}
