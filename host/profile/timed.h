/* SPDX-License-Identifier: MIT */
/* The step of analyse() that sums timed calls; nobody but analyse.c calls it. */
#ifndef MCUPROF_HOST_TIMED_H
#define MCUPROF_HOST_TIMED_H

#include "analyse.h"

/* Fills in all that is `timed`, and the costs, from the call sites. Needs the cycles;
 * `order` as from cycles_find. It must be called before propagate(), which it uses and
 * whose results it clears. false: out of memory. */
bool timed_find(struct analysis *analysis, const struct profile *profile,
                const uint32_t *order);

#endif
