/* SPDX-License-Identifier: MIT */
/*
 * Two profiles, function by function: what changed, and whether by more than its error.
 * Functions are matched by their names. A function whose name the other side lacks is
 * matched without the suffix of a compiler's clone (".constprop.0", " [clone .part.1]").
 * Functions that match make one row.
 *
 * Where paths are measured on both sides, rows are functions of the source: a sample is
 * one of the innermost function, inlined or not, and in the totals of all functions that
 * are in its path, inlined or not. So a compiler that inlines more changes nothing by
 * that; the row says on which sides the function was inlined. Local functions whose names
 * differ because only one side has others of that name match by their files; several of
 * one side whose files have one name are a row then, which has that file's name.
 *
 * Shares are of the program's time, the profiler's own functions apart, so that runs of
 * different length compare. A share p of n samples has the standard error of
 * analysis_share_error(); a change has the error of both, sqrt(a^2 + b^2). That is too
 * small if a short run has no sample of a function. So the error is at least that of two
 * runs, of n and of m samples, with the same share p, the mean of both:
 * sqrt(p (1 - p) (1 / n + 1 / m)). Shares of timed calls are measured: their error is 0.
 */
#ifndef MCUPROF_HOST_DIFF_H
#define MCUPROF_HOST_DIFF_H

#include "../analysis/analyse.h"

struct diff_share {
    double share, error; /* 0 to 1, and its standard error */
    double hidden;       /* by how much it may be too low (analysis.h); a part of error */
    double samples;      /* of the whole; 0: it was measured */
};

/* A function in one of the profiles. */
struct diff_side {
    bool there;
    struct diff_share self, total; /* total: only if diff.totals */
    bool inlined;                  /* in some of the samples in its total */
    uint64_t calls;
    uint64_t timed_calls;
    double seconds; /* that the timed calls took */
};

struct diff_row {
    const char *name;
    struct diff_side before, after;
    size_t compared;          /* private: how many bytes of the name are compared */
    const char *plain, *file; /* private: as in struct source_function */
    bool several;             /* private: the name is that of a sum */
};

/* One of the profiles. */
struct diff_of {
    const struct profile *profile;
    const struct analysis *analysis;
};

struct diff {
    struct diff_row *rows; /* by change, in standard errors, then in size */
    size_t count;
    bool timed;   /* shares are of timed calls, else of samples */
    bool totals;  /* measured on both sides */
    bool calls;   /* counted on both sides */
    char **texts; /* names of sums: private */
    size_t text_count;
};

/* false, error filled in: the sides have neither samples nor timed calls in common, or no
 * memory. Names live as long as the analyses and the diff. */
bool diff_find(struct diff *diff, const struct diff_of *before,
               const struct diff_of *after, struct error *error);
void diff_release(struct diff *diff);

/* How much longer the program took in all: a part of the time before, and its standard
 * error, 0 where timed calls measured it. The error comes from all dithered samples and
 * from the profiler's own share of them. false: the time is not known on both sides. */
struct diff_time {
    double change, error;
};
bool diff_time(const struct analysis *before, const struct analysis *after,
               struct diff_time *time);

/* How much longer a function took, where the program took `was` and `is`: the change in
 * their unit, and its standard error. That is one of its shares and of all samples. */
struct diff_time diff_longer(const struct diff_share *before,
                             const struct diff_share *after, double was, double is);

/* Where a function was inlined: "was inlined", "now inlined", "inlined", or "". */
const char *diff_inlined(const struct diff_row *row);

/* The standard error of a change. */
double diff_error(const struct diff_share *before, const struct diff_share *after);
/* A change in its standard errors: between -2 and 2 it may well be chance. Infinite where
 * there is a change and no error. */
double diff_sigmas(const struct diff_share *before, const struct diff_share *after);
/* The change of self or of total in standard errors, whichever is further from 0. */
double diff_row_sigmas(const struct diff *diff, const struct diff_row *row);

#endif
