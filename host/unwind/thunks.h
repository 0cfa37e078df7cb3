/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_UNWIND_THUNKS_H
#define MCUPROF_HOST_UNWIND_THUNKS_H

#include "flow.h"

/* Notes what is known of the thunks of wire/mcuprof_sites.h, which nothing else follows:
 * the image has each call as it was before. */
void thunks_note(const struct code *code, const struct image *image, struct found *found);

#endif
