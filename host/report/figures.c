/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/digits.h"
#include "columns.h"
#include "report.h"

enum { DECIMALS_MAX = 6, SHARE_DECIMALS_MAX = 2 };

/* 0 samples mean that there are at most 3, with 95 % confidence: the rule of three. */
static const double at_most = 3;

int report_decimals(double error)
{
    double first = floor(log10(error));
    if (rint(error / pow(10, first)) > 9) /* 0.096 is shown as 0.1 */
        first++;
    return (int)-first;
}

int report_digits(double error)
{
    int digits = error > 0 ? report_decimals(error) : SHARE_DECIMALS_MAX;

    return digits < 0 ? 0 : digits > SHARE_DECIMALS_MAX ? SHARE_DECIMALS_MAX : digits;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

struct time_scale report_time_scale(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    struct time_scale scale = {report->style.utf8 ? "µs" : "us", 1e6, 3, 0};
    if (!analysis->has_time)
        return (struct time_scale){"samples", 1, 0, 0};
    if (analysis->total >= 1)
        scale = (struct time_scale){"s", 1, 3, 0};
    else if (analysis->total >= 1e-3)
        scale = (struct time_scale){"ms", 1e3, 3, 0};
    scale.finest = least(report_decimals(scale.factor / analysis->hz), DECIMALS_MAX);
    scale.finest = most(0, scale.finest);
    return scale;
}

static const struct time_scale seconds_scales[] = {
    {"s", 1, 3, 0}, {"ms", 1e3, 3, 0}, {"us", 1e6, 3, 0}, {"ns", 1e9, 0, 0}};

/* A scale from ticks, with as many decimals as show one tick, but at most `decimals`. */
static struct time_scale from_ticks(const struct report *report, size_t unit,
                                    int decimals)
{
    double tick = report->analysis->timed.tick_seconds;
    struct time_scale scale = seconds_scales[unit];
    scale.factor *= tick;
    scale.decimals = 0;
    for (double step = 1; scale.decimals < decimals && scale.factor < step; step /= 10)
        scale.decimals++;
    if (unit == 2 && report->style.utf8)
        scale.unit = "µs";
    return scale;
}

struct time_scale report_ticks_scale(const struct report *report)
{
    const struct timed_run *timed = &report->analysis->timed;
    double seconds = (double)timed->program * timed->tick_seconds;
    if (timed->tick_seconds <= 0)
        return (struct time_scale){"ticks", 1, 0, 0};
    return from_ticks(report, seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : 2, 3);
}

struct time_scale report_single_scale(const struct report *report, double least,
                                      double most)
{
    double tick = report->analysis->timed.tick_seconds;
    if (tick <= 0)
        return (struct time_scale){"ticks", 1, 1, 0};
    struct time_scale scale = least * tick >= 1e-2 ? from_ticks(report, 1, 3)
                              : most * tick < 1e-6 ? from_ticks(report, 3, 1)
                                                   : from_ticks(report, 2, 2);
    scale.decimals += scale.decimals == 0; /* for the mean */
    return scale;
}

void report_time(char *text, size_t size, const struct time_scale *scale, double time)
{
    if (time > 0)
        digits_fixed(text, size, time * scale->factor, scale->decimals);
    else
        snprintf(text, size, "0");
}

/* Writes "%.*f" of a number; if `decimals` is below 0, rounds it left of the point.
 * Blanks fill the place of missing decimals, up to `columns`. Returns the bytes written.
 */
static int put_digits(char *text, size_t size, double number, int decimals, int columns)
{
    double unit = decimals < 0 ? pow(10, -decimals) : 0;
    int shown = decimals < 0 ? 0 : decimals;
    int blanks = columns - shown + (shown == 0 && columns > 0);
    int used =
        digits_fixed(text, size, unit > 0 ? rint(number / unit) * unit : number, shown);
    if (used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "%*s", blanks, "");
    return used;
}

/* Writes a bound. It is rounded up, so that it stays a bound. */
static void put_bound(char *text, size_t size, double bound, int decimals)
{
    double unit = pow(10, -decimals);
    snprintf(text, size, "<%.*f", decimals, ceil(bound / unit - 1e-9) * unit);
}

const char *report_plus_minus(const struct report *report)
{
    return report->style.utf8 ? "±" : "+-";
}

/* Writes an error with the decimals of its figure; it is never rounded to 0. */
static void put_error(char *text, size_t size, double error, int decimals, int columns)
{
    put_digits(text, size, fmax(error, pow(10, -decimals)), decimals, columns);
}

/* As report_total(), with or without the error. */
static void put_sampled(char *text, size_t size, const struct report *report, double time,
                        double hidden, bool with_error)
{
    const struct analysis *analysis = report->analysis;
    struct time_scale scale = report_time_scale(report);
    double chance = analysis_error(analysis, time * analysis->hz) / analysis->hz;
    double error = hypot(chance, hidden) * scale.factor;
    if (time <= 0 && analysis->has_time) {
        put_bound(text, size, at_most / analysis->hz * scale.factor, scale.finest);
        return;
    }
    int decimals = time > 0 ? least(report_decimals(error), scale.finest) : 0;
    if (hidden > 0) /* it can only be more, so its first digit stays */
        decimals =
            most(decimals, least(report_decimals(time * scale.factor), scale.finest));
    if (!analysis->has_time)
        decimals = 0;
    int used = put_digits(text, size, time * scale.factor, decimals, scale.finest);
    if (!with_error || time <= 0 || used < 0 || (size_t)used >= size)
        return;
    text += used;
    size -= (size_t)used;
    used = snprintf(text, size, " %s", report_plus_minus(report));
    if (used > 0 && (size_t)used < size)
        put_error(text + used, size - (size_t)used, error, decimals, scale.finest);
}

void report_sampled(char *text, size_t size, const struct report *report, double time)
{
    put_sampled(text, size, report, time, 0, true);
}

void report_total(char *text, size_t size, const struct report *report, double time,
                  double hidden)
{
    put_sampled(text, size, report, time, hidden, true);
}

void report_estimate(char *text, size_t size, const struct report *report, double time)
{
    put_sampled(text, size, report, time, 0, false);
}

struct time_scale report_energy_scale(const struct report *report)
{
    double joules = report->energy != NULL ? report->energy->whole.joules : 0;
    if (report->energy == NULL)
        return (struct time_scale){"", 1, 3, 3};
    if (joules >= 1)
        return (struct time_scale){"J", 1, 3, 3};
    if (joules >= 1e-3)
        return (struct time_scale){"mJ", 1e3, 3, 3};
    if (joules >= 1e-6)
        return (struct time_scale){report->style.utf8 ? "µJ" : "uJ", 1e6, 3, 3};
    return (struct time_scale){"nJ", 1e9, 3, 3};
}

/* Writes "11.7 ±0.1"; without an error three digits. Blanks fill the place of missing
 * decimals up to `columns`. */
static void put_with_error(char *text, size_t size, const struct report *report,
                           double figure, double error, int finest, int columns)
{
    int decimals = error > 0 ? report_decimals(error) : report_decimals(figure) + 2;
    decimals = least(decimals, finest);
    columns = most(columns, decimals);
    int used = put_digits(text, size, figure, decimals, columns);
    if (error <= 0 || used < 0 || (size_t)used >= size)
        return;
    text += used;
    size -= (size_t)used;
    used = snprintf(text, size, " %s", report_plus_minus(report));
    if (used > 0 && (size_t)used < size)
        put_error(text + used, size - (size_t)used, error, decimals, columns);
}

void report_with_error(char *text, size_t size, const struct report *report,
                       double figure, double error)
{
    if (figure > 0)
        put_with_error(text, size, report, figure, error, DECIMALS_MAX, 0);
    else
        snprintf(text, size, "0");
}

int report_bound_decimals(double bound, int finest)
{
    return bound > 0 ? most(0, least(report_decimals(bound), finest)) : finest;
}

void report_energy(char *text, size_t size, const struct report *report,
                   const struct joules *energy)
{
    struct time_scale scale = report_energy_scale(report);
    double figure = energy->joules * scale.factor, error = energy->error * scale.factor;
    double bound = energy_bound(report->energy, report->analysis) * scale.factor;
    text[0] = '\0';
    if (figure > 0)
        put_with_error(text, size, report, figure, error, scale.finest, scale.finest);
    else if (bound > 0)
        put_bound(text, size, bound, report_bound_decimals(bound, scale.finest));
}

/* Writes a figure in the last of some units that it has at least `least` of; the first is
 * the smallest. */
struct unit_size {
    const char *name;
    double size, least;
};

static void put_in_unit(char *text, size_t size, const struct report *report,
                        double figure, double error, const struct unit_size *units)
{
    while (units[1].name != NULL && figure >= units[1].least * units[1].size)
        units++;
    report_with_error(text, size, report, figure / units->size, error / units->size);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " %s", units->name);
}

