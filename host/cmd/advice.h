/* SPDX-License-Identifier: MIT */
/*
 * What is wrong in the firmware, as far as its events tell: one sentence that says what
 * to look at. Nothing here prints.
 */
#ifndef MCUPROF_HOST_ADVICE_H
#define MCUPROF_HOST_ADVICE_H

#include "../image/image.h"
#include "../profile/profile.h"
#include "loss.h"

/* Writes the advice that matters most, or "". image: the firmware's ELF; NULL: not known,
 * and the sentence names all that it may be. Returns text. */
const char *advice(const struct profile *profile, const struct image *image,
                   char text[LOSS_MAX]);

/* Whether the firmware sends no build ID, so that nobody can tell whether this is its
 * ELF; then `text` says so and what to do, else "". For `record`: the heads of reports
 * show the build ID, or that there is none. */
bool advice_on_name(const struct profile *profile, const struct image *image,
                    char text[LOSS_MAX]);

#endif
