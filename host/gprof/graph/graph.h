/* SPDX-License-Identifier: MIT */
/*
 * The call graph: what cycles.c, propagate.c, arrange.c and warm.c build it with, and
 * print/ asks of it. Private to these.
 */
#ifndef MCUPROF_HOST_GPROF_GRAPH_H
#define MCUPROF_HOST_GPROF_GRAPH_H

#include "../gprof.h"

/* ---- Building: cycles.c ---- */

/*
 * Takes the calls of functions to themselves out of their calls, finds the cycles and
 * numbers all symbols so that whatever a symbol calls outside its cycle has a lower
 * number. Fills in calls, self_calls, top_order, cycle, cycle_head, cycle_next and
 * gprof->cycles with their sums of calls. Near-linear in symbols and arcs.
 */
bool gprof_find_cycles(struct gprof *gprof, struct error *error);

/* Whether a call between these two stays within a function or a cycle: it carries no
 * time. */
static inline bool gprof_same_cycle(const struct gprof_symbol *parent,
                                    const struct gprof_symbol *child)
{
    return parent == child || (child->cycle != 0 && parent->cycle == child->cycle);
}

/* A cycle's own entry, which has no name. */
static inline bool gprof_is_cycle(const struct gprof_symbol *symbol)
{
    return symbol->name == NULL;
}

/* ---- Walking many lists of arcs: warm.c ---- */

/* Brings the first arcs of these symbols, and what is at their other ends, into the
 * cache. At most GPROF_WARM symbols at once; nothing else happens. */
enum { GPROF_WARM = 64 };
void gprof_warm_parents(const struct gprof *gprof, struct gprof_symbol *const *symbols,
                        size_t count);
void gprof_warm_children(const struct gprof *gprof, struct gprof_symbol *const *symbols,
                         size_t count);

/* ---- The time along an arc: propagate.c ---- */

/* The samples of the callee, and of all that it calls, that are its caller's for these
 * calls; of them the caller's fraction is propagated. Final once the graph is built. */
struct gprof_share {
    double self, children;
};
struct gprof_share gprof_share_of(const struct gprof_arc *arc);

/* ---- The lines around an entry's own: arrange.c ---- */

/* An arc as its entry shows it. */
struct graph_row {
    uint32_t arc;               /* its number */
    struct gprof_symbol *other; /* the caller, or the callee */
    double self, children;      /* samples that are propagated */
    uint64_t count;
    bool itself; /* a call to itself */
    bool inside; /* within the cycle, or to itself: no time is shared */
};

/* Room for the rows of one entry, used again for each. */
struct graph_rows {
    struct graph_row *rows;
    void **sorted; /* to rows, or to members */
    size_t count, room;
};

void gprof_rows_release(struct graph_rows *rows);

/* Fill in rows->sorted[0 .. count) with the callers, least time first, or the callees,
 * most time first, and leave the symbol's own list in this order: -r goes by it.
 * O(n log n). false: out of memory. */
bool gprof_sort_parents(struct gprof *gprof, struct graph_rows *rows,
                        struct gprof_symbol *symbol);
bool gprof_sort_children(struct gprof *gprof, struct graph_rows *rows,
                         struct gprof_symbol *symbol);
/* The cycle's members, most time first: its list of them. */
bool gprof_sort_members(struct graph_rows *rows, struct gprof_symbol *cycle);

#endif
