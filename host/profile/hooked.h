/* SPDX-License-Identifier: MIT */
/* The step of timed_find() that corrects times by the code; nobody else calls it. */
#ifndef MCUPROF_HOST_HOOKED_H
#define MCUPROF_HOST_HOOKED_H

#include "analyse.h"

/*
 * What a function does before the hook at its entry and behind the one at its exit is
 * measured as its caller's time, which loses it here: for each call as many ticks as the
 * instructions there take, each as long as one of a pair of hooks in the mean.
 *
 * Without hooks the function would do less: nothing there but return, if nothing else
 * makes it save registers, and in between it would not fetch what it saved there. The
 * hooks make it longer by HOOKED_SAVING of what lies outside of them, the return apart,
 * with a standard error of HOOKED_SAVING_ERROR of that: the mean and the spread of 161
 * functions of six programs at -Os and -O2 (`make bench-timed WORDS=-s`). So much is the
 * hooks', call_site.saving; the rest becomes the function's own.
 *
 * A call's total gains all that its caller loses: it is its self time and the totals in
 * it, and `saving`. A caller does not lose more than it has.
 *
 * Nothing is moved where no caller is known, or no call of it is over: it may have been
 * left by longjmp, and its time be another function's. Nor where the function was
 * inlined: it saves no registers and does not return. Nor where the firmware has measured
 * no pair, the processor's number of instructions is not known, or the code does not
 * tell. image may be NULL. false: out of memory.
 */
#define HOOKED_SAVING       0.7
#define HOOKED_SAVING_ERROR 0.6
/* Of that, what all functions of a program have in common: the spread of the means by
 * program and flag. Beside it the errors of functions are independent. */
#define HOOKED_SAVING_COMMON 0.1

bool hooked_move(struct analysis *analysis, const struct profile *profile,
                 struct image *image);

#endif
