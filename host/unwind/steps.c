/* SPDX-License-Identifier: MIT */
/* How much is followed, at most. */
#include "following.h"

enum {
    STEPS_A_UNIT = 32,  /* instructions followed for each unit of code; GCC's take 3 */
    STEPS_MIN = 1 << 15 /* further units */
};

bool flow_stops(const struct flow *flow)
{
    return flow->failed ||
           flow->steps / STEPS_A_UNIT > code_units(flow->code) + STEPS_MIN;
}

bool flow_count(struct flow *flow)
{
    flow->steps++;
    return !flow_stops(flow);
}