void report_mean(char *text, size_t size, const struct report *report, double seconds,
                 double error)
{
    const struct unit_size units[] = {{"ns", 1e-9, 1},
                                      {report->style.utf8 ? "µs" : "us", 1e-6, 1},
                                      {"ms", 1e-3, 1},
                                      {"s", 1, 1},
                                      {.name = NULL}};
    put_in_unit(text, size, report, seconds, error, units);
}

void report_current(char *text, size_t size, const struct report *report, double amperes,
                    double error)
{
    const struct unit_size units[] = {{"nA", 1e-9, 1},
                                      {report->style.utf8 ? "µA" : "uA", 1e-6, 1},
                                      {"mA", 1e-3, 1},
                                      {"A", 1, 1},
                                      {.name = NULL}};
    put_in_unit(text, size, report, amperes, error, units);
}

void report_joules(char *text, size_t size, const struct report *report, double joules,
                   double error)
{
    const struct unit_size units[] = {{"nJ", 1e-9, 1},
                                      {report->style.utf8 ? "µJ" : "uJ", 1e-6, 1},
                                      {"mJ", 1e-3, 1},
                                      {"J", 1, 1},
                                      {.name = NULL}};
    put_in_unit(text, size, report, joules, error, units);
}

void report_life(char *text, size_t size, const struct report *report, double seconds,
                 double error)
{
    static const struct unit_size units[] = {{"hours", 3600, 1},
                                             {"days", 24 * 3600.0, 2},
                                             {"years", 365.25 * 24 * 3600, 2},
                                             {.name = NULL}};
    put_in_unit(text, size, report, seconds, error, units);
}

