/* SPDX-License-Identifier: MIT */
#include "terminal.h"

#define NCURSES_NOMACROS 1
#include <curses.h>

#include <errno.h>
#include <loaded.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/library.h"
#include "top.h"

#define TAKEN(NAME)                                                                      \
    NAME(newterm)                                                                        \
    NAME(has_colors)                                                                     \
    NAME(start_color)                                                                    \
    NAME(use_default_colors)                                                             \
    NAME(init_pair)                                                                      \
    NAME(COLOR_PAIR)                                                                     \
    NAME(cbreak)                                                                         \
    NAME(noecho)                                                                         \
    NAME(curs_set)                                                                       \
    NAME(set_escdelay)                                                                   \
    NAME(keypad)                                                                         \
    NAME(nodelay)                                                                        \
    NAME(endwin)                                                                         \
    NAME(delscreen)                                                                      \
    NAME(erase)                                                                          \
    NAME(attrset)                                                                        \
    NAME(mvaddstr)                                                                       \
    NAME(refresh)                                                                        \
    NAME(getch)                                                                          \
    NAME(stdscr)                                                                         \
    NAME(COLS)                                                                           \
    NAME(LINES)
LIBRARY(curses, TAKEN);

enum { PAIR_WARM = 1, PAIR_HOT };

static struct {
    SCREEN *screen;
    FILE *keys;   /* /dev/tty; NULL: standard input */
    FILE *errors; /* collects standard error while frames are shown; NULL: it does not */
    int error_fd; /* standard error itself */
    bool colour;
} terminal;

/* ---- Standard error ---- */

static void keep_errors(void)
{
    if (isatty(STDERR_FILENO) != 1)
        return;
    terminal.errors = tmpfile();
    if (terminal.errors == NULL)
        return;
    terminal.error_fd = dup(STDERR_FILENO);
    dup2(fileno(terminal.errors), STDERR_FILENO);
}

static void print_errors(void)
{
    char text[4096];
    size_t bytes;

    if (terminal.errors == NULL)
        return;
    fflush(stderr);
    dup2(terminal.error_fd, STDERR_FILENO);
    close(terminal.error_fd);
    rewind(terminal.errors);
    while ((bytes = fread(text, 1, sizeof text, terminal.errors)) > 0)
        fwrite(text, 1, bytes, stderr);
    fclose(terminal.errors);
    terminal.errors = NULL;
}

/* ---- The screen ---- */

static void start_colours(struct style *style)
{
    style->colour = style->colour && curses.has_colors();
    terminal.colour = style->colour;
    if (!style->colour)
        return;
    curses.start_color();
    curses.use_default_colors();
    curses.init_pair(PAIR_WARM, COLOR_YELLOW, -1);
    curses.init_pair(PAIR_HOT, COLOR_RED, -1);
}

static bool no_terminal(struct error *error, const char *why)
{
    if (terminal.keys != NULL)
        fclose(terminal.keys);
    terminal.keys = NULL;
    return error_set(error, EXIT_BAD_INPUT, "the terminal cannot be used: %s", why);
}

bool terminal_open(struct style *style, struct error *error)
{
    const char *name = getenv("TERM");

    if (!library_load(LOADED_ncursesw, curses_names, &curses, error))
        return false;
    if (isatty(STDIN_FILENO) != 1) {
        terminal.keys = fopen("/dev/tty", "re");
        if (terminal.keys == NULL)
            return no_terminal(error, strerror(errno));
    }
    if (name == NULL)
        return no_terminal(error, "TERM is not set");
    terminal.screen =
        curses.newterm(name, stdout, terminal.keys != NULL ? terminal.keys : stdin);
    if (terminal.screen == NULL)
        return no_terminal(error, "nothing is known of the TERM that it is");
    keep_errors();
    start_colours(style);
    curses.cbreak();
    curses.noecho();
    curses.curs_set(0);
    curses.set_escdelay(50);
    curses.keypad(*curses.stdscr, TRUE);
    curses.nodelay(*curses.stdscr, TRUE);
    return true;
}

void terminal_close(void)
{
    if (terminal.screen == NULL)
        return;
    curses.endwin();
    curses.delscreen(terminal.screen);
    terminal.screen = NULL;
    if (terminal.keys != NULL)
        fclose(terminal.keys);
    terminal.keys = NULL;
    print_errors();
}

void terminal_size(size_t *columns, size_t *rows)
{
    *columns = *curses.COLS > 0 ? (size_t)*curses.COLS : 0;
    *rows = *curses.LINES > 0 ? (size_t)*curses.LINES : 0;
}

/* Without colours, hot text is bold. The cursor's row has no tints, with which it would
 * be a patchwork. */
static attr_t look_of(const struct grid_cell *cell)
{
    static const attr_t plain[] = {A_NORMAL, A_DIM, A_BOLD, A_NORMAL, A_BOLD};
    attr_t look = plain[cell->tint];

    if (cell->chosen)
        return A_REVERSE;
    if (terminal.colour && cell->tint == TINT_WARM)
        look = (attr_t)curses.COLOR_PAIR(PAIR_WARM);
    if (terminal.colour && cell->tint == TINT_HOT)
        look = (attr_t)curses.COLOR_PAIR(PAIR_HOT);
    return look;
}

void terminal_show(const struct grid *grid)
{
    curses.erase();
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++) {
            const struct grid_cell *cell = &grid->cells[row * grid->columns + column];

            if (cell->text[0] == '\0')
                continue; /* the character before has two columns */
            curses.attrset((int)look_of(cell));
            curses.mvaddstr((int)row, (int)column, cell->text);
        }
    }
    curses.refresh();
}

/* ---- Keys ---- */

int terminal_key(void)
{
    static const struct {
        int theirs, ours;
    } keys[] = {
        {KEY_UP, TOP_KEY_UP},         {KEY_DOWN, TOP_KEY_DOWN},
        {KEY_PPAGE, TOP_KEY_PAGE_UP}, {KEY_NPAGE, TOP_KEY_PAGE_DOWN},
        {KEY_HOME, TOP_KEY_HOME},     {KEY_END, TOP_KEY_END},
        {KEY_F(1), TOP_KEY_HELP},     {KEY_BACKSPACE, TOP_KEY_BACKSPACE},
        {'\b', TOP_KEY_BACKSPACE},    {'\r', TOP_KEY_ENTER},
        {KEY_ENTER, TOP_KEY_ENTER},   {KEY_RESIZE, TOP_KEY_RESIZE},
        {KEY_BTAB, TOP_KEY_TAB},
    };
    int key = curses.getch();

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (key == keys[i].theirs)
            return keys[i].ours;
    return key >= 0 && key < KEY_MIN ? key : TOP_KEY_NONE;
}
