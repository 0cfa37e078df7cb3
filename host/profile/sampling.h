/* SPDX-License-Identifier: MIT */
/*
 * What sampling itself took, where the firmware has measured it (struct sampling): the
 * sampling timer runs on in its interrupt, so of a period the program has the rest.
 */
#ifndef MCUPROF_HOST_SAMPLING_H
#define MCUPROF_HOST_SAMPLING_H

#include "profile.h"

enum { SAMPLING_TEXT_MAX = 256 };

/* Seconds that a sample took, in the mean; 0: not known. What the interrupt does after it
 * has read its timer last is taken to last as long as what it does before it first has.
 */
double sampling_seconds(const struct profile *profile);

/* Of all time, what it took: 0 to 1. */
double sampling_share(const struct profile *profile);

/* Samples in a second of the program's own time: 1 / hz is a mean period; profile->hz
 * where nothing was measured, or less than a hundredth was left for the program; 0: the
 * rate is not known, or none that a sampler has (1e-6 to 1e12). */
double sampling_rate(const struct profile *profile);

/* Seconds that a sample came late, at most. */
double sampling_latest(const struct profile *profile);

/* "samples came up to 0.9 ms late ...": where it was more than half a period, so that
 * others may have been missed; else "" and false. */
bool sampling_late(const struct profile *profile, char text[SAMPLING_TEXT_MAX]);

#endif
