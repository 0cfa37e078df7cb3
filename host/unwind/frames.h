/* SPDX-License-Identifier: MIT */
/* Reads the call frame information. Private to unwind/. */
#ifndef MCUPROF_HOST_UNWIND_FRAMES_H
#define MCUPROF_HOST_UNWIND_FRAMES_H

#include "flow.h"

/* Fills in .frame and .has_frame of found[], one for each unit of the code, from
 * .debug_frame and .eh_frame. Damaged entries are left out. */
void frames_read(const struct code *code, const struct cpu *cpu,
                 const struct image *image, struct found *found);

#endif
