/* SPDX-License-Identifier: MIT */
/*
 * The lines of the call graph, which graph.c makes and graph_columns.c shows.
 */
#ifndef MCUPROF_HOST_REPORT_GRAPH_H
#define MCUPROF_HOST_REPORT_GRAPH_H

#include "columns.h"
#include "report.h"

enum line_kind {
    LINE_PARENT,
    LINE_PRIMARY,
    LINE_CYCLE,
    LINE_MEMBER,
    LINE_CHILD,
    LINE_RULE
};

enum { INDENT = 4 };

/* What lines show of a function. Lines are many, and their functions are scattered in
 * memory; so labels stand side by side. */
struct label {
    const char *name;
    uint32_t index; /* 1 + the index of its entry; 0: it has none */
    unsigned cycle;
    uint64_t calls; /* its calls; if it is in a cycle, the cycle's */
};

/* A line of an entry, with its figures, in printed order. */
struct graph_line {
    enum line_kind kind;
    bool timed;       /* false: an arc inside a cycle, which shares no time */
    bool no_self;     /* its self time is not known: none of its calls was timed */
    bool spontaneous; /* a parent that stands for the lack of any arc */
    bool interrupt;   /* a parent that is an interrupt */
    bool lone;        /* a primary line with no line above or below it */
    size_t at;        /* function, cycle (LINE_CYCLE); NO_FUNCTION: the unknown caller */
    struct label label;                         /* of the function */
    double self, children, hidden, hidden_self; /* the last two as of an arc */
    uint64_t count, of; /* of: for an arc, all calls of which `count` is a part; else
                         * recursive calls */
};

/* An entry: a function, or a cycle as a whole. */
struct entry {
    uint32_t at;
    bool cycle;
    double total;
    double calls;
    const char *name;
};

/* Where the times come from. */
enum basis {
    BASIS_CALLS, /* estimated from calls */
    BASIS_PATHS, /* measured by the paths of samples */
    BASIS_TIMED  /* measured by timed calls, in ticks */
};

struct graph {
    const struct report *report;
    const struct analysis *analysis;
    struct time_scale scale;
    enum basis basis;
    double whole; /* the time that is 100 % */
    struct entry *entries;
    size_t entry_count;
    struct label *labels;  /* one for each function */
    uint32_t *cycle_index; /* 1 + the index of each cycle's entry */
    struct graph_line *lines;
    size_t used, allocated;
    bool failed; /* out of memory */
};

/* Columns by basis; their view is the graph. */
enum { GRAPH_COLUMNS = 7 };
extern const struct column *const graph_columns[];

/* Whether a row is the rule between entries. */
bool graph_is_rule(const void *view, size_t row);

#endif
