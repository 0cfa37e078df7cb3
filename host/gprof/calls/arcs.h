/* SPDX-License-Identifier: MIT */
/*
 * What input.c needs of arcs.c beside gprof.h.
 */
#ifndef MCUPROF_HOST_GPROF_ARCS_H
#define MCUPROF_HOST_GPROF_ARCS_H

#include "../gprof.h"

/* Tells the processor that gprof_add_arc() of these two is to come. */
void gprof_expect_arc(const struct gprof *gprof, const struct gprof_symbol *parent,
                      const struct gprof_symbol *child);

/* Frees all arcs. The symbols' lists are left as they are, and good for nothing. */
void gprof_arcs_release(struct gprof *gprof);

#endif
