/* SPDX-License-Identifier: MIT */
/*
 * The rows of one annotated function. Private to annotate.c and annotate_rows.c.
 */
#ifndef MCUPROF_HOST_REPORT_ANNOTATE_H
#define MCUPROF_HOST_REPORT_ANNOTATE_H

#include "report.h"

enum row_kind {
    ROW_LINE,    /* a line of source; text NULL: not found */
    ROW_INLINED, /* inlined code that belongs to the line before */
    ROW_GAP,     /* stands for lines that are left out */
    ROW_FILE,    /* begins the rows of another file */
    ROW_CODE,    /* an instruction */
};

struct row {
    enum row_kind kind;
    unsigned line;
    uint64_t address; /* ROW_CODE */
    const char *text; /* the line's or the instruction's text; ROW_FILE: the file's
                       * name */
    char *note;       /* ROW_INLINED: the code and its place; owned */
    unsigned indent;  /* ROW_INLINED: columns */
    unsigned landed;  /* ROW_INLINED: the line the code belongs to, if that has no row
                       * of its own; else 0 */
    struct annotated here;
    bool counted; /* `here` has counts */
};

struct rows {
    const struct report *report;
    const struct annotate_view *view;
    struct row *items;
    size_t count, allocated;
};

/* Makes rows of a function's lines, of the lines around them, and of inlined code. false:
 * out of memory. */
bool rows_of_lines(struct rows *rows, const struct annotated_function *function,
                   struct error *error);
/* Makes rows of the function's instructions, with their lines. */
bool rows_of_code(struct rows *rows, const struct annotated_function *function,
                  struct error *error);
void rows_release(struct rows *rows);

#endif
