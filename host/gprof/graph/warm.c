/* SPDX-License-Identifier: MIT */
/*
 * The call graph is bound by memory: a list of arcs leads from one cache miss to the
 * next, each waiting for the one before. Following the lists of many symbols side by
 * side makes the misses overlap; soon after, the same lists are walked at full speed.
 */
#include "graph.h"

/* Of a list only the first arcs are brought: more would push out what was read first. */
enum { STEPS = 16 };

static void fetch_symbol(const struct gprof_symbol *symbol)
{
    __builtin_prefetch(&symbol->calls);
    __builtin_prefetch(&symbol->cycle);
    __builtin_prefetch(&symbol->fraction);
}

void gprof_warm_parents(const struct gprof *gprof, struct gprof_symbol *const *symbols,
                        size_t count)
{
    uint32_t arcs[GPROF_WARM];
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (symbols[i]->parents != 0)
            arcs[left++] = symbols[i]->parents;
    for (size_t step = 0; step < STEPS && left > 0; step++) {
        size_t kept = 0;
        for (size_t i = 0; i < left; i++) {
            const struct gprof_arc *arc = &gprof->arcs[arcs[i]];
            fetch_symbol(arc->parent);
            __builtin_prefetch(&gprof->arcs[arc->next_parent]);
            if (arc->next_parent != 0)
                arcs[kept++] = arc->next_parent;
        }
        left = kept;
    }
}

void gprof_warm_children(const struct gprof *gprof, struct gprof_symbol *const *symbols,
                         size_t count)
{
    uint32_t arcs[GPROF_WARM];
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (symbols[i]->children != 0)
            arcs[left++] = symbols[i]->children;
    for (size_t step = 0; step < STEPS && left > 0; step++) {
        size_t kept = 0;
        for (size_t i = 0; i < left; i++) {
            const struct gprof_arc *arc = &gprof->arcs[arcs[i]];
            fetch_symbol(arc->child);
            __builtin_prefetch(&gprof->arcs[arc->next_child]);
            if (arc->next_child != 0)
                arcs[kept++] = arc->next_child;
        }
        left = kept;
    }
}
