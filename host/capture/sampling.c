/* SPDX-License-Identifier: MIT */
#include "sampling.h"

#include <inttypes.h>
#include <stdio.h>

/* Above this part of the time, what is sent for one sample may fill the time to the next.
 * At 10 kHz shares of lua were right where sampling took 19 to 28 %; at 32 and 33 % it
 * depended on the link, at 40 and 49 % they were wrong (docs/reliability.md). */
static const double HEAVY_SHARE = 0.3;

/* The same where the timer runs on: of code whose samples take half as long again as the
 * mean, a twentieth too many come. */
static const double RUNS_ON_SHARE = 0.1;

/* From this part of the samples on, what their paths hide is said beside the errors. Of
 * few samples, as many may be unsure by chance. */
static const double OPEN_SHARE = 0.02;
enum { OPEN_LEAST = 10 };

static bool is_told(const struct profile *profile)
{
    return profile->sampling.samples > 0 && profile->sampling.hz > 0 && profile->hz > 0;
}

/* Whether most samples came late by more than half a period: then the timer does not say
 * how late they were. Of few, as many may be late by chance. */
static bool is_mostly_late(const struct profile *profile)
{
    enum { ENOUGH = 20 };
    const struct sampling *sampling = &profile->sampling;
    return is_told(profile) && sampling->samples >= ENOUGH &&
           sampling->late > sampling->samples / 2;
}

static bool is_measured(const struct profile *profile)
{
    return is_told(profile) && !is_mostly_late(profile);
}

double sampling_seconds(const struct profile *profile)
{
    const struct sampling *sampling = &profile->sampling;
    if (!is_measured(profile))
        return 0;
    return ((double)sampling->ticks / (double)sampling->samples + 2.0 * sampling->least) /
           sampling->hz;
}

/* The mean of the program's seconds between two samples. Where the timer starts over, the
 * program has all of a period but the return from the interrupt, which takes about half
 * as long as its entry. */
static double program_seconds(const struct profile *profile)
{
    const struct sampling *sampling = &profile->sampling;
    double took = sampling->restarts && is_measured(profile)
                      ? 0.5 * sampling->least / sampling->hz
                      : sampling_seconds(profile);
    return 1 / profile->hz - took;
}

double sampling_share(const struct profile *profile)
{
    double took = sampling_seconds(profile), program;
    if (took <= 0)
        return 0;
    program = program_seconds(profile);
    return program > 0 ? took / (took + program) : 1;
}

bool sampling_taken_off(const struct profile *profile)
{
    return is_measured(profile) && program_seconds(profile) * profile->hz >= 0.01;
}

/* Why so much is too much; NULL: it is not. */
static const char *heavy_because(const struct profile *profile)
{
    double share = sampling_share(profile);
    if (!sampling_taken_off(profile))
        return "too much to take it off; the program's times are too long, and a lower "
               "rate is needed";
    if (share > HEAVY_SHARE)
        return "sending may have taken much of the rest, and shares may be off by more "
               "than their errors; sample more slowly";
    return !profile->sampling.restarts && share > RUNS_ON_SHARE
               ? "the timer runs on meanwhile, so that code whose samples take longer "
                 "has too many; sample more slowly, or let mcuprof_timer_set() start it "
                 "over (MCUPROF_TIMER_RESTARTS)"
               : NULL;
}

bool sampling_heavy(const struct profile *profile, char text[SAMPLING_TEXT_MAX])
{
    const char *because = is_measured(profile) ? heavy_because(profile) : NULL;
    text[0] = '\0';
    if (because != NULL)
        snprintf(text, SAMPLING_TEXT_MAX, "sampling took %.3g %% of the time: %s",
                 100 * sampling_share(profile), because);
    return because != NULL;
}

double sampling_rate(const struct profile *profile)
{
    if (!(profile->hz >= 1e-6 && profile->hz <= 1e12))
        return 0;
    return sampling_taken_off(profile) ? 1 / program_seconds(profile) : profile->hz;
}

