/* SPDX-License-Identifier: MIT */
/* Who made the timed calls; private to this folder. */
#ifndef MCUPROF_HOST_CALLERS_H
#define MCUPROF_HOST_CALLERS_H

#include "places.h"

/*
 * The hooks of a timed call say where its function returns to. Code that is inlined
 * returns nowhere: its hooks name the call of the function it is in, and that function's
 * caller would be taken for its own. Who called it, DWARF's tree of inlined calls says:
 *
 * - Which function was called there is what the call instruction says. Where it says
 *   nothing (a function pointer, an interrupt, a veneer), it is the only one of those
 *   timed with this site that is not inlined in another of them; if there are several,
 *   nobody knows the caller of what is inlined in more than one.
 * - What was timed with this site and is inlined in the function called was called by
 *   the nearest function around it that was timed with this site, too, else by the
 *   function called. If it is inlined there more than once, that is the nearest one
 *   around all of it.
 * - A call that has an instruction of its own, in inlined code of a timed function, was
 *   made by that function. So was one in a part or a copy (f.constprop.0) of one.
 *
 * A function that is both called at a place and inlined into what else is called there
 * (into itself, or through one function pointer) has one counter: all its calls are then
 * those of one caller. Without debug information callers are those of the sites.
 */
struct caller {
    size_t place; /* NO_FUNCTION: nobody knows */
    /* The call has no instruction of its own, and `where` is its line in the caller;
     * without file where it has more than one. */
    bool inlined;
    struct image_line where;
};

/* Those of profile->counters[EVENT_CALL], one each; to be freed. image may be NULL.
 * NULL: out of memory. */
struct caller *callers_find(const struct places *places, const struct profile *profile,
                            struct image *image);

#endif
