/* SPDX-License-Identifier: MIT */
#include "sampling.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_measured(const struct profile *profile)
{
    return profile->sampling.samples > 0 && profile->sampling.hz > 0 && profile->hz > 0;
}

double sampling_seconds(const struct profile *profile)
{
    const struct sampling *sampling = &profile->sampling;
    if (!is_measured(profile))
        return 0;
    return ((double)sampling->ticks / (double)sampling->samples + 2.0 * sampling->least) /
           sampling->hz;
}

double sampling_share(const struct profile *profile)
{
    double share = sampling_seconds(profile) * profile->hz;
    return share < 1 ? share : 1;
}

double sampling_rate(const struct profile *profile)
{
    double left = 1 - sampling_share(profile);
    if (!(profile->hz >= 1e-6 && profile->hz <= 1e12))
        return 0;
    return left < 0.01 ? profile->hz : profile->hz / left;
}

double sampling_latest(const struct profile *profile)
{
    const struct sampling *sampling = &profile->sampling;
    if (!is_measured(profile) || sampling->most < sampling->least)
        return 0;
    return (sampling->most - sampling->least) / sampling->hz;
}

bool sampling_late(const struct profile *profile, char text[SAMPLING_TEXT_MAX])
{
    double latest = sampling_latest(profile);
    uint64_t late = profile->sampling.late;
    text[0] = '\0';
    if (late == 0 || latest * profile->hz <= 0.5)
        return false;
    snprintf(text, SAMPLING_TEXT_MAX,
             "samples came up to %.2g ms late (%" PRIu64 " by more than half a period): "
             "interrupts were masked, or others ran, for that long or longer; what ran "
             "then is seen too seldom",
             latest * 1e3, late);
    return true;
}
