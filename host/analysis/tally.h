/* SPDX-License-Identifier: MIT */
/*
 * Samples by address, to be asked for any range: bins of several bytes are spread evenly
 * over what they cover, in half-words as in analysis.h, so that sums over a function's
 * parts are what analyse() found for the whole.
 */
#ifndef MCUPROF_HOST_TALLY_H
#define MCUPROF_HOST_TALLY_H

#include "../image/image.h"
#include "../profile/profile.h"

/* `before` samples are below `at`, which is in units; from there on each unit adds
 * `slope`. */
struct tally_step {
    uint64_t at;
    double before, slope;
};

struct tally {
    struct tally_step *steps;
    size_t count;
    unsigned unit_bytes; /* 1, or 2 for bins */
};

/* Takes the samples in `count` ranges of code, ascending and disjoint; NULL: all samples.
 * false: out of memory. */
bool tally_init(struct tally *tally, const struct profile *profile,
                const struct image_range *code, size_t count);
void tally_release(struct tally *tally);

/* Whether any of [low, high) is in the ranges; true if they are NULL. */
bool is_in_code(const struct image_range *code, size_t count, uint64_t low,
                uint64_t high);

/* Samples at addresses in [low, high); a fraction where a bin is partly in it. */
double tally_between(const struct tally *tally, uint64_t low, uint64_t high);

#endif
