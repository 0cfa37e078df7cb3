/* SPDX-License-Identifier: MIT */
/*
 * How each function's share changed over the last seconds: one figure a second. It is
 * taken from samples, else from the time of timed calls, else from calls.
 */
#ifndef MCUPROF_HOST_TOP_TREND_H
#define MCUPROF_HOST_TOP_TREND_H

#include "../analysis/analyse.h"
#include "../live/live.h"

enum { TREND_SECONDS = 8, TREND_LATELY = 2 };

struct trend {
    float (*weights)[TREND_SECONDS]; /* by function, the oldest second first */
    double whole[TREND_SECONDS];     /* of all functions but the profiler's own */
    bool sampled;                    /* the weights are samples */
};

/* `analysis` covers a part of the live profile. false: out of memory. */
bool trend_find(struct trend *trend, const struct live *live,
                const struct analysis *analysis);
void trend_release(struct trend *trend);

/* The shares of a function, 0 to 1. */
void trend_shares(const struct trend *trend, size_t function,
                  double shares[TREND_SECONDS]);
/* 1: the share of the last TREND_LATELY seconds is larger than that of the seconds
 * before; -1: it is smaller; 0: neither. The difference must exceed DIFF_SIGMAS standard
 * errors or, if shares were measured, a hundredth of the whole. */
int trend_turn(const struct trend *trend, size_t function);

#endif
