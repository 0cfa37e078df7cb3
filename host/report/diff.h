/* SPDX-License-Identifier: MIT */
/* What `mcuprof diff` prints. */
#ifndef MCUPROF_HOST_REPORT_DIFF_H
#define MCUPROF_HOST_REPORT_DIFF_H

#include "../answers/diff.h"
#include "../base/error.h"
#include "style.h"

/* A change of fewer standard errors may be chance. */
enum { DIFF_SIGMAS = 3 };

struct diff_view {
    const struct diff *diff;
    struct {
        const char *path; /* path of the capture */
        struct diff_of of;
    } before, after;
    bool ended; /* both captures have all of their program's time */
    struct style style;
    size_t limit; /* most rows; 0: all */
    bool all;     /* show functions that did not change, too */
    FILE *out;
};

/* false: out of memory. */
bool report_diff(const struct diff_view *view, struct error *error);
/* Prints JSON: all functions, and what the figures refer to. */
void report_diff_json(const struct diff_view *view);

#endif
