/* SPDX-License-Identifier: MIT */
/* Follows the functions of a sampled call path. */
#ifndef MCUPROF_HOST_PATH_WALK_H
#define MCUPROF_HOST_PATH_WALK_H

#include "analyse.h"

/* The functions of a path, one after the other, without what is inlined in them. */
struct walk {
    const struct analysis *analysis;
    const struct call_path *path;
    size_t next;
    size_t caller, callee; /* caller: NO_FUNCTION at the outermost */
    bool interrupt;        /* the callee is an interrupt's handler */
};

static inline bool step(struct walk *walk)
{
    const struct call_path *path = walk->path;
    walk->interrupt = walk->next == 0 && path->end == STACK_INTERRUPT;
    while (walk->next < path->depth) {
        uint32_t number = path->frames[walk->next++];
        const struct frame *frame = &walk->analysis->frames[number];
        walk->interrupt = walk->interrupt || frame_is_interrupt(walk->analysis, number);
        if (frame->inlined != NULL)
            continue;
        walk->caller = walk->callee;
        walk->callee = frame->function;
        return true;
    }
    return false;
}

/* Whether no other function follows. */
static inline bool is_leaf(const struct walk *walk)
{
    size_t next = walk->next;
    while (next < walk->path->depth &&
           walk->analysis->frames[walk->path->frames[next]].inlined != NULL)
        next++;
    return next == walk->path->depth;
}

static inline struct walk walk_of(const struct analysis *analysis,
                                  const struct call_path *path)
{
    return (struct walk){analysis, path, 0, NO_FUNCTION, NO_FUNCTION, false};
}

/* The arc at which a walk is; NULL: it is none, for nothing called the function. */
struct arc *walk_arc(const struct walk *walk);

#endif
