/* SPDX-License-Identifier: MIT */
/*
 * The call graph for graphviz: dot.c decides what is in it, in which frames, and
 * dot_items.c writes nodes and edges.
 */
#ifndef MCUPROF_HOST_DOT_H
#define MCUPROF_HOST_DOT_H

#include "export.h"

enum { LABEL_BYTES = 48 };

struct dot {
    FILE *out;
    const struct analysis *analysis;
    const struct export_options *options;
    struct image *image;
    double whole;        /* the time that is 100 %, in the unit of struct dot_spent; 0:
                          * unknown */
    double rate_hz;      /* the rate of samples; 0: not known */
    bool measured;       /* call paths measured some of the totals */
    double tick_seconds; /* the time base's tick; 0: unknown */
    size_t *order;       /* indices of functions; the functions that are shown come
                          * first */
    size_t shown;
    bool *show;      /* by function */
    uint32_t *sites; /* by arc: arc_sites() */
};

/* Times of timed calls are in ticks, others in seconds. */
struct dot_spent {
    double self, total;
};
struct dot_spent dot_spent(const struct analysis *analysis,
                           const struct function *function);

/* dot_name() writes a name, cut to `most` bytes, within a quoted string; the others write
 * times and counts with their units. false: out of memory. */
bool dot_name(FILE *out, const char *name, size_t most);
void dot_duration(FILE *out, double seconds);
void dot_ticks(const struct dot *graph, double ticks);
void dot_count(FILE *out, uint64_t number);

/* These write the node of a function, the edge of an arc, the edge of a call site, and
 * only the two nodes of an edge. Tooltips have all that is known. false: out of memory.
 */
bool dot_node(const struct dot *graph, size_t index);
bool dot_edge(const struct dot *graph, const struct arc *arc);
bool dot_site(const struct dot *graph, const struct call_site *site);
void dot_ends(const struct dot *graph, size_t caller, size_t callee);

#endif
