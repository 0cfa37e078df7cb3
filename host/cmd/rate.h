/* SPDX-License-Identifier: MIT */
/*
 * How often samples come, by this PC's clock, beside what the firmware says. Nothing here
 * prints or reads a clock.
 */
#ifndef MCUPROF_HOST_RATE_H
#define MCUPROF_HOST_RATE_H

#include "../profile/profile.h"
#include "loss.h"

/* The first and the last moment at which the number of samples grew. */
struct rate {
    double first_s, last_s;
    uint64_t first, last; /* samples by then; 0: none yet */
};

/* Notes how many samples were taken by `now`, in seconds: received, or lost. */
void rate_note(struct rate *rate, double now, const struct profile *profile);

/* Whether the samples came 3 % faster or slower than the firmware says, as far as enough
 * of them came to tell, and few were lost; then `text` is a sentence, else "". */
bool rate_advice(const struct rate *rate, const struct profile *profile,
                 char text[LOSS_MAX]);

#endif