double sampling_wall_rate(const struct profile *profile)
{
    double rate = sampling_rate(profile);
    return sampling_taken_off(profile) ? rate * (1 - sampling_share(profile)) : rate;
}

double sampling_latest(const struct profile *profile)
{
    const struct sampling *sampling = &profile->sampling;
    if (!is_measured(profile) || sampling->most < sampling->least)
        return 0;
    double latest = (sampling->most - sampling->least) / sampling->hz;
    bool possible = latest * profile->hz <= 2.0 * (double)sampling->samples; /* the run */
    return possible ? latest : 0;
}

bool sampling_impossible(const struct profile *profile, char text[SAMPLING_TEXT_MAX])
{
    const struct sampling *sampling = &profile->sampling;
    bool late = is_mostly_late(profile);
    text[0] = '\0';
    /* a timer that starts over may run for longer than a period */
    if (!late && (sampling->restarts || sampling_seconds(profile) * profile->hz <= 1))
        return false;
    snprintf(text, SAMPLING_TEXT_MAX,
             late ? "%.3g %% of the samples came late by more than half a period: "
                    "MCUPROF_TIMER_SINCE() or the timer's clock cannot be right (a timer "
                    "that counts down: its period less its count); no time is taken off"
                  : "a sample took %.3g %% of its period: MCUPROF_TIMER_SINCE() or the "
                    "timer's clock cannot be right, or the rate is too high",
             late ? 100 * (double)sampling->late / (double)sampling->samples
                  : 100 * sampling_seconds(profile) * profile->hz);
    return true;
}

bool sampling_tells_latest(const struct profile *profile)
{
    char text[SAMPLING_TEXT_MAX];
    return sampling_latest(profile) * profile->hz >= 0.01 &&
           !sampling_late(profile, text);
}

bool sampling_late(const struct profile *profile, char text[SAMPLING_TEXT_MAX])
{
    double latest = sampling_latest(profile);
    uint64_t late = profile->sampling.late;
    text[0] = '\0';
    if (late == 0 || latest * profile->hz <= 0.5)
        return false;
    snprintf(text, SAMPLING_TEXT_MAX,
             "samples came up to %.2g ms late (%" PRIu64 " by more than half a period): "
             "interrupts were masked, or other interrupts ran, for that long or longer; "
             "what ran meanwhile has too few samples",
             latest * 1e3, late);
    return true;
}

/* The samples whose paths are cut or unsure, and how many of these are cut; 0 if they are
 * too few to be told. */
static uint64_t count_open(const struct profile *profile, uint64_t *cut)
{
    const struct stacks *stacks = &profile->stacks;
    uint64_t all = profile->received[EVENT_SAMPLE], whole = 0;
    *cut = 0;
    for (size_t i = 0; i < stacks->used; i++) {
        const struct stack *stack = &stacks->items[i];
        if (stack->end == STACK_CUT)
            *cut += stack->count;
        else if (stack->end != STACK_UNSURE)
            whole += stack->count;
    }
    bool few = stacks->used == 0 || all < whole || all - whole < OPEN_LEAST ||
               (double)(all - whole) < OPEN_SHARE * (double)all;
    return few ? 0 : all - whole;
}

double sampling_open_share(const struct profile *profile)
{
    uint64_t cut, open = count_open(profile, &cut);
    return open > 0 ? (double)open / (double)profile->received[EVENT_SAMPLE] : 0;
}

bool sampling_open(const struct profile *profile, char text[SAMPLING_TEXT_MAX])
{
    uint64_t cut, open = count_open(profile, &cut);
    text[0] = '\0';
    if (open == 0)
        return false;
    snprintf(
        text, SAMPLING_TEXT_MAX,
        "the call paths of %.3g %% of the samples are cut or unsure: totals may be too "
        "low by up to that much, as their errors say%s",
        100 * sampling_open_share(profile),
        cut > open / 2 ? "; MCUPROF_PATHS must be larger" : "");
    return true;
}
