/* SPDX-License-Identifier: MIT */
/*
 * How much faster the run would be if a function cost nothing, or half: the rest of the
 * run bounds the gain (G. Amdahl, "Validity of the Single Processor Approach to Achieving
 * Large Scale Computing Capabilities", AFIPS 1967). Idle tasks only wait, so nothing is
 * gained there: the run is the program's time without theirs.
 */
#ifndef MCUPROF_HOST_GAIN_H
#define MCUPROF_HOST_GAIN_H

#include "../analysis/analyse.h"
#include "../base/error.h"
#include "../image/image.h"

/* A share of the run, 0 to 1, and its standard error; 0: exact. */
struct gain_share {
    double part, error;
};

struct gains {
    struct gain_shares {
        struct gain_share self, total;
    } * items;    /* of each of the analysis' functions */
    bool totals;  /* they are measured: estimates are too unsure to promise anything */
    double whole; /* the run, in seconds or, where calls are timed, ticks */
    double idle;  /* the share of the program's time that idle tasks had, 0 to 1 */
};

/* false: error filled in, nothing to release. */
bool gains_find(struct gains *gains, const struct profile *profile,
                const struct analysis *analysis, struct image *image,
                struct error *error);
void gains_release(struct gains *gains);

/* How many times as fast the run becomes, and the standard error of that. */
struct gain {
    double times, error;
};

/* What is gained if that part (0 to 1) of a share is saved. false: nothing is gained, or
 * what would be left of the run cannot be told from nothing. */
bool gain_of(const struct gain_share *share, double part, struct gain *gain);

#endif
