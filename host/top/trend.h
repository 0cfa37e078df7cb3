/* SPDX-License-Identifier: MIT */
/*
 * How each function's share went over the last seconds: one figure a second, of samples,
 * else of the time of timed calls, else of calls.
 */
#ifndef MCUPROF_HOST_TOP_TREND_H
#define MCUPROF_HOST_TOP_TREND_H

#include "../live/live.h"
#include "../profile/analyse.h"

enum { TREND_SECONDS = 8, TREND_LATELY = 2 };

struct trend {
    float (*weights)[TREND_SECONDS]; /* by function, the oldest second first */
    double whole[TREND_SECONDS];     /* of all functions but the profiler's own */
    bool sampled;                    /* the weights are samples */
};

/* `analysis` is one of a part of the live profile. false: out of memory. */
bool trend_find(struct trend *trend, const struct live *live,
                const struct analysis *analysis);
void trend_release(struct trend *trend);

/* The shares of a function, 0 to 1. */
void trend_shares(const struct trend *trend, size_t function,
                  double shares[TREND_SECONDS]);
/* 1: the share of the last TREND_LATELY seconds is larger than that of those before, -1:
 * smaller, by more than DIFF_SIGMAS standard errors or, if it was measured, by a point of
 * a hundred; 0: neither. */
int trend_turn(const struct trend *trend, size_t function);

#endif
