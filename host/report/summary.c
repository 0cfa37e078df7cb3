/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/tails.h"
#include "../answers/cache.h"
#include "../answers/skip.h"
#include "../base/memstream.h"
#include "../base/plural.h"
#include "../capture/sampling.h"
#include "../port/text.h"
#include "report.h"

enum { LABEL = 10 };

static void label(const struct report *report, const char *text)
{
    style_tint(&report->style, report->out, TINT_DIM);
    fprintf(report->out, "%-*s", LABEL, text);
    style_tint(&report->style, report->out, TINT_PLAIN);
}

/* Prints the firmware and its build ID; of a brief summary the ID's begin. */
static void firmware(const struct report *report)
{
    enum { BRIEF_ID = 4 };
    const uint8_t *id;
    size_t bytes = image_build_id(report->image, &id);
    label(report, "firmware");
    style_text(&report->style, report->out, image_path(report->image), SIZE_MAX);
    fprintf(report->out, " (%s, ", image_machine_name(report->image));
    fprintf(report->out, bytes == 0 ? "no build ID" : "build ID ");
    for (size_t i = 0; i < bytes && (!report->brief || i < BRIEF_ID); i++)
        fprintf(report->out, "%02x", id[i]);
    fputs(")\n", report->out);
}

/* Prints a part of the sampled time. Digits end where the error begins. */
static void part(const struct report *report, const char *name, double time)
{
    const struct analysis *analysis = report->analysis;
    struct time_scale scale = report_time_scale(report);
    double error = analysis_error(analysis, time * analysis->hz) / analysis->hz;
    int decimals = analysis->has_time ? report_decimals(error * scale.factor) : 0;
    int shown = decimals < 0 ? 0 : decimals > scale.decimals ? scale.decimals : decimals;
    fprintf(report->out, "%s %.*f %s", name, shown, time * scale.factor, scale.unit);
}

/* Prints what profiling took of the run: sampling, where that is known, and the time that
 * samples found in the profiler's functions. */
static void cost(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    double sampling = sampling_share(report->profile), rest = 1 - sampling;
    double own = analysis->total > 0 ? analysis->overhead / analysis->total : 0;
    if (sampling + own > 0)
        fprintf(report->out, "; profiling took %.1f %% of the run",
                100 * (sampling + rest * own));
    if (sampling_taken_off(report->profile))
        fputs(", taken off", report->out);
}

static void sampled(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    struct time_scale scale = report_time_scale(report);
    label(report, "sampled");
    if (!analysis->has_samples) {
        fputs(analysis->has_calls ? "no samples: calls only\n" : "no samples\n",
              report->out);
        return;
    }
    fprintf(report->out, "%.*f %s", scale.decimals, analysis->total * scale.factor,
            scale.unit);
    if (analysis->has_time)
        fprintf(report->out, " at %g Hz", report->profile->hz);
    else
        fputs(" at an unknown rate", report->out);
    if (report->brief) {
        cost(report);
    } else if (analysis->overhead > 0) {
        part(report, ": program", analysis->program);
        part(report, ", profiler", analysis->overhead);
        fprintf(report->out, " (%.1f %%)",
                report_percent(analysis->overhead, analysis->total));
    }
    fputc('\n', report->out);
}

/* Prints what sampling itself took, and how late samples came. */
static void sampling(const struct report *report)
{
    char took[48], late[48];
    report_duration(took, sizeof took, report, sampling_seconds(report->profile));
    label(report, "sampling");
    fprintf(report->out, "took %.1f %% of the time (%s a sample)%s\n",
            100 * sampling_share(report->profile), took,
            sampling_taken_off(report->profile) ? ": taken off" : "");
    if (sampling_tells_latest(report->profile)) {
        report_duration(late, sizeof late, report, sampling_latest(report->profile));
        label(report, "latest");
        fprintf(report->out, "a sample came %s late at most (%.2g %% of a period)\n",
                late, 100 * sampling_latest(report->profile) * report->profile->hz);
    }
}

/* Warns of sampling that took too much, and of samples that came too late. */
static void bad_sampling(const struct report *report)
{
    char text[SAMPLING_TEXT_MAX];
    if (sampling_heavy(report->profile, text)) {
        label(report, "heavy");
        fprintf(report->out, "%s\n", text);
    }
    if (sampling_late(report->profile, text)) {
        label(report, "late");
        fprintf(report->out, "%s\n", text);
    }
}

