/* SPDX-License-Identifier: MIT */
/*
 * What the files of the call graph share: cycles.c and propagate.c, which build it, and
 * flat.c, graph.c, index.c and traditional.c, which print it. Private to these.
 */
#ifndef MCUPROF_HOST_GPROF_GRAPH_H
#define MCUPROF_HOST_GPROF_GRAPH_H

#include <string.h>

#include "gprof.h"

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

/* ---- Printing: fields.c ---- */

/* Samples as seconds, or whatever the dimension is. A rate of 0 gives 0, where GNU gprof
 * prints inf and nan; these too with gnu_text. */
double gprof_seconds(const struct gprof *gprof, double samples);

/*
 * "%WIDTH.DECIMALSf", "%WIDTHlu", "%-WIDTHlu", "%lx" and a text, without the cost of
 * printf: the tables have millions of them. They write at `at`, which has room for
 * GPROF_FIELD_BYTES, put no 0 behind, and return the end. 1 or 2 decimals, width at most
 * 32, texts at most 64 bytes.
 */
enum { GPROF_FIELD_BYTES = 352, GPROF_LINE_BYTES = 8 * GPROF_FIELD_BYTES };
char *gprof_put_fixed(char *at, double value, int width, int decimals);
char *gprof_put_count(char *at, uint64_t value, int width);
char *gprof_put_count_left(char *at, uint64_t value, int width);
char *gprof_put_hex(char *at, uint64_t value);
static inline char *gprof_put_text(char *at, const char *text)
{
    return mempcpy(at, text, strlen(text));
}

/* Prints what was put between the two. */
void gprof_put_line(FILE *out, const char *begin, const char *end);

/* The form feed between two sections; nothing before the first. */
void gprof_put_section_break(struct gprof *gprof);

/* "granularity: each sample hit covers ...", up to "byte(s)". */
void gprof_put_granularity(const struct gprof *gprof);

/* ---- The layouts: traditional.c has those of -T ---- */

struct graph_layout {
    int child_width;          /* of the column of the children's time */
    const char *spontaneous;  /* blanks before <spontaneous> */
    const char *blank_times;  /* in place of both times, for calls within a cycle */
    const char *around_rules; /* before and after the line between entries */
};

struct flat_layout {
    int percent_width, percent_decimals;
    int cumulative_width;
};

extern const struct graph_layout gprof_traditional_graph;
extern const struct flat_layout gprof_traditional_flat;

/* Everything of the section above the rows, the explanatory text included. */
void gprof_put_traditional_graph_heading(const struct gprof *gprof);
void gprof_put_traditional_flat_heading(const struct gprof *gprof);

/* A cell of the index. index: "[1]" or "(1)"; name: not demangled. */
void gprof_put_traditional_cell(FILE *out, const char *index, const char *name);

/* " for X% of Y seconds" behind the granularity and the blank line under it. */
void gprof_put_graph_share(const struct gprof *gprof);
/* The two lines above the flat profile's columns; unit: "ms/call". */
void gprof_put_flat_columns(const struct gprof *gprof, const char *unit);

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

/* ---- Names that are printed often: labels.c ---- */

/* What gprof_print_name() prints of each symbol and a newline, made once. */
struct graph_labels {
    struct gprof *gprof;
    FILE *stream; /* writes text */
    char *text;
    size_t text_bytes;
    struct graph_label {
        size_t begin, length; /* in text; length 0: not yet */
    } * labels;               /* of each symbol */
};

/* false: out of memory; release it in any case. */
bool gprof_labels_init(struct graph_labels *labels, struct gprof *gprof);
void gprof_labels_release(struct graph_labels *labels);
/* The label will be put soon. */
static inline void gprof_warm_label(const struct graph_labels *labels,
                                    const struct gprof_symbol *symbol)
{
    __builtin_prefetch(&labels->labels[symbol - labels->gprof->symbols]);
}
/* Prints what was put between the two, the name and a newline; false: out of memory.
 * There is room for GPROF_FIELD_BYTES more behind `end`. */
bool gprof_put_labelled(struct graph_labels *labels, char *begin, char *end,
                        const struct gprof_symbol *symbol);

/* ---- The explanations without -b: texts.c ---- */

extern const char gprof_flat_text[];
extern const char gprof_graph_text[];
extern const char gprof_traditional_graph_text[];

#endif
