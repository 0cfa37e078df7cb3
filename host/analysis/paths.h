/* SPDX-License-Identifier: MIT */
/*
 * The steps of analyse() that follow sampled call paths; nobody but analyse.c calls them.
 */
#ifndef MCUPROF_HOST_PATHS_H
#define MCUPROF_HOST_PATHS_H

#include "links.h"

/* Marks the ranges of all frames as used. */
void paths_mark(struct function_ranges *ranges, const struct profile *profile);

/* Fills in frames, paths and ends. Needs the functions, and the ranges' numbers. false:
 * out of memory. */
bool paths_find(struct analysis *analysis, const struct profile *profile,
                const struct function_ranges *ranges, struct image *image);

/* ---- path_times.c ---- */

/* Makes links, with a count of 0, of the calls in all paths. false: out of memory. */
bool paths_links(const struct analysis *analysis, struct links *links);

/* Fills in, in samples: total, root, children and hidden of functions, self, children and
 * hidden of arcs. image may be NULL. false: out of memory. */
bool paths_measure(struct analysis *analysis, struct image *image);

/* ---- hidden.c: paths_measure()'s last step ---- */

bool hidden_find(struct analysis *analysis, struct image *image);

#endif
