/* SPDX-License-Identifier: MIT */
/*
 * The part of arcs.c that input.c alone needs.
 */
#ifndef MCUPROF_HOST_GPROF_ARCS_H
#define MCUPROF_HOST_GPROF_ARCS_H

#include "../gprof.h"

/* Tells the processor that gprof_add_arc() of these two follows soon. */
void gprof_expect_arc(const struct gprof *gprof, const struct gprof_symbol *parent,
                      const struct gprof_symbol *child);

/* Frees all arcs. The symbols' lists keep their numbers, which mean nothing any more. */
void gprof_arcs_release(struct gprof *gprof);

#endif
