/* SPDX-License-Identifier: MIT */
/*
 * Makes arcs of the calls that were counted. Private to analyse.c, links.c and paths.c.
 */
#ifndef MCUPROF_HOST_LINKS_H
#define MCUPROF_HOST_LINKS_H

#include "callers.h"
#include "function_ranges.h"

/* Calls from one function to another, as in an arc. The ends are ranges or, after
 * links_number(), indices of functions. */
struct link {
    uint32_t caller, callee : 31;
    uint32_t interrupt : 1;
    uint64_t count;
};

struct links {
    struct link *items;
    size_t count;
};

/* Makes links of the counted calls, timed or not, and marks the ranges at their ends as
 * used. `callers`: callers_find(). false: out of memory. */
bool links_collect(struct links *links, struct function_ranges *ranges,
                   const struct profile *profile, const struct caller *callers);
/* Replaces ranges by the indices of their functions. */
void links_number(const struct links *links, const struct function_ranges *ranges);
/* Makes arcs of the links, and counts the functions' calls. false: out of memory. */
bool links_make_arcs(struct links *links, struct analysis *analysis);

#endif
