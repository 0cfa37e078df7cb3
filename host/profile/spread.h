/* SPDX-License-Identifier: MIT */
/*
 * How long single things took, in bounded memory: a histogram whose bins are a 64th of
 * their lower end wide at most, so that any set of times has 3,776 of them at most. This
 * is a log-linear histogram, as in G. Tene's HdrHistogram.
 */
#ifndef MCUPROF_HOST_SPREAD_H
#define MCUPROF_HOST_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spread {
    struct spread_bin {
        uint64_t low, count;
    } * bins; /* by `low` */
    size_t used, allocated;
    uint64_t count, shortest, longest; /* of all times; shortest and longest are exact */
};

/* Adds a time, in ticks, or all times of another spread, each made longer by `longer`.
 * false: out of memory. */
bool spread_add(struct spread *spread, uint64_t ticks);
bool spread_add_all(struct spread *spread, const struct spread *more, int64_t longer);
void spread_release(struct spread *spread);

/* What this part (0 to 1) of the times did not exceed: the upper end of a bin, in ticks,
 * but neither below the shortest nor above the longest. 0: there were none. */
uint64_t spread_quantile(const struct spread *spread, double part);

#endif
