/* SPDX-License-Identifier: MIT */
/*
 * What sampling itself took, where the firmware has measured it (struct sampling). A
 * timer that runs on in its interrupt leaves the program the rest of each period; one
 * that is restarted at the interrupt's end leaves it nearly all.
 */
#ifndef MCUPROF_HOST_SAMPLING_H
#define MCUPROF_HOST_SAMPLING_H

#include "../profile/profile.h"

enum { SAMPLING_TEXT_MAX = 288 };

/* The mean of the seconds that a sample took; 0: not known, or it cannot be. The
 * interrupt is taken to need as long after its last reading of the timer as before its
 * first. */
double sampling_seconds(const struct profile *profile);

/* The part of all time that sampling took: 0 to 1. */
double sampling_share(const struct profile *profile);

/* Whether times are without what sampling took: it was measured, and a hundredth of the
 * period at least was left for the program. */
bool sampling_taken_off(const struct profile *profile);

/* Whether sampling took so much that it cannot be taken off, or more than 30 % of the
 * time; then `text` is "sampling took 99.5 % of the time ...", else "". */
bool sampling_heavy(const struct profile *profile, char text[SAMPLING_TEXT_MAX]);

/* Samples in a second of the program's own time; profile->hz where sampling is not taken
 * off. 0: the rate is not known, or none that a sampler has (1e-6 to 1e12). */
double sampling_rate(const struct profile *profile);

/* Samples in a second of all time, as sampling_rate(). */
double sampling_wall_rate(const struct profile *profile);

/* The most seconds that a sample came late; 0: not known, or more than the run. */
double sampling_latest(const struct profile *profile);

/* Whether that is a hundredth of a period or more, and sampling_late() is silent. How
 * many came so late is not known: the firmware counts those that were late by half a
 * period. */
bool sampling_tells_latest(const struct profile *profile);

/* Whether a sample came more than half a period late, so that others may have been
 * missed; then `text` is "samples came up to 0.9 ms late ...", else "". */
bool sampling_late(const struct profile *profile, char text[SAMPLING_TEXT_MAX]);

/* Whether what the firmware has measured cannot be: most samples late by more than half a
 * period (then nothing is taken off), or longer than a period whose timer goes on; then
 * `text` says what is wrong, else it is "". */
bool sampling_impossible(const struct profile *profile, char text[SAMPLING_TEXT_MAX]);

/* Whether call paths came, but at least 2 % of the samples have one that is cut or unsure
 * (or none, which is unsure); then `text` is "the call paths of 62 % of the samples ...",
 * else "". */
bool sampling_open(const struct profile *profile, char text[SAMPLING_TEXT_MAX]);

/* How large that part of the samples is, 0 to 1; 0 where sampling_open() is silent. */
double sampling_open_share(const struct profile *profile);

#endif
