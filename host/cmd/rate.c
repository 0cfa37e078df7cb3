/* SPDX-License-Identifier: MIT */
#include "rate.h"

#include <stdio.h>

#include "../capture/sampling.h"

/* Blocks of some 100 samples come at once, and the period is dithered: a mean over so
 * much is right within 1 or 2 %. */
enum { SAMPLES_MIN = 8000, LOST_MAX = 100 /* 1 of so many */ };
#define SECONDS_MIN 8.0
#define OFF_MAX     0.03

void rate_note(struct rate *rate, double now, const struct profile *profile)
{
    uint64_t samples = profile->received[EVENT_SAMPLE] + profile->lost[EVENT_SAMPLE];

    if (samples == rate->last)
        return;
    if (rate->last == 0) {
        rate->first_s = now;
        rate->first = samples;
    }
    rate->last_s = now;
    rate->last = samples;
}

/* Without MCUPROF_TIMER_SINCE it is not known by how much a timer that starts over is
 * behind: what a sample takes. */
static bool is_behind(const struct profile *profile)
{
    return profile->sampling.restarts && sampling_seconds(profile) <= 0;
}

bool rate_advice(const struct rate *rate, const struct profile *profile,
                 char text[LOSS_MAX])
{
    double seconds = rate->last_s - rate->first_s, told = sampling_wall_rate(profile);
    uint64_t samples = rate->last - rate->first;

    text[0] = '\0';
    if (told <= 0 || seconds < SECONDS_MIN || samples < SAMPLES_MIN ||
        profile->lost[EVENT_SAMPLE] * LOST_MAX > profile->received[EVENT_SAMPLE] ||
        profile->run_count > 1)
        return false;
    double came = (double)samples / seconds, factor = came / told;
    if (factor >= 1 - OFF_MAX && factor <= 1 + OFF_MAX)
        return false;
    if (factor < 1 && factor > 0.8 && is_behind(profile))
        return false;
    snprintf(
        text, LOSS_MAX,
        "by this PC's clock %.0f samples came a second, but the firmware says %.0f: all "
        "times are wrong by a factor of %.2f, unless sampling was stopped for a while, "
        "or a deep sleep stopped the timer. Is MCUPROF_TIMER_HZ the clock of that timer? "
        "(Many chips' timers run at twice their bus clock, or at half of it.)",
        came, told, factor);
    return true;
}
