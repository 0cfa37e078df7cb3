/* SPDX-License-Identifier: MIT */
/* Calls that the debug information knows, for -c: private to static.c and call_sites.c.
 */
#ifndef MCUPROF_HOST_GPROF_CALL_SITES_H
#define MCUPROF_HOST_GPROF_CALL_SITES_H

#include "../symbols/image.h"

/* Arcs of count 0 for direct calls that the debug information knows (DW_TAG_call_site).
 * false: out of memory. */
bool gprof_add_call_sites(struct gprof *gprof);

#endif
