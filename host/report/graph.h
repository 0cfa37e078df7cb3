/* SPDX-License-Identifier: MIT */
/*
 * The lines of the call graph, as graph.c makes them and graph_columns.c shows them.
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

/* What lines say of a function. Labels stand side by side, for there are many lines, and
 * their functions are anywhere in memory. */
struct label {
    const char *name;
    uint32_t index; /* 1 + entry; 0: has none */
    unsigned cycle;
    uint64_t calls; /* of it or, if it is in a cycle, of the cycle */
};

/* A line of an entry, in the order and with the figures it is printed with. */
struct graph_line {
    enum line_kind kind;
    bool timed;       /* false: an arc inside a cycle, along which no time passes */
    bool no_self;     /* its self time is not known: none of its calls was timed */
    bool spontaneous; /* a parent that stands for no arc at all */
    bool interrupt;   /* a parent that is an interrupt */
    bool lone;        /* a primary line without any other: nothing is above or below it */
    size_t at;        /* function, cycle (LINE_CYCLE); NO_FUNCTION: the unknown caller */
    struct label label; /* of the function */
    double self, children;
    uint64_t count, of; /* of: an arc's `count` is a part of it; recursive calls */
};

/* What the entries are: functions, and cycles as a whole. */
struct entry {
    uint32_t at;
    bool cycle;
    double total;
    double calls;
    const char *name;
};

/* What the times are. */
enum basis {
    BASIS_CALLS, /* estimated from calls */
    BASIS_PATHS, /* measured, by the paths of samples */
    BASIS_TIMED  /* measured, of timed calls, in ticks */
};

struct graph {
    const struct report *report;
    const struct analysis *analysis;
    struct time_scale scale;
    enum basis basis;
    double whole; /* what is 100 % */
    struct entry *entries;
    size_t entry_count;
    struct label *labels;  /* of functions */
    uint32_t *cycle_index; /* 1 + entry */
    struct graph_line *lines;
    size_t used, allocated;
    bool failed; /* out of memory */
};

/* By basis; their view is the graph. */
enum { GRAPH_COLUMNS = 7 };
extern const struct column *const graph_columns[];

/* Whether a row divides entries. */
bool graph_is_rule(const void *view, size_t row);

#endif
