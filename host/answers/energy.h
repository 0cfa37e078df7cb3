/* SPDX-License-Identifier: MIT */
/*
 * Energy: how long each task ran, times the current of its state (power.h), times the
 * voltage. A function's is the sum over the tasks that it ran in; a call path's is that
 * of its task.
 *
 * Times are those of samples where there are some, else those measured at each switch of
 * tasks, else those of the timeline. Like all times they are the program's, without the
 * profiler's. What the profiler took, the firmware would have waited for without it:
 * that time is the idle current's. So the whole is that of all tasks and of that time;
 * that of all functions, the profiler's apart, is that of all tasks (with timed calls,
 * but for what is in no finished call).
 *
 * A standard error has that of the time and, in quadrature, the tolerance of the
 * currents, which all have in common: it is as large a part of a sum as of each summand.
 * Samples in one state are missing in another: of n_i among N with powers p_i the
 * variance is sum(p_i^2 e_i^2) less 2 sum(p_i p_j n_i n_j) / N, in samples, where e_i is
 * analysis_error() of n_i. The whole also has the error of the time of N dithered samples
 * (budget.h), which the mean current does not have. What ran while bytes were lost may
 * have been idle or not: it is taken at the smallest current, and what it may be too low
 * by is in the error, as with times (hidden). So are the timeline's gaps and, with timed
 * calls, the time of the run that is neither a task's nor the profiler's. Where all these
 * exceed the run's time, the mean current has that as its error.
 */
#ifndef MCUPROF_HOST_ENERGY_H
#define MCUPROF_HOST_ENERGY_H

#include "../analysis/analyse.h"
#include "../base/error.h"
#include "../capture/tasks.h"
#include "power.h"

struct joules {
    double joules;
    double error;  /* 0: it is not known, as an estimate's */
    double hidden; /* the part of the error by which it can only be too low */
};

/* Adds energies of different times. */
void joules_add(struct joules *sum, const struct joules *more, double tolerance);

/* By function of an analysis; of recursive and estimated ones as times are. */
struct energy_functions {
    struct joules *self, *total;
};

struct energy_task {
    uint32_t number; /* of a task, or TASK_INTERRUPT + that of an interrupt */
    char label[TASK_LABEL_MAX];
    bool idle;
    double amperes, seconds; /* without the profiler */
    struct joules used;
};

enum energy_source { ENERGY_SAMPLED, ENERGY_TIMED, ENERGY_TIMELINE };

struct energy {
    const struct power *power;
    enum energy_source source;
    struct energy_task *tasks; /* the busiest first; an unknown rest last */
    size_t task_count;
    double seconds;       /* of all tasks, and the next: */
    double profiler;      /* the profiler's, taken at the idle current */
    struct joules waited; /* in that time */
    struct joules whole;
    double amperes, amperes_error;     /* in the mean */
    double life, life_error;           /* seconds on the battery; 0: none is given */
    struct energy_functions functions; /* NULL both with the timeline alone */
};

/* The image and the analysis are those of the whole profile. false: error filled in; the
 * firmware has not told when it was idle, or the rate is not known. Nothing is to be
 * released then. The power must live as long. */
bool energy_find(struct energy *energy, const struct power *power,
                 const struct profile *profile, const struct analysis *analysis,
                 struct image *image, struct error *error);
void energy_release(struct energy *energy);

/* The functions of any profile: of the whole or of a task's part. false: out of memory,
 * nothing to release. */
bool energy_find_functions(struct energy_functions *functions, const struct energy *of,
                           const struct profile *profile, const struct analysis *analysis,
                           struct image *image);
void energy_release_functions(struct energy_functions *functions);

/* That of so many samples of a task. */
struct joules energy_of_samples(const struct energy *energy,
                                const struct profile *profile,
                                const struct analysis *analysis, double samples,
                                uint32_t task);
/* That of a task or interrupt in a time that was measured, as the timeline's are. */
struct joules energy_of_time(const struct energy *energy, const struct profile *profile,
                             uint32_t task, double seconds);
/* What a function without a sample has at most, with 95 % confidence: that of three
 * samples at the largest current; 0 where times are not sampled. */
double energy_bound(const struct energy *energy, const struct analysis *analysis);

/* NULL: nothing is known of that task. */
const struct energy_task *energy_of_task(const struct energy *energy, uint32_t number);

#endif
