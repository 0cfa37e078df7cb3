/* SPDX-License-Identifier: MIT */
/*
 * The steps of analyse() that need the whole graph, for which an analysis stands whose
 * functions, arcs, ins and outs are filled in. analyse.c, timed.c and timed_errors.c take
 * them.
 */
#ifndef MCUPROF_HOST_PROPAGATE_H
#define MCUPROF_HOST_PROPAGATE_H

#include "analysis.h"

/*
 * Finds the cycles. Sets function.cycle and analysis.cycles, numbered by the address of
 * their first member. *order becomes all functions, callees before callers and the
 * members of a cycle next to each other; the caller frees it. false: out of memory.
 */
bool cycles_find(struct analysis *analysis, uint32_t **order);

/* What a function's self time, and its children's, is shared in proportion to, among the
 * arcs to it. All time of a cycle is shared like the children's. */
struct arc_weights {
    double (*self)(const struct arc *arc), (*children)(const struct arc *arc);
};
extern const struct arc_weights by_calls; /* as in gprof */
double arc_calls(const struct arc *arc);

/* Times that pass through a graph, in the unit of those that were given. */
struct passed_times {
    double *children; /* by function: what its callees have passed on to it */
    struct passed_arc {
        double self, children; /* of the callee's, or of its cycle's */
    } * arcs;                  /* by arc */
    struct passed_cycle {
        double self, children;
        uint64_t calls, self_calls; /* as in struct cycle */
    } * cycles;                     /* by cycle */
};
/* Makes room for a graph's. false: out of memory; release it in any case. */
bool passed_times_init(struct passed_times *passed, const struct analysis *graph);
void passed_times_release(struct passed_times *passed);

/* Passes time from callees to callers. `self` is that of each function; `order` as from
 * cycles_find. What was in `passed` is overwritten. false: out of memory. */
bool propagate(const struct analysis *graph, const double *self, const uint32_t *order,
               const struct arc_weights *weights, struct passed_times *passed);

#endif