static void put_ticks(const struct report *report, const char *what, uint64_t ticks)
{
    struct time_scale scale = report_ticks_scale(report);
    char text[48];
    report_time(text, sizeof text, &scale, (double)ticks);
    fprintf(report->out, "%s%s %s", what, text, scale.unit);
}

static void timed(const struct report *report)
{
    const struct timed_run *run = &report->analysis->timed;
    label(report, "timed");
    put_ticks(report, "", run->run);
    if (run->tick_seconds > 0)
        fprintf(report->out, " at %g MHz", 1e-6 / run->tick_seconds);
    else
        fputs(" of an unknown clock", report->out);
    put_ticks(report, ": calls ", run->self - run->put_back);
    put_ticks(report, ", profiler ", run->profiler + run->put_back);
    fprintf(report->out, " (%.1f %%)",
            report_percent((double)(run->profiler + run->put_back), (double)run->run));
    if (run->program_error > 0)
        fprintf(report->out, "; program %s%.1f %%", report_plus_minus(report),
                report_percent(run->program_error, (double)run->program));
    fputc('\n', report->out);
}

static void hooks(const struct report *report)
{
    const struct time_base *time = &report->profile->time;
    double tick = report->analysis->timed.tick_seconds;
    char inside[48], outside[48];
    if (tick <= 0)
        return;
    report_duration(inside, sizeof inside, report, time->inside * tick);
    report_duration(outside, sizeof outside, report, time->outside * tick);
    label(report, "hooks");
    fprintf(report->out, "%s within each call (%g ticks), %s around it (%g), %s", inside,
            time->inside, outside, time->outside,
            report->analysis->timed.raw ? "put back" : "taken off");
    if (report->analysis->timed.saving > 0) {
        put_ticks(report, "; so are ", report->analysis->timed.saving);
        fputs(" in which functions save registers for them", report->out);
    }
    fputc('\n', report->out);
}

/* Prints what came of the comparison with the firmware that ships. */
static void shipped(const struct report *report)
{
    const struct timed_run *timed = &report->analysis->timed;
    uint64_t ticks = (uint64_t)(timed->differs < 0 ? -timed->differs : timed->differs);
    if (report->image == NULL || image_shipped(report->image) == NULL)
        return;
    label(report, "shipped");
    fprintf(report->out, "%zu function%s compared with ", timed->compared,
            plural(timed->compared));
    style_text(&report->style, report->out, image_path(image_shipped(report->image)),
               SIZE_MAX);
    if (!timed->raw && ticks > 0) {
        put_ticks(report, ": their loops take ", ticks);
        fputs(timed->differs < 0 ? " more there, added" : " less there, taken off",
              report->out);
    }
    fputc('\n', report->out);
}

/* Prints that the run is mostly profiler, and which functions make it so. false: out of
 * memory. */
static bool mostly_profiler(const struct report *report)
{
    enum { NAMED = 5 };
    struct skip skip;
    size_t bytes;
    if (!skip_find(&skip, report->analysis))
        return false;
    if (skip.share >= SKIP_FROM) {
        label(report, "mostly");
        fprintf(report->out, "%.0f %% of the run is the profiler", 100 * skip.share);
        for (size_t i = 0; i < skip.count && i < NAMED; i++) {
            const char *name = skip_name(skip.functions[i], &bytes);
            fputs(i == 0 ? ", most of it hooks of " : ", ", report->out);
            style_text(&report->style, report->out, name, bytes);
        }
        if (skip.count > NAMED)
            fprintf(report->out, " and %zu more", skip.count - NAMED);
        if (skip.count > 0)
            fputs(": mcuprof flags --skip writes the flag that leaves them out",
                  report->out);
        fputc('\n', report->out);
    }
    skip_release(&skip);
    return true;
}

