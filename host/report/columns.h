/* SPDX-License-Identifier: MIT */
/*
 * Tables as data: each is an array of columns over numbered rows of some view. What a
 * column shows is written once, whoever prints it.
 */
#ifndef MCUPROF_HOST_COLUMNS_H
#define MCUPROF_HOST_COLUMNS_H

#include "style.h"

enum { CELL_TEXT_MAX = 48 };

/* What stands in one row of one column: `text`, or `string` where that is not NULL (it
 * lives as long as the view). */
struct cell {
    char text[CELL_TEXT_MAX];
    const char *string;
    char suffix[CELL_TEXT_MAX]; /* after it; stays whole where the text is cut */
    unsigned indent;            /* columns, before the text */
    enum tint tint;
};

/* What must be known for a column to say anything; bits. */
enum column_needs {
    NEEDS_SAMPLES = 1,
    NEEDS_RATE = 2,
    NEEDS_CALLS = 4,
    NEEDS_BLOCKS = 8,
    NEEDS_PATHS = 16,
    NEEDS_ESTIMATE = 32 /* it takes the place of paths */
};

struct column {
    const char *title[2]; /* of the two heading lines; the second NULL: the time's unit */
    bool left;            /* aligned left; the last column is never padded */
    bool joined;          /* stands right after the column before it */
    unsigned needs;       /* enum column_needs */
    unsigned width;       /* at least */
    unsigned drop; /* where the terminal is narrow the highest goes first; 0: never */
    /* Fills in an empty cell. */
    void (*cell)(struct cell *cell, const void *view, size_t row);
};

struct table {
    const struct column *columns;
    size_t column_count;
    const void *view;
    size_t rows;
    unsigned knows;        /* enum column_needs: columns that need more are left out */
    const char *time_unit; /* for the headings */
    bool no_heading;
    bool (*is_rule)(const void *view,
                    size_t row); /* a line across instead; may be NULL */
};

void table_print(const struct table *table, const struct style *style, FILE *out);

#endif
