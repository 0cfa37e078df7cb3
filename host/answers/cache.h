/* SPDX-License-Identifier: MIT */
/*
 * Whether the firmware's cache of counters is too small for the program's calls: a call
 * that finds no counter sends that of another call site, so counters that are sent before
 * they hold a second call save nothing.
 */
#ifndef MCUPROF_HOST_CACHE_H
#define MCUPROF_HOST_CACHE_H

#include "../profile/profile.h"

enum { CACHE_TEXT_MAX = 256 };

/* The part of the calls received, counted or timed, that were sent one by one: 0 to 1. */
double cache_alone(const struct profile *profile);

/* Whether any call, counted or timed, was received. */
bool cache_has_calls(const struct profile *profile);

/* The value of MCUPROF_ENTRIES, a power of two, with which the call sites that make 95 %
 * of the calls have a counter each. It is 0 if there were no calls, or if the knob does
 * not take so many. *sites becomes the number of these call sites. false: out of
 * memory. */
bool cache_wanted(const struct profile *profile, unsigned *entries, size_t *sites);

/* Writes "38 % of calls were sent one by one, with 16 counters: MCUPROF_ENTRIES=64 would
 * ..." where there are counters, and at least a tenth of the calls were sent one by one,
 * beyond one of each call site and run, and more counters would hold them; else "".
 * false: out of memory. */
bool cache_describe(const struct profile *profile, char text[CACHE_TEXT_MAX]);

#endif