/* Prints how much of the samples' call paths is known. */
static void paths(const struct report *report)
{
    static const char *const names[STACK_ENDS] = {
        [STACK_WHOLE] = "whole",
        [STACK_INTERRUPT] = "in interrupts",
        [STACK_CUT] = "cut",
        [STACK_UNSURE] = "unsure",
    };
    const double *ends = report->analysis->ends;
    unsigned depth = report->profile->path_depth;
    double all = 0;
    bool first = true;
    for (int end = 0; end < STACK_ENDS; end++)
        all += ends[end];
    label(report, "paths");
    for (int end = 0; end < STACK_ENDS; end++) {
        if (ends[end] <= 0 && end == STACK_INTERRUPT)
            continue;
        fprintf(report->out, "%s%.3g %% %s", first ? "" : ", ",
                report_percent(ends[end], all), names[end]);
        if (end == STACK_CUT && depth > 0)
            fprintf(report->out, " (deeper than %u calls)", depth);
        first = false;
    }
    fputc('\n', report->out);
}

/* Warns of samples whose call paths are not whole. */
static void open_paths(const struct report *report)
{
    char text[SAMPLING_TEXT_MAX];
    if (sampling_open(report->profile, text)) {
        label(report, "open");
        fprintf(report->out, "%s\n", text);
    }
    if (tails_text(report->profile, text)) {
        label(report, "tails");
        fprintf(report->out, "%s\n", text);
    }
}

/* How many counted or timed calls are entries of interrupts into their handlers. */
static uint64_t by_interrupts(const struct analysis *analysis)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < analysis->arc_count; i++)
        sum += analysis->arcs[i].interrupt ? analysis->arcs[i].count : 0;
    return sum < analysis->unknown_callers ? sum : analysis->unknown_callers;
}

/* Prints by whom calls are made that no function made; a brief summary has only those of
 * which that is not known. */
static void calls(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    uint64_t interrupts = by_interrupts(analysis);
    uint64_t others = analysis->unknown_callers - interrupts;
    bool none = !analysis->has_calls && !analysis->measured;
    if (none ? report->brief : others == 0 && (report->brief || interrupts == 0))
        return;
    label(report, "calls");
    if (none)
        fputs(analysis->has_samples ? "no calls: samples only" : "no calls", report->out);
    else if (interrupts > 0)
        fprintf(report->out, "%" PRIu64 " by interrupts%s", interrupts,
                others > 0 ? ", " : "");
    if (!none && others > 0)
        fprintf(report->out, "%" PRIu64 " whose caller is [unknown]", others);
    fputc('\n', report->out);
}

/* Prints which calls are not counted. */
static void uncounted(const struct report *report)
{
    const char *text = report->image != NULL && report->analysis->has_calls
                           ? image_uncounted(report->image)
                           : NULL;
    if (text == NULL)
        return;
    label(report, "sites");
    fprintf(report->out, "%s\n", text);
}

/* Prints whether the firmware has too few counters; false: out of memory. */
static bool counters(const struct report *report)
{
    char few[CACHE_TEXT_MAX];
    if (!cache_describe(report->profile, few))
        return false;
    if (few[0] != '\0') {
        label(report, "counters");
        fprintf(report->out, "%s\n", few);
    }
    return true;
}

void report_unplaced(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    double percent = report_percent(analysis->unplaced, analysis->program);
    if (analysis->unplaced <= 0 || analysis->timed.known)
        return;
    char text[96];
    snprintf(text, sizeof text,
             "%.*f %% of the time is in functions whose callers were not counted",
             percent < 1 ? 2 : 0, percent);
    label(report, "callers");
    style_words(&report->style, report->out, text, LABEL, LABEL, CUT_PATH);
    fputc('\n', report->out);
}

/* Prints the currents that the energy is by. */
static void power(const struct report *report)
{
    const struct power *power = report->energy->power;
    char text[48];
    label(report, "power");
    report_quantity(text, sizeof text, report, power->running, "A");
    fprintf(report->out, "%s running", text);
    report_quantity(text, sizeof text, report, power->idle, "A");
    fprintf(report->out, ", %s idle", text);
    for (size_t i = 0; i < power->task_count; i++) {
        report_quantity(text, sizeof text, report, power->tasks[i].amperes, "A");
        fprintf(report->out, ", %s ", text);
        style_text(&report->style, report->out, power->tasks[i].name, SIZE_MAX);
    }
    fprintf(report->out, ", at %g V", power->volts);
    if (power->tolerance > 0)
        fprintf(report->out, ", %s%g %%", report_plus_minus(report),
                100 * power->tolerance);
    fputs(", by ", report->out);
    style_text(&report->style, report->out, power->path, SIZE_MAX);
    fputc('\n', report->out);
}

