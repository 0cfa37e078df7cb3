/* SPDX-License-Identifier: MIT */
/* Who made the timed calls; private to this folder. */
#ifndef MCUPROF_HOST_CALLERS_H
#define MCUPROF_HOST_CALLERS_H

#include "function_ranges.h"

/*
 * The hooks of a timed call say where its function returns to. Code that is inlined
 * returns nowhere: its hooks name the call of the function it is in, and that function's
 * caller would be taken for its own. DWARF's tree of inlined calls says who called it:
 *
 * - The call instruction says which function was called there. If it does not say so (a
 *   function pointer, an interrupt, a veneer), it was the only function timed with this
 *   site that is not inlined in another one timed with it. If there are several such
 *   functions, and one is inlined in more than one of them, nobody knows its caller,
 *   unless it is the same in all. Nor is the caller known of a Cortex-M's handler that is
 *   inlined in another one: the hardware may have called it, too.
 * - A function that was timed with this site and is inlined in the function called was
 *   called by the nearest function around it that was timed with this site, too, else by
 *   the function called. If it is inlined there more than once, its caller is the nearest
 *   function around all of its copies.
 * - A call that has an instruction of its own, in inlined code of a timed function, was
 *   made by that function. So was a call in a part or a copy (f.constprop.0) of it.
 *
 * A function may be called at a place and also be inlined into another one that is called
 * there (into itself, or through one function pointer). Then it has one counter, and all
 * its calls count as one caller's. Without debug information the function that contains
 * the site is the caller.
 */
struct caller {
    size_t range; /* NO_FUNCTION: nobody knows */
    /* The call has no instruction of its own, and `where` is its line in the caller; its
     * file is NULL if there are several lines. */
    bool inlined;
    struct image_line where;
};

/* The callers of profile->counters[EVENT_CALL], one for each counter; to be freed. image
 * may be NULL. NULL: out of memory. */
struct caller *callers_find(const struct function_ranges *ranges,
                            const struct profile *profile, struct image *image);

#endif
