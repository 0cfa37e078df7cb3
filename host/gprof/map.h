/* SPDX-License-Identifier: MIT */
/* Which object file each function is from, as the file of -R says. */
#ifndef MCUPROF_HOST_GPROF_MAP_H
#define MCUPROF_HOST_GPROF_MAP_H

#include "gprof.h"

/* The object files that no symbol carries, sorted by name. */
bool gprof_print_unmapped_files(struct gprof *gprof, struct error *error);

#endif