/* Prints what the whole took, and how long a battery would last. */
static void energy(const struct report *report)
{
    const struct energy *energy = report->energy;
    struct time_scale scale = report_energy_scale(report);
    char text[96];
    label(report, "energy");
    report_with_error(text, sizeof text, report, energy->whole.joules * scale.factor,
                      energy->whole.error * scale.factor);
    fprintf(report->out, "%s %s", text, scale.unit);
    report_duration(text, sizeof text, report, energy->seconds);
    fprintf(report->out, " in %s", text);
    report_current(text, sizeof text, report, energy->amperes, energy->amperes_error);
    fprintf(report->out, ": %s in the mean", text);
    if (energy->life > 0) {
        report_life(text, sizeof text, report, energy->life, energy->life_error);
        fprintf(report->out, "; %g mAh last %s", energy->power->battery / 3.6, text);
    }
    fputc('\n', report->out);
    if (energy->profiler > 0) {
        report_duration(text, sizeof text, report, energy->profiler);
        label(report, "waits");
        fprintf(report->out,
                "the profiler's %s count as idle: without it the firmware would wait\n",
                text);
    }
    if (energy->source == ENERGY_TIMELINE) {
        label(report, "times");
        fputs(
            "from the timeline, which has the profiler's time in it: energies may be too "
            "large; samples tell better\n",
            report->out);
    }
}

/* Prints which captures there are, and what came of them: in a line if it is brief. */
static void received(const struct report *report, const char *source, const char *events)
{
    const char *end = report->profile->complete ? "" : ", without an end";
    label(report, "capture");
    style_text(&report->style, report->out, source, SIZE_MAX);
    if (report->brief) {
        fprintf(report->out, ": %s%s\n", events, end);
        return;
    }
    fprintf(report->out, "%s\n", end);
    label(report, "events");
    fprintf(report->out, "%s\n", events);
}

static bool put_all(const struct report *report, const char *source, const char *events,
                    const char *advice)
{
    firmware(report);
    received(report, source, events);
    if (report->analysis->timed.known) {
        timed(report);
        if (!report->brief)
            hooks(report);
        shipped(report);
        if (!mostly_profiler(report))
            return false;
    }
    if (report->analysis->has_samples || !report->analysis->timed.known)
        sampled(report);
    if (report->analysis->has_time && sampling_seconds(report->profile) > 0) {
        if (!report->brief)
            sampling(report);
        bad_sampling(report);
    }
    if (report->analysis->measured && report->analysis->has_samples) {
        if (!report->brief)
            paths(report);
        open_paths(report);
    }
    calls(report);
    uncounted(report);
    if (report->energy != NULL) {
        power(report);
        energy(report);
    }
    if (advice[0] != '\0') {
        label(report, "advice");
        fprintf(report->out, "%s\n", advice);
    }
    return counters(report);
}

/* Prints the lines; each begins with its label. */
static void put_lines(const struct report *report, char *text)
{
    char *rest = text;
    for (char *line; (line = port_strsep(&rest, "\n")) != NULL && rest != NULL;) {
        style_tint(&report->style, report->out, TINT_DIM);
        fprintf(report->out, "%.*s", LABEL, line);
        style_tint(&report->style, report->out, TINT_PLAIN);
        style_words(&report->style, report->out, line + LABEL, LABEL, LABEL, CUT_PATH);
        fputc('\n', report->out);
    }
}

bool report_summary(const struct report *report, const char *source, const char *events,
                    const char *advice, struct error *error)
{
    struct report plain = *report;
    char *text = NULL;
    size_t size;
    plain.style.colour = false;
    plain.out = port_open_memstream(&text, &size);
    bool done = plain.out != NULL && put_all(&plain, source, events, advice);
    if ((plain.out != NULL && !memstream_close(plain.out, &text)) || !done) {
        free(text);
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    }
    put_lines(report, text);
    free(text);
    return true;
}