/* Decimals of a share: *finest is the largest number possible; returns those that its
 * error leaves. */
static int share_digits(double error, double sample, int *finest)
{
    *finest = most(0, least(report_decimals(sample), SHARE_DECIMALS_MAX));
    return error > 0 ? most(0, least(report_decimals(error), *finest)) : *finest;
}

/* The error of a share of `whole`, in per cent. */
static double share_error(const struct report *report, double time, double hidden,
                          double whole)
{
    double chance = analysis_share_error(time / whole, whole * report->analysis->hz);
    return 100 * hypot(chance, hidden / whole);
}

void report_share(char *text, size_t size, const struct report *report, double time,
                  double whole)
{
    report_total_share(text, size, report, time, 0, whole);
}

void report_total_share(char *text, size_t size, const struct report *report, double time,
                        double hidden, double whole)
{
    const struct measure share = {.value = 100 * time / whole,
                                  .error = share_error(report, time, hidden, whole),
                                  .missing = hidden};
    report_share_figure(text, size, report, &share, whole);
}

void report_share_figure(char *text, size_t size, const struct report *report,
                         const struct measure *share, double whole)
{
    double sample = 100 / (whole * report->analysis->hz);
    int finest, digits;
    if (!(whole > 0)) {
        snprintf(text, size, "0");
        return;
    }
    digits = share_digits(share->error, sample, &finest);
    if (share->missing > 0) /* as above */
        digits = most(digits, least(report_decimals(share->value), finest));
    if (share->value <= 0)
        put_bound(text, size, fmin(at_most * sample, 100), finest);
    else
        put_digits(text, size, share->value, digits, finest);
}

void report_share_error(char *text, size_t size, const struct report *report, double time,
                        double whole)
{
    double sample = 100 / (whole * report->analysis->hz);
    double error = share_error(report, time, 0, whole);
    int finest, digits;
    text[0] = '\0';
    if (!(whole > 0) || time <= 0)
        return;
    digits = share_digits(error, sample, &finest);
    put_error(text, size, error, digits, finest);
}

