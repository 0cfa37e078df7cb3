/* SPDX-License-Identifier: MIT */
/* The steps of analyse() that are about timed calls; nobody but analyse.c calls them. */
#ifndef MCUPROF_HOST_TIMED_H
#define MCUPROF_HOST_TIMED_H

#include "analyse.h"

/* Of a function. */
struct function_times {
    struct timed timed;
    double cost;    /* ticks of the profiler that were taken off `timed.self` */
    double saving;  /* ticks taken off for saving registers in its calls */
    double made;    /* ticks taken off for the same in the calls that it makes */
    double spread;  /* the square of the error of `saving` */
    double differs; /* ticks taken off its calls, because its code is not what ships */
    double code;    /* the square of the error of its self time that the compiler makes */
    struct spread singles; /* of the calls from outside, as far as they are known */
    struct timed_errors errors;
};

static inline uint64_t timed_all_calls(const struct timed *timed)
{
    return timed->calls + timed->recursive;
}

/* Fills in `errors` of each function and the program's, from all else. */
void timed_find_errors(struct analysis *analysis, const struct time_base *time);

/* The order of analysis.sites, for qsort() and bsearch(). */
int timed_by_addresses(const void *left, const void *right);

/* Fills in all that is `timed`, and the costs, from the call sites. Needs the cycles;
 * `order` as from cycles_find. It must be called before propagate(), which it uses and
 * whose results it clears. false: out of memory. */
bool timed_find(struct analysis *analysis, const struct profile *profile,
                struct image *image, const uint32_t *order);
/* Frees what timed_find() has made. */
void timed_release(struct analysis *analysis);

#endif
