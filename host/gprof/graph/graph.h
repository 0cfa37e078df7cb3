/* SPDX-License-Identifier: MIT */
/*
 * The call graph: the functions by which cycles.c, propagate.c, arrange.c and warm.c
 * build it, and what print/ reads from it. Private to these files.
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

/* Whether a call between these two stays within one function or one cycle. Such a call
 * carries no time. */
static inline bool gprof_same_cycle(const struct gprof_symbol *parent,
                                    const struct gprof_symbol *child)
{
    return parent == child || (child->cycle != 0 && parent->cycle == child->cycle);
}

/* Whether the symbol stands for a cycle; then it has no name. */
static inline bool gprof_is_cycle(const struct gprof_symbol *symbol)
{
    return symbol->name == NULL;
}

/* ---- What -d tells of it: trace.c ---- */

void gprof_trace_cycles(const struct gprof *gprof);
/* The numbers of the symbols, which are in this order. */
void gprof_trace_order(const struct gprof *gprof, struct gprof_symbol *const *order);
/* What each symbol has of its own and from its callees. */
void gprof_trace_propagation(const struct gprof *gprof,
                             struct gprof_symbol *const *order);

/* ---- Walking many lists of arcs: warm.c ---- */

/* Brings the first arcs of these symbols, and the symbols at their other ends, into the
 * processor's cache. At most GPROF_WARM symbols at once; changes nothing else. */
enum { GPROF_WARM = 64 };
void gprof_warm_parents(const struct gprof *gprof, struct gprof_symbol *const *symbols,
                        size_t count);
void gprof_warm_children(const struct gprof *gprof, struct gprof_symbol *const *symbols,
                         size_t count);

/* ---- The time along an arc: propagate.c ---- */

/* The part of the callee's samples, and of the samples of all that it calls, that these
 * calls earn the caller; the caller's fraction of it is propagated. Final once the graph
 * is built. */
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

/* Room for the rows of one entry; all entries use it in turn. */
struct graph_rows {
    struct graph_row *rows;
    void **sorted; /* pointers to rows, or to members */
    size_t count, room;
};

void gprof_rows_release(struct graph_rows *rows);

/* Put the callers, least time first, or the callees, most time first, into rows->sorted[0
 * .. count), and leave the symbol's own list in this order, on which -r depends. O(n log
 * n). false: out of memory. */
bool gprof_sort_parents(struct gprof *gprof, struct graph_rows *rows,
                        struct gprof_symbol *symbol);
bool gprof_sort_children(struct gprof *gprof, struct graph_rows *rows,
                         struct gprof_symbol *symbol);
/* -d32: tells the order of the sorted rows of the symbol: its "caller" or "callee"s. */
void gprof_trace_rows(const struct gprof *gprof, const struct graph_rows *rows,
                      const struct gprof_symbol *symbol, const char *what);
/* Sorts the cycle's list of members, most time first. */
bool gprof_sort_members(struct graph_rows *rows, struct gprof_symbol *cycle);

#endif
