/* SPDX-License-Identifier: MIT */
/*
 * How long single things took, in bounded memory: a histogram whose bins are a 64th of
 * their lower end wide at most, so that any set of times has 3,776 of them at most. This
 * is a log-linear histogram, as in G. Tene's HdrHistogram.
 */
#ifndef MCUPROF_HOST_DURATIONS_H
#define MCUPROF_HOST_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct durations {
    struct durations_bin {
        uint64_t low, count;
    } * bins; /* by `low` */
    size_t used, allocated;
    uint64_t count, shortest, longest; /* of all times; shortest and longest are exact */
};

/* Adds a time, in ticks, or all times of another histogram, each made longer by `longer`.
 * false: out of memory. */
bool durations_add(struct durations *durations, uint64_t ticks);
bool durations_add_all(struct durations *durations, const struct durations *more,
                       int64_t longer);
void durations_release(struct durations *durations);

/* What this part (0 to 1) of the times did not exceed: the upper end of a bin, in ticks,
 * but neither below the shortest nor above the longest. 0: there were none. */
uint64_t durations_quantile(const struct durations *durations, double part);

#endif
