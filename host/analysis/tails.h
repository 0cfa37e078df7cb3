/* SPDX-License-Identifier: MIT */
/*
 * Functions that have left by a tail call: a jump in place of a last call, which leaves
 * no return address. The call behind which a path goes on says which function was called;
 * if that is not the one further in, it has left, and the jumps in the code tell by which
 * way (image_tail_calls()).
 */
#ifndef MCUPROF_HOST_TAILS_H
#define MCUPROF_HOST_TAILS_H

#include "../image/image.h"
#include "../profile/profile.h"

/* Counts in profile->tail_samples the samples from whose paths such functions are
 * missing, and, if they are to be `shown`, puts them into the stacks where there is one
 * way only, at the addresses behind their jumps; the others are counted then. To be
 * called after insert_skipped_frames(), before profile_follow_interrupts(). A stack that
 * has them already does not change. false: out of memory. */
bool tails_find(struct profile *profile, struct image *image, bool shown);

/* From 2 % of the samples on, says how many lack a function. false: there is nothing to
 * say. */
enum { TAILS_TEXT_MAX = 256 };
bool tails_text(const struct profile *profile, char text[TAILS_TEXT_MAX]);

#endif
