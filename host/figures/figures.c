/* SPDX-License-Identifier: MIT */
#include "figures.h"
#include "../hook_cost/timed.h"

#include <math.h>
#include <string.h>

static const struct measure none = {.value = NAN, .error = NAN};

static struct measure exactly(double value)
{
    return (struct measure){.value = value, .error = NAN};
}

static struct measure number(uint64_t whole)
{
    return (struct measure){.value = (double)whole, .error = NAN, .whole = whole};
}

/* ---- Samples ---- */

static struct measure samples(const struct figure_source *source,
                              const struct figure_subject *subject)
{
    (void)source;
    return exactly(subject->function->self_samples);
}

static struct measure self(const struct figure_source *source,
                           const struct figure_subject *subject)
{
    (void)source;
    return (struct measure){.value = subject->function->self,
                            .error = subject->function->self_error};
}

static struct measure children(const struct figure_source *source,
                               const struct figure_subject *subject)
{
    (void)source;
    return exactly(subject->function->children);
}

static struct measure total(const struct figure_source *source,
                            const struct figure_subject *subject)
{
    const struct function *function = subject->function;
    bool measured = source->analysis->measured;

    return (struct measure){.value = function->total,
                            .error = measured ? function->total_error : NAN,
                            .missing = function->hidden};
}

static double sampled_whole(const struct figure_source *source)
{
    return source->overhead ? source->analysis->total : source->analysis->program;
}

/* The share of a sampled time. */
static struct measure share(const struct figure_source *source,
                            const struct figure_subject *subject, double time,
                            double missing)
{
    double whole = sampled_whole(source);

    if (subject->function->overhead != source->overhead || !(whole > 0))
        return none;
    double chance = analysis_share_error(time / whole, whole * source->analysis->hz);
    return (struct measure){.value = 100 * time / whole,
                            .error = 100 * hypot(chance, missing / whole),
                            .missing = 100 * missing / whole};
}

static struct measure self_percent(const struct figure_source *source,
                                   const struct figure_subject *subject)
{
    return share(source, subject, subject->function->self, 0);
}

static struct measure total_percent(const struct figure_source *source,
                                    const struct figure_subject *subject)
{
    struct measure measure =
        share(source, subject, subject->function->total, subject->function->hidden);

    if (!source->analysis->measured)
        measure.error = NAN;
    return measure;
}

/* ---- Calls ---- */

static struct measure calls(const struct figure_source *source,
                            const struct figure_subject *subject)
{
    struct measure measure = number(subject->function->calls);

    measure.recursive = subject->function->self_calls;
    if (profile_misses_some(source->profile))
        measure.is = MEASURE_AT_LEAST;
    return measure;
}

static struct measure self_calls(const struct figure_source *source,
                                 const struct figure_subject *subject)
{
    (void)source;
    return number(subject->function->self_calls);
}

static struct measure cycle(const struct figure_source *source,
                            const struct figure_subject *subject)
{
    (void)source;
    return subject->function->cycle != NO_CYCLE ? number(subject->function->cycle) : none;
}

static struct measure overhead(const struct figure_source *source,
                               const struct figure_subject *subject)
{
    (void)source;
    return number(subject->function->overhead);
}

static struct measure a_call(const struct figure_source *source,
                             const struct figure_subject *subject, struct measure time)
{
    double calls = (double)subject->function->calls;

    if (!(calls > 0) || !(time.value > 0))
        return none;
    return (struct measure){.value = time.value / calls,
                            .error = time.error / calls,
                            .missing = time.missing / calls,
                            .is = profile_misses_some(source->profile) ? MEASURE_AT_MOST
                                                                       : MEASURE_IS};
}

static struct measure self_per_call(const struct figure_source *source,
                                    const struct figure_subject *subject)
{
    return a_call(source, subject, self(source, subject));
}

static struct measure total_per_call(const struct figure_source *source,
                                     const struct figure_subject *subject)
{
    return a_call(source, subject, total(source, subject));
}

/* ---- Timed calls ---- */

static bool any_timed(const struct figure_subject *subject)
{
    return subject->timed->calls + subject->timed->recursive > 0;
}

