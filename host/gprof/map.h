/* SPDX-License-Identifier: MIT */
/* Which object file each function is from, as the map of -R says. */
#ifndef MCUPROF_HOST_GPROF_MAP_H
#define MCUPROF_HOST_GPROF_MAP_H

#include "gprof.h"

/* Sets `mapped` of the symbols that gprof_map_name() named. */
void gprof_mark_mapped(struct gprof *gprof);
/* Prints the object files that no symbol carries, sorted by name. */
bool gprof_print_unmapped_files(struct gprof *gprof, struct error *error);

#endif
