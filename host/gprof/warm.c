/* SPDX-License-Identifier: MIT */
/*
 * The call graph is bound by memory: a list of arcs leads from one cache miss to the
 * next, each waiting for the one before. Following the lists of many symbols side by
 * side makes the misses overlap; soon after, the same lists are walked at full speed.
 */
#include "graph.h"

/* Longer lists are cold from here on: what was read first must still be in the cache. */
enum { STEPS = 16 };

static void fetch_symbol(const struct gprof_symbol *symbol)
{
    __builtin_prefetch(&symbol->calls);
    __builtin_prefetch(&symbol->cycle);
    __builtin_prefetch(&symbol->fraction);
}

void gprof_warm_parents(struct gprof_symbol *const *symbols, size_t count)
{
    const struct gprof_arc *arcs[GPROF_WARM];
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (symbols[i]->parents != NULL)
            arcs[left++] = symbols[i]->parents;
    for (size_t step = 0; step < STEPS && left > 0; step++) {
        size_t kept = 0;
        for (size_t i = 0; i < left; i++) {
            const struct gprof_arc *next = arcs[i]->next_parent;
            fetch_symbol(arcs[i]->parent);
            __builtin_prefetch(next);
            if (next != NULL)
                arcs[kept++] = next;
        }
        left = kept;
    }
}

void gprof_warm_children(struct gprof_symbol *const *symbols, size_t count)
{
    const struct gprof_arc *arcs[GPROF_WARM];
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (symbols[i]->children != NULL)
            arcs[left++] = symbols[i]->children;
    for (size_t step = 0; step < STEPS && left > 0; step++) {
        size_t kept = 0;
        for (size_t i = 0; i < left; i++) {
            const struct gprof_arc *next = arcs[i]->next_child;
            fetch_symbol(arcs[i]->child);
            __builtin_prefetch(next);
            if (next != NULL)
                arcs[kept++] = next;
        }
        left = kept;
    }
}
