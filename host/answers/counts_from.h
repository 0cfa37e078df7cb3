/* SPDX-License-Identifier: MIT */
/*
 * A build that counts calls, and one that ships and is sampled: other addresses, the same
 * functions. Calls of the first are put into the profile of the second.
 *
 * Functions are matched by their names, and static ones of several files by their files,
 * too. A function whose name the other build lacks is matched without the suffix of a
 * compiler's clone, if one alone has that name. A call's place in its caller is that of
 * the call of the same function in the same line, else the first call of it, else the
 * caller's beginning. Calls of the profiler itself are left out.
 */
#ifndef MCUPROF_HOST_COUNTS_FROM_H
#define MCUPROF_HOST_COUNTS_FROM_H

#include "../image/image.h"
#include "../profile/profile.h"

/* What could not be matched: calls of functions that the other build has inlined or not
 * at all, and calls from such functions, whose caller is not known then. */
struct counts_missed {
    uint64_t calls, functions;
    const char *example; /* one of these functions; NULL: none. Lives as the images */
    uint64_t callers;    /* calls */
};

/* Adds the calls, counted or timed, of `counted` to the profile. false: out of memory. */
bool counts_from(struct profile *profile, struct image *image,
                 const struct profile *counted, struct image *counting,
                 struct counts_missed *missed);

#endif