static struct timed_errors errors_of(const struct figure_source *source,
                                     const struct figure_subject *subject)
{
    static const struct timed_errors unknown;

    return subject->function != NULL
               ? analysis_timed_errors(source->analysis, subject->function)
               : unknown;
}

static struct measure with_error(uint64_t ticks, double error)
{
    struct measure measure = number(ticks);

    measure.error = error > 0 ? error : NAN;
    return measure;
}

static struct measure timed_calls(const struct figure_source *source,
                                  const struct figure_subject *subject)
{
    (void)source;
    if (!any_timed(subject))
        return none;
    struct measure measure = number(subject->timed->calls);
    measure.recursive = subject->timed->recursive;
    return measure;
}

static struct measure timed_recursive_calls(const struct figure_source *source,
                                            const struct figure_subject *subject)
{
    (void)source;
    return any_timed(subject) ? number(subject->timed->recursive) : none;
}

static struct measure timed_self(const struct figure_source *source,
                                 const struct figure_subject *subject)
{
    return any_timed(subject) || subject->function == NULL
               ? with_error(subject->timed->self, errors_of(source, subject).self)
               : none;
}

static struct measure timed_total(const struct figure_source *source,
                                  const struct figure_subject *subject)
{
    return subject->timed->calls > 0
               ? with_error(subject->timed->total, errors_of(source, subject).total)
               : none;
}

/* The share of a time of calls. */
static struct measure timed_share(const struct figure_source *source,
                                  const struct measure *time)
{
    double whole = (double)source->analysis->timed.program;

    if (!(whole > 0) || isnan(time->value))
        return none;
    return (struct measure){.value = 100 * time->value / whole,
                            .error = 100 * time->error / whole};
}

static struct measure timed_self_percent(const struct figure_source *source,
                                         const struct figure_subject *subject)
{
    struct measure time = timed_self(source, subject);

    return timed_share(source, &time);
}

static struct measure timed_total_percent(const struct figure_source *source,
                                          const struct figure_subject *subject)
{
    struct measure time = timed_total(source, subject);

    return timed_share(source, &time);
}

static struct measure mean(const struct figure_source *source,
                           const struct figure_subject *subject)
{
    const struct timed *timed = subject->timed;
    double calls = (double)timed->calls, error = errors_of(source, subject).total;

    if (timed->calls == 0)
        return none;
    return (struct measure){.value = (double)timed->total / calls,
                            .error = error > 0 ? error / calls : NAN};
}

/* Of single calls nothing is known where the cost of hooks was put back. */
static bool has_extremes(const struct figure_source *source,
                         const struct figure_subject *subject)
{
    return subject->timed->calls > 0 && !source->analysis->timed.raw;
}

static struct measure shortest(const struct figure_source *source,
                               const struct figure_subject *subject)
{
    return has_extremes(source, subject) ? number(subject->timed->shortest) : none;
}

static struct measure longest(const struct figure_source *source,
                              const struct figure_subject *subject)
{
    return has_extremes(source, subject) ? number(subject->timed->longest) : none;
}

/* By how much calls differ: what a deadline must allow for. */
static struct measure jitter(const struct figure_source *source,
                             const struct figure_subject *subject)
{
    return has_extremes(source, subject)
               ? number(subject->timed->longest - subject->timed->shortest)
               : none;
}

/* What this part of single calls did not exceed. */
static struct measure quantile(const struct figure_source *source,
                               const struct figure_subject *subject, double part)
{
    const struct durations *singles =
        subject->function != NULL ? analysis_singles(source->analysis, subject->function)
                                  : NULL;

    return singles != NULL ? number(durations_quantile(singles, part)) : none;
}

static struct measure p50(const struct figure_source *source,
                          const struct figure_subject *subject)
{
    return quantile(source, subject, 0.5);
}

static struct measure p90(const struct figure_source *source,
                          const struct figure_subject *subject)
{
    return quantile(source, subject, 0.9);
}

static struct measure p99(const struct figure_source *source,
                          const struct figure_subject *subject)
{
    return quantile(source, subject, 0.99);
}

/* ---- Energy ---- */

