/* SPDX-License-Identifier: MIT */
/*
 * Tables as data: each is an array of columns over numbered rows of some view. What a
 * column shows is written once, whoever prints it.
 */
#ifndef MCUPROF_HOST_COLUMNS_H
#define MCUPROF_HOST_COLUMNS_H

#include "../base/error.h"
#include "shorten.h"

enum { CELL_TEXT_MAX = 48, COLUMNS_MAX = 16 };

/* What stands in one row of one column: `text`, or `string` where that is not NULL (it
 * lives as long as the view). */
struct cell {
    char text[CELL_TEXT_MAX];
    const char *string;
    char suffix[CELL_TEXT_MAX]; /* after it; stays whole where the text is cut */
    unsigned char indent;       /* columns, before the text */
    enum tint tint;
};

/* What must be known for a column to say anything; bits. */
enum column_needs {
    NEEDS_SAMPLES = 1,
    NEEDS_RATE = 2,
    NEEDS_CALLS = 4,
    NEEDS_BLOCKS = 8,
    NEEDS_PATHS = 16,
    NEEDS_ESTIMATE = 32, /* times are estimated, for there are no paths */
    NEEDS_UTF8 = 64      /* the terminal shows all characters */
};

struct column {
    const char *title[2]; /* of the two heading lines; the second NULL: the time's unit */
    bool left;            /* aligned left; the last column is never padded */
    bool joined;          /* stands right after the column before it */
    unsigned needs;       /* enum column_needs */
    unsigned width;       /* at least */
    unsigned drop;  /* where the terminal is narrow the highest goes first; 0: never */
    unsigned least; /* there it may also become as narrow as this; 0: it never does */
    enum cut cut;   /* of texts that are longer than their place */
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

/* false: out of memory. */
bool table_print(const struct table *table, const struct style *style, FILE *out,
                 struct error *error);

/* A table whose rows come in parts: the view has one part at a time. Each cell is filled
 * in once, when its row is added; when all rows are, the widths of columns are known. */
struct sheet {
    const struct table *table;
    const struct style *style;
    /* private */
    const struct column *columns[COLUMNS_MAX]; /* those that can be shown */
    size_t widths[COLUMNS_MAX];
    size_t column_count;
    unsigned char *cells; /* of all rows, one after the other */
    size_t used, allocated;
    bool failed; /* out of memory */
};

void sheet_init(struct sheet *sheet, const struct table *table,
                const struct style *style);
/* Adds the rows that the view has now. Their strings live as long as the sheet. */
void sheet_add(struct sheet *sheet);
/* Prints and releases it. false: out of memory. */
bool sheet_print(struct sheet *sheet, FILE *out, struct error *error);

#endif
