/* SPDX-License-Identifier: MIT */
/*
 * One tree of all call paths, which every view and export of paths reads.
 *
 * A node is a frame below the frames that called it; the root has everything. Below it,
 * from the outside to the inside of a path:
 * - its task or interrupt, where the firmware has told of tasks;
 * - what stands above its outermost function, where that is not `main` or its like: an
 *   interrupt (not below that interrupt's task, which says so already), or callers that
 *   are not known, because the path is cut or unsure. The profiler's own functions stand
 *   below TREE_PROFILER, without the program's functions that they interrupted or that
 *   called them;
 * - functions, each followed by the functions inlined into it.
 *
 * By address, nodes that differ in the address at work are several; by function they are
 * one, and so are cut and unsure ends. Both views are made of the same paths by the same
 * function, so their sums agree.
 *
 * Where no paths were sampled they are estimated (estimate.h) and have no addresses.
 * Without samples weights are ticks of timed calls, and one node has the time in no
 * finished call.
 */
#ifndef MCUPROF_HOST_FRAME_TREE_H
#define MCUPROF_HOST_FRAME_TREE_H

#include "analyse.h"

enum tree_kind {
    TREE_ALL,       /* the root */
    TREE_TASK,      /* `number` is the task's */
    TREE_INTERRUPT, /* what is below was entered by an interrupt */
    TREE_CUT,       /* callers are missing: beyond the depth that the firmware takes; by
                     * function this is TREE_UNSURE */
    TREE_UNSURE,    /* callers may be missing */
    TREE_PROFILER,
    TREE_UNFINISHED, /* the time in no finished call */
    TREE_FUNCTION,   /* `number` is its index in analysis.functions */
    TREE_INLINED,    /* inlined into the function above; by address, `number` is that
                      * function's index */
    TREE_KINDS
};

/* What a node is. Nodes in several places may be the same. */
struct tree_frame {
    enum tree_kind kind;
    uint32_t number;
    const char *name; /* as people tell it apart; valid text, cut if it is very long */
    const char *text; /* the same, with tree_suffix() */
    const struct frame *of; /* the analysis' frame or one of them; NULL: it is none */
    /* By address: as in struct frame. By function: NULL and 0. */
    const char *file;
    unsigned line;
    uint64_t address;
};

/* Whether it is a function, inlined or not. */
static inline bool tree_is_code(const struct tree_frame *frame)
{
    return frame->kind == TREE_FUNCTION || frame->kind == TREE_INLINED;
}

static inline const char *tree_suffix(const struct tree_frame *frame)
{
    return frame->kind == TREE_INLINED ? " (inlined)" : "";
}

/* `total` is its own weight, `self`, and that of all below it: samples, or ticks. */
struct tree_node {
    uint32_t parent; /* the root's is 0 */
    uint32_t frame;  /* index into frames */
    uint32_t end;    /* the node behind the last one below it */
    uint32_t depth;  /* the root's is 0 */
    uint64_t self, total;
};

enum tree_view { TREE_BY_FUNCTION, TREE_BY_ADDRESS };

struct frame_tree {
    struct tree_node *nodes; /* each before those below it, which follow it; those below
                              * one node in the order of their frames. There is a root */
    size_t count;
    size_t depth;              /* of the deepest node */
    struct tree_frame *frames; /* the root's, then by text; by function, none is there
                                * twice */
    size_t frame_count;
    bool samples; /* weights are samples, else ticks */
    double hz;    /* weights in a second, 0: unknown */
    char **texts; /* private */
    size_t text_count;
};

/* `analysis` and `image` are those of the profile, and outlive the tree. The image is not
 * needed where paths are measured. false, error filled in: out of memory; nothing to
 * release. */
bool frame_tree_build(struct frame_tree *tree, enum tree_view view,
                      const struct profile *profile, const struct analysis *analysis,
                      struct image *image, struct error *error);
void frame_tree_release(struct frame_tree *tree);

static inline const struct tree_frame *tree_frame(const struct frame_tree *tree,
                                                  size_t node)
{
    return &tree->frames[tree->nodes[node].frame];
}

/* The nodes from below the root down to this one, which is path[depth - 1]; returns the
 * depth. `path` has room for tree->depth of them. */
size_t frame_tree_path(const struct frame_tree *tree, size_t node, uint32_t *path);

/* The nearest node of that kind from this one up to the root; 0: there is none. */
size_t frame_tree_above(const struct frame_tree *tree, size_t node, enum tree_kind kind);

#endif
