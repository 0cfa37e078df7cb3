/* SPDX-License-Identifier: MIT */
/* The steps of analyse() that are about timed calls; nobody but analyse.c calls them. */
#ifndef MCUPROF_HOST_TIMED_H
#define MCUPROF_HOST_TIMED_H

#include "analyse.h"

/* The order of analysis.sites, for qsort() and bsearch(). */
int timed_by_addresses(const void *left, const void *right);

/* Fills in all that is `timed`, and the costs, from the call sites. Needs the cycles;
 * `order` as from cycles_find. It must be called before propagate(), which it uses and
 * whose results it clears. false: out of memory. */
bool timed_find(struct analysis *analysis, const struct profile *profile,
                struct image *image, const uint32_t *order);
/* Frees what timed_find() has made. */
void timed_release(struct analysis *analysis);

#endif
