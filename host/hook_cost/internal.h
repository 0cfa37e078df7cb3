/* SPDX-License-Identifier: MIT */
/* The steps of timed_find(); private to this folder. */
#ifndef MCUPROF_HOST_HOOK_COST_INTERNAL_H
#define MCUPROF_HOST_HOOK_COST_INTERNAL_H

#include "../functions/propagate.h"
#include "shipped.h"
#include "timed.h"

/* Of a function. */
struct function_times {
    struct timed timed;
    double cost;      /* ticks of the profiler that were taken off `timed.self` */
    double saving;    /* ticks taken off for saving registers in its calls */
    double astray;    /* the error of `saving` */
    double turns;     /* the error of the ratio of the code to that which ships */
    double differs;   /* ticks taken off its calls, because its code is not what ships */
    double differing; /* the error of its self time that the compiler makes */
    struct durations singles; /* of the calls from outside, as far as they are known */
    struct timed_errors errors;
};

static inline uint64_t timed_all_calls(const struct timed *timed)
{
    return timed->calls + timed->recursive;
}

/* Sets `turns`, and the ratios of the codes of functions with loops, by what their calls
 * took. `instruction`: ticks; 0: not known. */
void timed_find_ratios(struct analysis *analysis, struct shipped_code *codes,
                       double instruction);

/* The error that the compiler makes in a function's self time. */
double timed_code_error(const struct function_times *times,
                        const struct shipped_code *code, double instruction);

extern const struct arc_weights timed_by_time, timed_by_hooks;

/* What has passed along an arc. */
double timed_along(const struct analysis *analysis, const struct passed_times *passed,
                   const struct arc *arc);

/* Fills in `errors` of each function and the program's, from all else. false: out of
 * memory. */
bool timed_find_errors(struct analysis *analysis, const struct time_base *time,
                       const uint32_t *order);

#endif