void report_quantity(char *text, size_t size, const struct report *report, double value,
                     const char *unit)
{
    static const char *const prefixes[] = {"", "m", "u", "n", "p"};
    size_t prefix = 0;
    while (prefix + 1 < sizeof prefixes / sizeof prefixes[0] && value < 0.9995) {
        value *= 1e3;
        prefix++;
    }
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    if (value == 0) {
        snprintf(text, size, "0 %s", unit);
        return;
    }
    const char *name = prefix == 2 && report->style.utf8 ? "µ" : prefixes[prefix];
    int used = digits_fixed(text, size, value, decimals);
    if (used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " %s%s", name, unit);
}

void report_duration(char *text, size_t size, const struct report *report, double seconds)
{
    report_quantity(text, size, report, seconds, "s");
}

double report_percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

void report_bar(char *text, size_t size, const struct report *report, double percent)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    bool utf8 = report->style.utf8;
    double columns = fmin(fmax(percent, 0), 100) * BAR_COLUMNS / 100;
    int eighths = (int)lround(8 * columns), whole = utf8 ? eighths / 8 : (int)columns;
    size_t used = 0;
    for (int i = 0; i < whole && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", utf8 ? "█" : "#");
    if (utf8 && used < size)
        snprintf(text + used, size - used, "%s", parts[eighths % 8]);
}

enum tint report_heat(double percent)
{
    return percent >= 20  ? TINT_HOT
           : percent >= 5 ? TINT_WARM
           : percent > 0  ? TINT_PLAIN
                          : TINT_DIM;
}

struct figure_source report_source(const struct report *report, bool overhead)
{
    const struct energy *energy = report->energy;
    return (struct figure_source){
        .profile = report->profile,
        .analysis = report->analysis,
        .joules =
            energy != NULL && energy->functions.self != NULL ? &energy->functions : NULL,
        .overhead = overhead,
    };
}

unsigned report_knows(const struct report *report)
{
    const struct figure_source source = report_source(report, false);
    return figures_known(&source) | (report->energy != NULL ? (unsigned)NEEDS_POWER : 0) |
           (report->style.width > 0 ? (unsigned)NEEDS_TERMINAL : 0);
}

void report_title(const struct report *report, const char *name, const char *format, ...)
{
    const struct style *style = &report->style;
    char text[PATH_MAX + 128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputc('\n', report->out);
    style_tint(style, report->out, TINT_BOLD);
    size_t at = style_text(style, report->out, name, SIZE_MAX);
    style_tint(style, report->out, TINT_PLAIN);
    if (text[0] != '\0') {
        fputs("  ", report->out);
        style_tint(style, report->out, TINT_DIM);
        style_words(style, report->out, text, at + 2, 2, CUT_PATH);
        style_tint(style, report->out, TINT_PLAIN);
    }
    fputs("\n\n", report->out);
}

void report_cut(const struct report *report, size_t left_out, const char *one,
                const char *many)
{
    if (left_out == 0)
        return;
    style_tint(&report->style, report->out, TINT_DIM);
    fprintf(report->out, "and %zu more %s%s%s", left_out, left_out == 1 ? one : many,
            report->rest != NULL ? ": " : "", report->rest != NULL ? report->rest : "");
    style_tint(&report->style, report->out, TINT_PLAIN);
    fputc('\n', report->out);
}

static void mark_neighbours(const struct report *report, const struct function *function)
{
    const struct analysis *analysis = report->analysis;
    for (size_t i = 0; i < function->ins; i++) {
        const struct arc *arc = &analysis->arcs[analysis->ins[function->first_in + i]];
        if (arc->caller != NO_FUNCTION)
            report->near[arc->caller] = true;
    }
    for (size_t i = 0; i < function->outs; i++)
        report->near[analysis->arcs[function->first_out + i].callee] = true;
}

bool report_focus(struct report *report, const char *name, size_t *found,
                  struct error *error)
{
    const struct analysis *analysis = report->analysis;
    report->focus = calloc(analysis->function_count + 1, sizeof *report->focus);
    report->near = calloc(analysis->function_count + 1, sizeof *report->near);
    if (report->focus == NULL || report->near == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    *found = 0;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        if (!analysis_is_named(function->name, function->symbol, name))
            continue;
        report->focus[i] = report->near[i] = true;
        mark_neighbours(report, function);
        ++*found;
    }
    return true;
}

void report_release(struct report *report)
{
    free(report->focus);
    free(report->near);
    report->focus = report->near = NULL;
}
