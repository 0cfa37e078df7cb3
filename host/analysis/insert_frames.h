/* SPDX-License-Identifier: MIT */
/*
 * Frames that the firmware's walk goes past, since their return addresses are not on the
 * stack any more (docs/unwind.md).
 */
#ifndef MCUPROF_HOST_INSERT_FRAMES_H
#define MCUPROF_HOST_INSERT_FRAMES_H

#include "../image/image.h"
#include "../profile/profile.h"

/* Puts these frames into the stacks, as the image's unwind table says; to be called
 * before profile_follow_interrupts(). A stack that has them already does not change.
 * false: out of memory. */
bool insert_skipped_frames(struct profile *profile, const struct image *image);

#endif
