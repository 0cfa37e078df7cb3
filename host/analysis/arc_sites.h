/* SPDX-License-Identifier: MIT */
/* From how many places in the code the calls of each arc were made. */
#ifndef MCUPROF_HOST_ARC_SITES_H
#define MCUPROF_HOST_ARC_SITES_H

#include "analyse.h"

/* A number for each arc: the return addresses of its counted calls, or the call sites of
 * its timed calls; 0: only call paths show it. The caller frees them. image: that of the
 * analysis. NULL: out of memory. */
uint32_t *arc_sites(const struct analysis *analysis, const struct profile *profile,
                    const struct image *image);

#endif
