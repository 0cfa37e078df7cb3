/* SPDX-License-Identifier: MIT */
/*
 * The rows of one annotated function. Private to annotate.c and annotate_rows.c.
 */
#ifndef MCUPROF_HOST_REPORT_ANNOTATE_H
#define MCUPROF_HOST_REPORT_ANNOTATE_H

#include "report.h"

enum row_kind {
    ROW_LINE,    /* of source; text NULL: not found */
    ROW_INLINED, /* code that landed on the line before */
    ROW_GAP,     /* lines left out */
    ROW_FILE,    /* the rows that follow are of another file */
    ROW_CODE,    /* an instruction */
};

struct row {
    enum row_kind kind;
    unsigned line;
    uint64_t address; /* ROW_CODE */
    const char *text; /* of the line or the instruction; ROW_FILE: its name */
    char *note;       /* ROW_INLINED: what and where; owned */
    unsigned indent;  /* ROW_INLINED: columns */
    unsigned landed;  /* ROW_INLINED: the line, if that has no row of its own; else 0 */
    struct annotated here;
    bool counted; /* `here` says something */
};

struct rows {
    const struct report *report;
    const struct annotate_view *view;
    struct row *items;
    size_t count, allocated;
};

/* Makes rows of a function's lines, with those around them and inlined code. false: out
 * of memory. */
bool rows_of_lines(struct rows *rows, const struct annotated_function *function,
                   struct error *error);
/* Makes rows of its instructions, with their lines. */
bool rows_of_code(struct rows *rows, const struct annotated_function *function,
                  struct error *error);
void rows_release(struct rows *rows);

#endif
