/* SPDX-License-Identifier: MIT */
/* --counts-from: the captures of a build that counts calls, told by its build ID from
 * those of the build that ships. */
#ifndef MCUPROF_HOST_COUNTING_H
#define MCUPROF_HOST_COUNTING_H

#include "cmd.h"

struct counting {
    struct image *image;    /* NULL: --counts-from is not given */
    struct profile profile; /* what that build has counted */
    char **others;          /* the captures of the build that ships */
    int other_count;
};

/* Reads the captures of that build among the files; the others are left to the caller.
 * Release *counting in any case. */
bool counting_read(struct counting *counting, const struct input_options *options,
                   int files, char **paths, struct error *error);
/* Puts its calls into the profile, and says what could not be matched. */
bool counting_take(struct counting *counting, struct profile *profile,
                   struct image *image, struct error *error);
void counting_release(struct counting *counting);

#endif
