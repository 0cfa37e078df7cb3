/* SPDX-License-Identifier: MIT */
/*
 * Tables as data: each table is an array of columns over the numbered rows of a view. A
 * column defines its content once, for all outputs.
 */
#ifndef MCUPROF_HOST_COLUMNS_H
#define MCUPROF_HOST_COLUMNS_H

#include "../figures/figures.h"
#include "report.h"

enum { CELL_TEXT_MAX = 48, COLUMNS_MAX = FIGURES_MAX + 1 };

/* The content of one row in one column: `text`, or `string` if that is not NULL (it must
 * live as long as the view). */
struct cell {
    char text[CELL_TEXT_MAX];
    const char *string;
    char suffix[CELL_TEXT_MAX]; /* stands behind the text; it stays whole if the text is
                                 * cut */
    unsigned char indent;       /* columns, before the text */
    enum tint tint;
};

struct column {
    const char *title[2]; /* the two lines of the heading; if the second is NULL, it is
                           * the unit of time or, if it needs the power, of energy */
    bool group;     /* the first line is a group's name, which stands above the first
                     * of its columns that is shown */
    bool left;      /* aligned left; the last column is never padded */
    bool joined;    /* follows the column before it without a gap */
    unsigned needs; /* enum column_needs */
    unsigned width; /* smallest width */
    unsigned drop;  /* if the terminal is too narrow, the highest goes first; 0: never */
    unsigned least; /* it may then become as narrow as this; 0: it keeps its width */
    enum cut cut;   /* how its texts are cut */
    /* Fills in an empty cell; NULL: the column is a figure's. */
    void (*cell)(struct cell *cell, const void *view, size_t row);
    const char *id;        /* of a figure, or of its error, as in --columns */
    struct figure_key key; /* report_columns() finds it */
};

struct table {
    const struct column *columns;
    size_t column_count;
    const void *view;
    size_t rows;
    unsigned knows; /* enum column_needs; columns that need more are left out */
    const char *time_unit, *energy_unit; /* for the headings */
    bool no_heading;
    /* Fills in an empty cell of a figure's column; may be NULL if there is none. */
    void (*figure)(struct cell *cell, const struct column *column, const void *view,
                   size_t row);
    bool (*is_rule)(const void *view, size_t row); /* true: a line across stands instead
                                                    * of the row; may be NULL */
};

/* How the figures of a table are shown (figure_columns.c). */
struct report;
struct figure_view {
    const struct report *report;
    struct figure_source source;
    struct time_scale sums;    /* of timed calls */
    struct time_scale singles; /* of single ones; unit NULL: each has its own */
    bool calls; /* the table is of timed calls alone, and its title says so */
};

/* Copies columns and fills in what the table of figures says of those that have an id. */
void report_columns(struct column *columns, const struct column *from, size_t count,
                    const struct figure_view *view);
/* Makes columns of a list; none of them is dropped. */
void report_list_columns(struct column *columns, const struct figure_list *list,
                         const struct figure_view *view);
/* Writes a figure or its error. */
void report_figure(struct cell *cell, const struct figure_view *view,
                   const struct figure_key *key, const struct measure *measure);

/* false: out of memory. */
bool table_print(const struct table *table, const struct style *style, FILE *out,
                 struct error *error);

/* A table whose rows come in parts: the view has one part at a time. Each cell is filled
 * in once, when its row is added. When all rows are there, the widths of the columns are
 * known. */
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
/* Adds the rows that the view has now. Their strings must live as long as the sheet. */
void sheet_add(struct sheet *sheet);
/* Prints the sheet and releases it. false: out of memory. */
bool sheet_print(struct sheet *sheet, FILE *out, struct error *error);

#endif
