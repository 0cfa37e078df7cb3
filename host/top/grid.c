/* SPDX-License-Identifier: MIT */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

void grid_init(struct grid *grid, const struct style *style)
{
    *grid = (struct grid){.style = *style};
}

void grid_release(struct grid *grid)
{
    free(grid->cells);
    grid->cells = NULL;
    grid->columns = grid->rows = 0;
}

bool grid_resize(struct grid *grid, size_t columns, size_t rows)
{
    grid_release(grid);
    columns = columns < GRID_COLUMNS_MAX ? columns : GRID_COLUMNS_MAX;
    rows = rows < GRID_ROWS_MAX ? rows : GRID_ROWS_MAX;
    grid->cells = calloc(columns * rows + 1, sizeof *grid->cells);
    if (grid->cells == NULL)
        return false;
    grid->columns = columns;
    grid->rows = rows;
    grid->style.width = (unsigned)columns;
    for (size_t i = 0; i < columns * rows; i++)
        grid->cells[i].text[0] = ' ';
    return true;
}

static struct grid_cell *cell_at(struct grid *grid, size_t row, size_t column)
{
    return row < grid->rows && column < grid->columns
               ? &grid->cells[row * grid->columns + column]
               : NULL;
}

/* Puts a character of that many columns; false: it does not fit. */
static bool put(struct grid *grid, size_t row, size_t column, size_t columns,
                const char shown[8], enum tint tint)
{
    struct grid_cell *cells = cell_at(grid, row, column);

    if (columns == 0 || cells == NULL || columns > grid->columns - column)
        return columns == 0; /* a mark that joins the character before it is dropped */
    for (size_t i = 0; i < columns; i++) {
        struct grid_cell *cell = &cells[i];

        memset(cell->text, 0, sizeof cell->text);
        if (i == 0)
            memcpy(cell->text, shown, strlen(shown));
        cell->tint = (unsigned char)tint;
    }
    return true;
}

size_t grid_put(struct grid *grid, size_t row, size_t column, enum tint tint,
                const char *text)
{
    char shown[8];

    while (*text != '\0' && *text != '\n') {
        size_t columns;

        if (style_tinted(&text, &tint))
            continue;
        columns = style_character(&grid->style, &text, shown);
        if (!put(grid, row, column, columns, shown, tint))
            break;
        column += columns;
    }
    return column;
}

/* The number of columns up to the last one that is not blank. */
static size_t shown_columns(const struct grid *grid, size_t row)
{
    size_t columns = grid->columns;

    while (columns > 0 &&
           strcmp(grid->cells[row * grid->columns + columns - 1].text, " ") == 0)
        columns--;
    return columns;
}

void grid_append(struct grid *grid, size_t row, size_t column, enum tint tint,
                 const char *text)
{
    size_t used = row < grid->rows ? shown_columns(grid, row) + 2 : 0;

    grid_put(grid, row, used > column ? used : column, tint, text);
}

size_t grid_put_lines(struct grid *grid, size_t row, size_t rows, const char *text)
{
    size_t put_rows = 0;

    while (put_rows < rows && *text != '\0') {
        const char *end = text + strcspn(text, "\n");

        grid_put(grid, row + put_rows++, 0, TINT_PLAIN, text);
        text = *end == '\n' ? end + 1 : end;
    }
    return put_rows;
}

void grid_rule(struct grid *grid, size_t row, const char *title)
{
    for (size_t column = 0; column < grid->columns; column++)
        grid_put(grid, row, column, TINT_DIM, grid->style.utf8 ? "─" : "-");
    if (title[0] != '\0' && grid->columns > 8) {
        size_t end = grid_put(grid, row, 3, TINT_BOLD, title);

        grid_put(grid, row, 2, TINT_DIM, " ");
        grid_put(grid, row, end, TINT_DIM, " ");
    }
}

void grid_choose(struct grid *grid, size_t row)
{
    for (size_t column = 0; column < grid->columns && row < grid->rows; column++)
        cell_at(grid, row, column)->chosen = true;
    grid_put(grid, row, 0, TINT_PLAIN, ">");
}

void grid_print(const struct grid *grid, FILE *out)
{
    for (size_t row = 0; row < grid->rows; row++) {
        unsigned char tint = TINT_PLAIN;

        for (size_t i = 0; i < shown_columns(grid, row); i++) {
            const struct grid_cell *cell = &grid->cells[row * grid->columns + i];

            if (cell->tint != tint)
                style_tint(&grid->style, out, TINT_PLAIN);
            if (cell->tint != tint && cell->tint != TINT_PLAIN)
                style_tint(&grid->style, out, (enum tint)cell->tint);
            tint = cell->tint;
            fputs(cell->text, out);
        }
        if (tint != TINT_PLAIN)
            style_tint(&grid->style, out, TINT_PLAIN);
        fputc('\n', out);
    }
}
