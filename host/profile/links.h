/* SPDX-License-Identifier: MIT */
/*
 * From the calls that were counted to arcs. Private to analyse.c, links.c and paths.c.
 */
#ifndef MCUPROF_HOST_LINKS_H
#define MCUPROF_HOST_LINKS_H

#include "places.h"

/* Calls from one function to another, as an arc has them; in places or, once there are
 * functions, in their indices. */
struct link {
    uint32_t caller, callee : 31;
    uint32_t interrupt : 1;
    uint64_t count;
};

struct links {
    struct link *items;
    size_t count;
};

/* Those of counted calls, timed or not, between places, which become used. false: out of
 * memory. */
bool links_collect(struct links *links, struct places *places,
                   const struct profile *profile);
/* Makes places functions. */
void links_number(const struct links *links, const struct places *places);
/* Takes them for the arcs, and the calls of the functions. false: out of memory. */
bool links_make_arcs(struct links *links, struct analysis *analysis);

#endif
