/* SPDX-License-Identifier: MIT */
/*
 * Call paths where none was sampled: estimated from the calls. A function's samples are
 * shared among its callers by the calls (by their time, if they were timed), and so on up
 * to functions without a caller. Recursion is left out. In a cycle of functions the way
 * up is the shortest one to a function that is called from outside the cycle. A share of
 * less than half a sample gets no path of its own but goes with the largest share. The
 * profiler's own functions have no caller.
 * Private to frame_tree.c.
 */
#ifndef MCUPROF_HOST_ESTIMATE_H
#define MCUPROF_HOST_ESTIMATE_H

#include "analyse.h"

struct estimated_path {
    uint32_t *functions; /* owned; indices into analysis.functions, outermost first */
    size_t depth;        /* at least 1 */
    double weight;       /* private: the share, before it became a whole number */
    uint64_t count;      /* samples or, without any, ticks of timed calls */
};

/* Those of a task or, without tasks, of the whole profile. Their counts add up to its
 * samples, or to the ticks of its functions. */
struct estimate {
    bool of_task;
    uint32_t task;
    struct estimated_path *paths;
    size_t count;
    uint64_t unfinished; /* ticks in no finished call; 0 where counts are samples */
};

struct estimates {
    struct estimate *items;
    size_t count;
};

/* `analysis` is that of the profile. `estimates` are to be released in any case. false:
 * out of memory. */
bool estimates_find(struct estimates *estimates, const struct profile *profile,
                    const struct analysis *analysis, struct image *image);
void estimates_release(struct estimates *estimates);

#endif
