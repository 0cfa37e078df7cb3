/* SPDX-License-Identifier: MIT */
/*
 * A frame of the live view in memory: a grid of characters and their tints. A terminal
 * shows it, and tests compare it.
 */
#ifndef MCUPROF_HOST_TOP_GRID_H
#define MCUPROF_HOST_TOP_GRID_H

#include <stdio.h>

#include "../report/style.h"

struct grid_cell {
    char text[8]; /* a character and the marks that join it; "": the character before
                   * has two columns */
    unsigned char tint; /* enum tint */
    bool chosen;        /* in the cursor's row, which is inverse */
};

struct grid {
    size_t columns, rows;
    struct grid_cell *cells; /* row by row */
    struct style style;      /* utf8 says what characters the cells may hold */
};

enum { GRID_COLUMNS_MAX = 1000, GRID_ROWS_MAX = 1000 };

void grid_init(struct grid *grid, const struct style *style);
void grid_release(struct grid *grid);
/* Sets the size, up to the largest possible, and blanks all cells. false: out of memory,
 * and the grid has no cells. */
bool grid_resize(struct grid *grid, size_t columns, size_t rows);

/* Puts text, up to a newline or its end, from this column on; returns the column behind
 * it. Tints from style_tint() in the text apply; the first one is `tint`. Text beyond the
 * grid is dropped. */
size_t grid_put(struct grid *grid, size_t row, size_t column, enum tint tint,
                const char *text);
/* Puts text two columns behind the row's text, but not before `column`. */
void grid_append(struct grid *grid, size_t row, size_t column, enum tint tint,
                 const char *text);
/* Puts lines of text, each in a row, at most `rows`; returns how many there were. */
size_t grid_put_lines(struct grid *grid, size_t row, size_t rows, const char *text);
/* Draws a line across, with a title in it. */
void grid_rule(struct grid *grid, size_t row, const char *title);
/* Marks a row as the cursor's: inverse, with a '>' at its left. */
void grid_choose(struct grid *grid, size_t row);

/* Prints the grid: lines without blanks at their ends. With style.colour it prints tints,
 * too. */
void grid_print(const struct grid *grid, FILE *out);

#endif
