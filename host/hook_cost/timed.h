/* SPDX-License-Identifier: MIT */
/* Times of calls, without what timing them has cost, and their standard errors. */
#ifndef MCUPROF_HOST_TIMED_H
#define MCUPROF_HOST_TIMED_H

#include "../functions/analysis.h"

/*
 * The standard error of a timed call's time says how far it may be from the time that the
 * program takes without hooks. With n calls whose clock was read twice each, hooks that
 * have cost c ticks for p pairs, and errors of k ticks in what the compiler makes of the
 * code, and of s ticks in what it took to save registers for hooks (outside.h), that of a
 * self time is sqrt(k^2 + (TIMED_HOOKS_ERROR c)^2 + s^2 + n / 6 + p^2 / 6)
 * - With hooks the compiler makes other code of a function (shipped.h). It does not show
 *   in the firmware that ran whether a loop is so: k is TIMED_LOOPS_ERROR of a self time.
 *   99 functions with loops were longer or shorter by 0.11 in the root mean square; a few
 *   by far more, so it is a little more than that. Code without loops differs by
 *   TIMED_CODE_ERROR, and each call executes each of its instructions once at most: a
 *   longer time is of what it calls that is not timed, and has no such error.
 * - Where a function's loops were compared with those of the firmware that ships, and d
 *   ticks taken off, k is sqrt((TIMED_SHIPPED_ERROR t)^2 + (TIMED_DIFFERS_ERROR d)^2 +
 *   (r t)^2) of a self time t, where r is how far the ratio that was used is from that
 *   which the code alone tells. Where a function is inlined, or has others inlined in it,
 *   in one of the two alone, TIMED_INLINED_ERROR stands for TIMED_SHIPPED_ERROR, because
 *   the two may take code of each other. Of 124 functions of six programs at -Os and -O2
 *   40 had such inlining and were off by 0.10 in the root mean square, a few by far more;
 *   the others by 0.025. Both errors are less than that: they were chosen so that 95 % of
 *   these programs' times lie within two errors (bench/timed.py), and on no others.
 * - A pair of hooks may take four instructions more than the measured pair to set its
 *   arguments. It finds its counter at one of two places, which differ by five; the mean
 *   of both was measured, and where a counter is differs from function to function.
 *   TIMED_HOOKS_ERROR is sqrt((4^2 + 8^2) / 12) of 146 instructions: with 5 in place of 8
 *   fewer times of other programs lie within two errors (bench/README.md).
 *   TIMED_HOOKS_COMMON is the part that all have in common, chosen as above.
 * - A reading is off by less than a tick, evenly (variance 1/12). So are the whole
 *   numbers of ticks that are taken off inside and outside of each pair, but they are off
 *   by the same amount each time.
 * The error of a function is one of each of its calls: a part of them has that part of
 * it. The errors of several functions in a total are independent. Those of the functions
 * with the largest errors are passed on one by one; the sum of the others' is taken to be
 * at most what it would be if they had all calls of the function or were all off the same
 * way, whichever is less.
 * Independent parts add by their squares, common ones as they are: ISO and BIPM's "Guide
 * to the expression of uncertainty in measurement" (JCGM 100:2008, 5.1.2, 5.2.2).
 */
#define TIMED_HOOKS_ERROR   0.018
#define TIMED_HOOKS_COMMON  0.004
#define TIMED_CODE_ERROR    0.025
#define TIMED_SHIPPED_ERROR 0.015
#define TIMED_INLINED_ERROR 0.05
#define TIMED_LOOPS_ERROR   0.12
#define TIMED_DIFFERS_ERROR 0.25

/* The standard errors of a function's timed.self and timed.total, in ticks; 0: not known,
 * because the cost of hooks is not known or was put back. */
struct timed_errors {
    double self, total;
};
struct timed_errors analysis_timed_errors(const struct analysis *analysis,
                                          const struct function *function);

/* The times of a function's timed.calls, one by one, in ticks. NULL: only sums of some
 * are known, because a counter of the firmware held several calls; or the cost of hooks
 * was put back. Lives as long as the analysis. */
const struct durations *analysis_singles(const struct analysis *analysis,
                                         const struct function *function);

/*
 * Puts what the profiler's hooks cost back into the times of calls, as if nothing had
 * been taken off on the target. With `inside` and `outside`, the ticks of a pair of hooks
 * between its two time stamps and around them:
 *   self_raw(f)  = self(f) + calls of f * inside + calls that f makes * outside
 *                  + saving of calls of f + what its code differs
 *   total_raw(f) = total(f) + self_raw(f) - self(f)
 *                  + for each function g it calls: (total_raw(g) - total(g))
 *                                                  * time of g's calls from f / total(g)
 * (cycles as one function.) So self_raw is exact, but for what the profiler spent beside
 * the pairs (counters searched and sent), which is known as a whole only; total_raw is
 * computed as if g made as many calls in each tick. The shortest and the
 * longest call cannot be told: they become 0.
 */
void analysis_put_back(struct analysis *analysis);

/* ---- The steps of analyse() that are about timed calls ---- */

/* The order of analysis.sites, for qsort() and bsearch(). */
int timed_by_addresses(const void *left, const void *right);

/* Fills in all that is `timed`, and the costs, from the call sites. Needs the cycles;
 * `order` as from cycles_find. false: out of memory. */
bool timed_find(struct analysis *analysis, const struct profile *profile,
                struct image *image, const uint32_t *order);
/* Frees what timed_find() has made. */
void timed_release(struct analysis *analysis);

#endif
