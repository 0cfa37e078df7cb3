/* SPDX-License-Identifier: MIT */
/* Samples by source function, wherever the compiler has inlined it. Private to diff.c. */
#ifndef MCUPROF_HOST_SOURCE_FUNCTIONS_H
#define MCUPROF_HOST_SOURCE_FUNCTIONS_H

#include "../analysis/frame_tree.h"

struct source_function {
    const char *name;  /* the analysis' */
    const char *plain; /* without its file, where it is FILE:NAME */
    const char *file;  /* without its folder; NULL: not known */
    double self;       /* samples in its code, without what is inlined into it */
    double total;      /* samples whose paths have it, inlined or not */
    double inlined;    /* those of them whose outermost call of it is inlined */
    double hidden; /* seconds by which total may be too low, because the functions into
                    * which it is inlined may be missing in paths (analysis.h) */
};

struct source_functions {
    struct source_function *items; /* by name */
    size_t count;
};

/* Those of functions that were sampled; the profiler's own have a total of 0. Paths must
 * be measured. false, error filled in: out of memory; nothing to release. */
bool sources_find(struct source_functions *sources, const struct profile *profile,
                  const struct analysis *analysis, struct error *error);
void sources_release(struct source_functions *sources);

#endif
