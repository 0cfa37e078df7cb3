/* SPDX-License-Identifier: MIT */
/* The step of timed_find() that corrects times by the code; nobody else calls it. */
#ifndef MCUPROF_HOST_HOOKED_H
#define MCUPROF_HOST_HOOKED_H

#include "analyse.h"

/*
 * What a function does before the hook at its entry and behind the one at its exit is its
 * own time, but is measured as its caller's. This moves it: for each call as many ticks
 * as the instructions there take, each as long as one of a pair of hooks in the mean.
 *
 * What a function's calls gain, their totals gain, too, and its caller loses the same of
 * its self time, so that sums of self times and totals stay equal where they were.
 * A caller does not lose more than it has, and a recursive one loses what it gains by its
 * own calls.
 *
 * Nothing is moved where no caller is known, or no call of it is over: it may have been
 * left by longjmp, and its time be another function's. Nor where the function was
 * inlined: it saves no registers and does not return. Nor where the firmware has measured
 * no pair, the processor's number of instructions is not known, or the code does not
 * tell. image may be NULL. false: out of memory.
 */
bool hooked_move(struct analysis *analysis, const struct profile *profile,
                 struct image *image);

#endif
