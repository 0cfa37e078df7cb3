/* SPDX-License-Identifier: MIT */
/* A frame: the head, the table, the console, and the keys at the bottom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../port/stream.h"
#include "internal.h"

enum { CONSOLE_ROWS_MIN = 3, ROWS_MIN = 4, HEADING = 1 };

/* ---- Keys ---- */

static const struct {
    const char *key, *what, *brief; /* brief: for the line at the bottom; NULL: none */
} keys[] = {
    {"q", "ends, and so does Ctrl-C", "quit"},
    {"/", "shows only functions whose names have a text in them", "filter"},
    {"space", "freezes the figures; recording and the console go on", "freeze"},
    {"Enter", "expands a function to its callers, callees and paths", "expand"},
    {"w", "another window: the last N seconds, or since the start", "window"},
    {"P", "sorts by self time", "self"},
    {"T", "sorts by total time, what it called included", "total"},
    {"C", "sorts by calls", NULL},
    {"M", "sorts by the mean time of a call", NULL},
    {"N", "sorts by name", NULL},
    {"S", "sorts by the next of these columns", "sort"},
    {"R", "reverses the order", NULL},
    {"Tab", "functions, tasks, console; Enter on a task shows it alone", "pane"},
    {"c", "shows or hides what the firmware prints", "console"},
    {"up, down", "and k, j, Page Up, Page Down, Home, End: move the cursor", NULL},
    {"Escape", "drops filter, task and expansion", NULL},
    {"?", "and h, F1: these lines", "keys"},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static void draw_keys(struct grid *grid)
{
    char line[128];

    grid_rule(grid, 0, "keys");
    for (size_t i = 0; i < KEYS && i + 2 < grid->rows; i++) {
        snprintf(line, sizeof line, "%-10s%s", keys[i].key, keys[i].what);
        grid_put(grid, i + 1, 2, TINT_PLAIN, line);
    }
    grid_put(grid, grid->rows - 1, 0, TINT_BOLD, "any key goes back");
}

static void draw_bottom(const struct top *top, struct grid *grid)
{
    struct flow flow = {grid, grid->rows - 1, 1, 0};

    if (top->filtering) {
        flow_put(&flow, TINT_BOLD, "filter: %s_", top->filter);
        flow_put(&flow, TINT_DIM, "Enter keeps it, Escape drops it");
        return;
    }
    if (top->filter[0] != '\0')
        flow_put(&flow, TINT_BOLD, "filter: %s", top->filter);
    flow_put(&flow, TINT_DIM, "? keys");
    for (size_t i = 0; i + 1 < KEYS; i++)
        if (keys[i].brief != NULL)
            flow_put(&flow, TINT_DIM, "%s %s", keys[i].key, keys[i].brief);
}

/* ---- The console ---- */

static void draw_console(const struct live *live, struct grid *grid, size_t row,
                         size_t rows)
{
    size_t lines = live_text_lines(&live->text);

    grid_rule(grid, row++, "console");
    rows--;
    if (lines == 0)
        grid_put(grid, row, 0, TINT_DIM, "the firmware has printed nothing");
    for (size_t i = 0; i < lines && i < rows; i++) {
        size_t back = (lines < rows ? lines : rows) - 1 - i;

        grid_put(grid, row + i, 0, TINT_PLAIN, live_text_line(&live->text, back));
    }
}

/* ---- The table ---- */

/* Moves the first row so that the cursor is among the rows that are shown. */
static void scroll(struct top *top, size_t rows)
{
    if (top->row_count == 0)
        top->cursor = 0;
    else if (top->cursor >= top->row_count)
        top->cursor = top->row_count - 1;
    if (top->cursor < top->first)
        top->first = top->cursor;
    if (top->cursor >= top->first + rows)
        top->first = top->cursor + 1 - rows;
    if (top->row_count < rows)
        top->first = 0;
    else if (top->first > top->row_count - rows)
        top->first = top->row_count - rows;
}

static const char *nothing(const struct top *top, const struct live *live)
{
    if (top->filter[0] != '\0')
        return "no function that ran has that text in its name";
    if (top->pane == TOP_TASKS)
        return "nothing is known of tasks";
    return live->profile.records == 0 ? "nothing was counted yet"
                                      : "nothing was counted in this window";
}

/* Paths and notes stand right behind the figures of their rows: they are long. */
static void put_texts(const struct top *top, struct grid *grid, size_t row, size_t rows)
{
    enum { FIGURES = 8 }; /* columns, at least */

    for (size_t i = 0; i < rows; i++) {
        const struct top_row *of = &top->rows[top->first + i];

        if (of->kind == ROW_PATH || of->kind == ROW_NOTE)
            grid_append(grid, row + i, FIGURES, TINT_DIM, of->name);
    }
}

static bool put_table(struct top *top, struct grid *grid, size_t row, size_t rows)
{
    char *text = NULL;
    size_t size = 0, shown = top->row_count - top->first;
    FILE *out = port_open_memstream(&text, &size);
    bool done;

    if (out == NULL)
        return false;
    top->style.width = grid->style.width;
    shown = shown < rows ? shown : rows;
    done = top_print_table(top, top->first, shown, out);
    done = fclose(out) == 0 && done;
    if (done) {
        grid_put_lines(grid, row, rows + HEADING, text);
        put_texts(top, grid, row + HEADING, shown);
    }
    free(text);
    grid_choose(grid, row + HEADING + top->cursor - top->first);
    return done;
}

static void draw_table(struct top *top, const struct live *live, struct grid *grid,
                       size_t row, size_t rows)
{
    size_t most;

    rows = rows > HEADING ? rows - HEADING : 1;
    top->page = rows;
    most = (top->cursor > top->first ? top->cursor : top->first) + rows;
    if (!top_find_rows(top, most)) {
        grid_put(grid, row, 2, TINT_HOT, "out of memory");
        return;
    }
    scroll(top, rows);
    if (top->row_count == 0)
        grid_put(grid, row, 2, TINT_DIM, nothing(top, live));
    else if (!put_table(top, grid, row, rows))
        grid_put(grid, row, 2, TINT_HOT, "out of memory");
}

/* How many rows the console has at the bottom. */
static size_t console_rows(const struct top *top, size_t rows)
{
    size_t wanted = 1 + (rows / 4 > CONSOLE_ROWS_MIN ? rows / 4 : CONSOLE_ROWS_MIN);

    return top->console && top->pane != TOP_CONSOLE && rows >= wanted + ROWS_MIN ? wanted
                                                                                 : 0;
}

/* How many rows the head may have, so that there is a row of the table below. */
static size_t head_rows(size_t rows)
{
    enum { OTHERS = HEADING + 1 + 1, MOST = 4 }; /* heading, a row, the bottom */

    if (rows > 16)
        return rows / 3;
    return rows <= OTHERS ? 1 : rows - OTHERS < MOST ? rows - OTHERS : MOST;
}

void top_draw(struct top *top, const struct live *live, struct grid *grid)
{
    size_t head, rows, console;

    if (!grid_resize(grid, grid->columns, grid->rows) || grid->rows < 2 ||
        grid->columns < 1)
        return;
    if (top->help) {
        draw_keys(grid);
        return;
    }
    head = top_draw_head(top, live, grid, head_rows(grid->rows));
    rows = grid->rows > head + 1 ? grid->rows - head - 1 : 0;
    console = console_rows(top, rows);
    if (top->pane == TOP_CONSOLE && rows > 1)
        draw_console(live, grid, head, rows);
    else if (rows > 1)
        draw_table(top, live, grid, head, rows - console);
    if (console > 0)
        draw_console(live, grid, head + rows - console, console);
    draw_bottom(top, grid);
}
