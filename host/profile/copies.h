/* SPDX-License-Identifier: MIT */
/* The step of shipped_compare() that finds the code of timed functions in an ELF; nobody
 * else calls it. */
#ifndef MCUPROF_HOST_COPIES_H
#define MCUPROF_HOST_COPIES_H

#include "analyse.h"

enum { DEPTHS = IMAGE_LOOPS_MAX + 1 };

/* A timed function by its name in the source. */
struct named {
    const char *name;
    size_t length; /* a compiler's suffix (".constprop.0") left out */
    uint32_t function;
    bool several; /* timed functions have the name */
};

/* The code of a function in one place: itself, or where it is inlined. Of a hook's call
 * its two arguments are taken off the instructions, too. */
struct copy {
    uint32_t function, home; /* home: the function that it lies in; NO_HOME */
    bool inlined, cased, hooked;
    unsigned loops;         /* how many begin in it */
    double counts[DEPTHS];  /* instructions by the number of loops around them */
    struct image_ways ways; /* through it, if it is not inlined */
};

#define NO_HOME UINT32_MAX /* one that is not timed */

/* A loop of a function, in one of its copies. */
struct owned_loop {
    uint32_t function;
    unsigned depth, line;
    bool inlined;
    size_t number; /* as they lie in the code */
    struct image_ways ways;
};

struct copies {
    struct copy *items;
    size_t count, room;
    struct owned_loop *loops;
    size_t loop_count, loop_room;
};

struct comparison {
    struct named *named;
    struct named *instrumented; /* functions with hooks, never called ones as well */
    size_t named_count, instrumented_count;
    struct copies ran, ships;
};

/* All return false if memory ran out. */
bool copies_list_names(struct comparison *comparison, const struct analysis *analysis);
/* Lists the functions that have hooks in the firmware that ran. */
bool copies_list_instrumented(struct comparison *comparison, struct image *image);
/* Adds the copies of the named functions in the image. */
bool copies_collect(const struct comparison *comparison, struct image *image,
                    struct copies *copies);
/* Drops those of the copies that ran of which the call sites say that none did: a
 * function's own, if all its calls are inlined, or the inlined ones, if none is. */
bool copies_drop_idle(struct copies *copies, const struct analysis *analysis);
void copies_release(struct comparison *comparison);

#endif