static struct measure joules(const struct figure_source *source,
                             const struct figure_subject *subject,
                             const struct joules *items)
{
    const struct joules *of = &items[subject->function - source->analysis->functions];

    return (struct measure){.value = of->joules,
                            .error = of->error > 0 ? of->error : NAN,
                            .missing = of->hidden};
}

static struct measure self_energy(const struct figure_source *source,
                                  const struct figure_subject *subject)
{
    return source->joules != NULL ? joules(source, subject, source->joules->self) : none;
}

static struct measure total_energy(const struct figure_source *source,
                                   const struct figure_subject *subject)
{
    return source->joules != NULL ? joules(source, subject, source->joules->total) : none;
}

/* ---- The table ---- */

const struct figure figure_rows[] = {
    {.id = "samples",
     .title = {"", "samples"},
     .help = "samples in the function itself",
     .unit = UNIT_SAMPLES,
     .needs = NEEDS_SAMPLES,
     .measure = samples},
    {.id = "self",
     .title = {"self", NULL},
     .help = "time in the function itself",
     .unit = UNIT_SECONDS,
     .needs = NEEDS_SAMPLES,
     .has_error = true,
     .timed = "timed_self",
     .measure = self},
    {.id = "self_percent",
     .title = {"self", "%"},
     .help = "its share of the program's time",
     .unit = UNIT_PERCENT,
     .needs = NEEDS_SAMPLES,
     .has_error = true,
     .stem = "self",
     .timed = "timed_self_percent",
     .measure = self_percent},
    {.id = "children",
     .title = {"callees", NULL},
     .help = "time in what it called",
     .unit = UNIT_SECONDS,
     .needs = NEEDS_SAMPLES | NEEDS_TOTALS,
     .estimated = true,
     .measure = children},
    {.id = "total",
     .title = {"total", NULL},
     .help = "time in it and in what it called",
     .unit = UNIT_SECONDS,
     .needs = NEEDS_SAMPLES | NEEDS_TOTALS,
     .has_error = true,
     .estimated = true,
     .timed = "timed_total",
     .measure = total},
    {.id = "total_percent",
     .title = {"total", "%"},
     .help = "that time's share of the program's time",
     .unit = UNIT_PERCENT,
     .needs = NEEDS_SAMPLES | NEEDS_TOTALS,
     .has_error = true,
     .estimated = true,
     .stem = "total",
     .timed = "timed_total_percent",
     .measure = total_percent},
    {.id = "calls",
     .title = {"", "calls"},
     .help = "calls from others, and +n of itself",
     .unit = UNIT_NUMBER,
     .needs = NEEDS_CALLS,
     .timed = "timed_calls",
     .measure = calls},
    {.id = "self_calls",
     .title = {"self", "calls"},
     .help = "calls of itself",
     .unit = UNIT_NUMBER,
     .needs = NEEDS_CALLS,
     .measure = self_calls},
    {.id = "self_per_call",
     .title = {"self", "/call"},
     .help = "self time by calls",
     .unit = UNIT_SECONDS_A_CALL,
     .needs = NEEDS_RATE | NEEDS_CALLS,
     .has_error = true,
     .measure = self_per_call},
    {.id = "total_per_call",
     .title = {"total", "/call"},
     .help = "total time by calls",
     .unit = UNIT_SECONDS_A_CALL,
     .needs = NEEDS_RATE | NEEDS_CALLS,
     .has_error = true,
     .estimated = true,
     .measure = total_per_call},
    {.id = "cycle",
     .title = {"", "cycle"},
     .help = "number of the cycle of calls that it is in",
     .unit = UNIT_NUMBER,
     .needs = NEEDS_TOTALS,
     .measure = cycle},
    {.id = "overhead",
     .title = {"", "profiler's"},
     .help = "1: it is the profiler's own, else 0",
     .unit = UNIT_NUMBER,
     .measure = overhead},
    {.id = "timed_calls",
     .title = {"timed", "calls"},
     .help = "timed calls from others, and +n recursive ones",
     .unit = UNIT_NUMBER,
     .needs = NEEDS_TIMED,
     .measure = timed_calls},
    {.id = "timed_recursive_calls",
     .title = {"recursive", "calls"},
     .help = "recursive calls that were timed",
     .unit = UNIT_NUMBER,
     .needs = NEEDS_TIMED,
     .measure = timed_recursive_calls},
    {.id = "timed_self",
     .title = {"timed self", NULL},
     .help = "time of its timed calls in itself",
     .unit = UNIT_TICKS,
     .needs = NEEDS_TIMED,
     .has_error = true,
     .measure = timed_self},
    {.id = "timed_self_percent",
     .title = {"timed self", "%"},
     .help = "that time's share of the program's",
     .unit = UNIT_PERCENT,
     .needs = NEEDS_TIMED,
     .has_error = true,
     .stem = "timed_self",
     .measure = timed_self_percent},
    {.id = "timed_total",
     .title = {"timed total", NULL},
     .help = "time of its timed calls, with what they called",
     .unit = UNIT_TICKS,
     .needs = NEEDS_TIMED,
     .has_error = true,
     .measure = timed_total},
    {.id = "timed_total_percent",
     .title = {"timed total", "%"},
     .help = "that time's share of the program's",
     .unit = UNIT_PERCENT,
     .needs = NEEDS_TIMED,
     .has_error = true,
     .stem = "timed_total",
     .measure = timed_total_percent},
    {.id = "min",
     .title = {"", "min"},
     .help = "the shortest of its timed calls",
     .unit = UNIT_TICKS_A_CALL,
     .needs = NEEDS_TIMED | NEEDS_EXTREMES,
     .stem = "timed_min",
     .measure = shortest},
    {.id = "mean",
     .title = {"", "mean"},
     .help = "what its timed calls took in the mean",
     .unit = UNIT_TICKS_A_CALL,
     .needs = NEEDS_TIMED,
     .has_error = true,
     .stem = "timed_mean",
     .measure = mean},
    {.id = "max",
     .title = {"", "max"},
     .help = "the longest of its timed calls",
     .unit = UNIT_TICKS_A_CALL,
     .needs = NEEDS_TIMED | NEEDS_EXTREMES,
     .stem = "timed_max",
     .measure = longest},
    {.id = "jitter",
     .title = {"", "jitter"},
     .help = "the longest less the shortest of them",
     .unit = UNIT_TICKS_A_CALL,
     .needs = NEEDS_TIMED | NEEDS_EXTREMES,
     .stem = "timed_jitter",
     .measure = jitter},
    {.id = "p50",
     .title = {"", "p50"},
     .help = "what half of its timed calls did not exceed",
     .unit = UNIT_TICKS_A_CALL,
     .needs = NEEDS_TIMED | NEEDS_SINGLES,
     .stem = "timed_p50",
     .measure = p50},
    {.id = "p90",
     .title = {"", "p90"},
     .help = "what 90 % of them did not exceed",
     .unit = UNIT_TICKS_A_CALL,
     .needs = NEEDS_TIMED | NEEDS_SINGLES,
     .stem = "timed_p90",
     .measure = p90},
    {.id = "p99",
     .title = {"", "p99"},
     .help = "what 99 % of them did not exceed",
     .unit = UNIT_TICKS_A_CALL,
     .needs = NEEDS_TIMED | NEEDS_SINGLES,
     .stem = "timed_p99",
     .measure = p99},
    {.id = "self_energy",
     .title = {"self", NULL},
     .help = "energy of its self time, with --power",
     .unit = UNIT_JOULES,
     .needs = NEEDS_ENERGY,
     .has_error = true,
     .stem = "self",
     .measure = self_energy},
    {.id = "total_energy",
     .title = {"total", NULL},
     .help = "energy of its total time, with --power",
     .unit = UNIT_JOULES,
     .needs = NEEDS_ENERGY | NEEDS_TOTALS,
     .has_error = true,
     .estimated = true,
     .stem = "total",
     .measure = total_energy},
    {.id = NULL},
};

struct measure figure_of(const struct figure *figure, const struct figure_source *source,
                         const struct figure_subject *subject)
{
    if (subject->function == NULL && (figure->needs & NEEDS_TIMED) == 0)
        return none;
    return figure->measure(source, subject);
}

struct measure figure_measure(const struct figure *figure,
                              const struct figure_source *source,
                              const struct function *function)
{
    const struct figure_subject subject = {function, function->timed};

    return figure->measure(source, &subject);
}
