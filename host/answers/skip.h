/* SPDX-License-Identifier: MIT */
/* Which functions to compile without the hooks of timed calls, where these take most of a
 * run: calls of them are then no longer timed, and their time is their callers' own. */
#ifndef MCUPROF_HOST_SKIP_H
#define MCUPROF_HOST_SKIP_H

#include "../analysis/analyse.h"

/* SKIP_FROM: from this part of the run on, the profiler takes too much. SKIP_TO: it is to
 * take less than this part. */
#define SKIP_FROM 0.5
#define SKIP_TO   0.2

struct skip {
    const struct function **functions; /* the most called ones first */
    size_t count;
    double share; /* of the profiler in the run, 0 to 1, hooks and all beside them */
};

/* Finds the fewest functions without whose hooks the profiler's share is below SKIP_TO,
 * if each pair of hooks costs the same; none where it is below SKIP_FROM. false: out of
 * memory, nothing to release. */
bool skip_find(struct skip *skip, const struct analysis *analysis);
void skip_release(struct skip *skip);

/* The part of a function's name by which GCC knows it: no parameters, no clone's suffix,
 * nothing before a blank. *bytes is 0 where there is none (an operator's name). */
const char *skip_name(const struct function *function, size_t *bytes);

#endif
