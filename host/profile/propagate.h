/* SPDX-License-Identifier: MIT */
/*
 * The two steps of analyse() that need the whole graph. Both take an analysis whose
 * functions, arcs, ins and outs are filled in; nobody but analyse.c calls them.
 */
#ifndef MCUPROF_HOST_PROPAGATE_H
#define MCUPROF_HOST_PROPAGATE_H

#include "analyse.h"

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

/* Passes time from callees to callers, in samples: fills in children, the cycles' sums
 * and the arcs' shares. `order` as from cycles_find. false: out of memory. */
bool propagate(struct analysis *analysis, const uint32_t *order,
               const struct arc_weights *weights);

#endif
