/* SPDX-License-Identifier: MIT */
/* The step of timed_find() that corrects times by the code; nobody else calls it. */
#ifndef MCUPROF_HOST_OUTSIDE_H
#define MCUPROF_HOST_OUTSIDE_H

#include "../functions/analysis.h"
#include "shipped.h"

/*
 * What a function does before the hook at its entry and behind the hook at its exit is
 * measured as its caller's time. Here the caller loses it: for each call it loses the
 * ticks of the instructions there, at the mean ticks of an instruction in a pair of
 * hooks.
 *
 * Without hooks the function would do less: it would only return there, if nothing else
 * makes it save registers, and between the hooks it would not fetch what it saved. The
 * hooks make it longer by the part HOOK_SAVING of what lies outside of them, the return
 * apart. HOOK_SAVING_ERROR is the standard error of this part. They are the mean and
 * the spread of 161 functions of six programs at -Os and -O2 (`make bench-timed
 * WORDS=-s`). This part is the hooks', call_site.saving; the rest becomes the function's
 * own.
 *
 * A call's total gains all that its caller loses: the total is the call's self time, the
 * totals in it, and `saving`. A caller does not lose more than it has.
 *
 * Nothing is moved if no caller is known, or if no call of the caller is over: longjmp
 * may have left it, and its time may be another function's. Nothing is moved for inlined
 * functions: they save no registers and do not return. Nothing is moved if the firmware
 * has measured no pair of hooks, if the number of instructions in a pair is not known for
 * this processor, or if the code does not tell. image may be NULL. false: out of memory.
 */
#define HOOK_SAVING       0.7
#define HOOK_SAVING_ERROR 0.6
/* Where the firmware that ships is known, the instructions in no loop of a function are
 * counted in both, and the hooks make it longer by the difference, up to all that lies
 * outside of them. HOOK_COUNTED_ERROR instructions are the standard error: 45 functions
 * without loops were off by 2.6 in the root mean square, of which the error of the hooks
 * themselves (TIMED_HOOKS_ERROR) is a part. The difference is not known where it is less
 * than 0 or more than HOOK_COUNTED_MOST times what lies outside, or where the function
 * is inlined, or has others inlined in it, in one firmware alone: then the code is not
 * alike. */
#define HOOK_COUNTED_ERROR 2
#define HOOK_COUNTED_MOST  1.5
/* The error that all functions of a program have in common: the spread of the means of
 * each program and flag. The rest of their errors is independent. */
#define HOOK_SAVING_COMMON 0.1

/* The mean ticks of an instruction in a pair of hooks; 0: not known. */
double hook_cost_instruction(const struct profile *profile);

/* `codes`: as shipped_compare() fills them in. */
bool hook_cost_move(struct analysis *analysis, const struct profile *profile,
                    struct image *image, const struct shipped_code *codes);

#endif
