/* SPDX-License-Identifier: MIT */
/* What each key does. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

static const char *const sorts[] = {
    [TOP_SELF] = "self", [TOP_TOTAL] = "total", [TOP_CALLS] = "calls",
    [TOP_MEAN] = "mean", [TOP_NAME] = "name",   [TOP_SORTS] = NULL};

const char *top_sort_name(size_t sort)
{
    return sort < TOP_SORTS ? sorts[sort] : NULL;
}

static void sort_by(struct top *top, enum top_sort sort)
{
    top->reverse = false;
    top->sort = sort;
}

/* ---- The cursor ---- */

/* Ties the cursor to the function of its row, or to the function that this row expands.
 */
static void follow(struct top *top)
{
    size_t at = top->cursor;

    top->follows = false;
    if (top->pane != TOP_FUNCTIONS || at >= top->row_count)
        return;
    while (at > 0 && top->rows[at].kind != ROW_FUNCTION)
        at--;
    top->follows = true;
    top->follow_address = top->rows[at].address;
    top->follow_offset = top->cursor - at;
}

static void move(struct top *top, size_t to)
{
    top->cursor = to < top->row_count ? to : top->row_count - (top->row_count > 0);
    if (top->cursor >= top->first + top->page) /* rows beyond the last frame's are not
                                                * sorted yet */
        top_find_rows(top, top->cursor + top->page);
    follow(top);
}

static bool move_by_key(struct top *top, int key)
{
    size_t up = top->cursor, page = top->page > 1 ? top->page - 1 : 1;

    switch (key) {
    case TOP_KEY_UP:
    case 'k':
        move(top, up > 0 ? up - 1 : 0);
        return true;
    case TOP_KEY_DOWN:
    case 'j':
        move(top, up + 1);
        return true;
    case TOP_KEY_PAGE_UP:
        move(top, up > page ? up - page : 0);
        return true;
    case TOP_KEY_PAGE_DOWN:
        move(top, up + page);
        return true;
    case TOP_KEY_END:
        move(top, top->row_count);
        return true;
    case TOP_KEY_HOME:
        top->cursor = top->first = 0;
        top->follows = false;
        return true;
    default:
        return false;
    }
}

/* ---- What is shown ---- */

static void show_pane(struct top *top, enum top_pane pane)
{
    top->pane = pane;
    top->cursor = top->first = 0;
    top->follows = false;
}

static void show_task(struct top *top, const char *label)
{
    snprintf(top->task, sizeof top->task, "%s", label);
    top->stale = true;
    show_pane(top, TOP_FUNCTIONS);
}

static void enter(struct top *top)
{
    const struct top_row *row;

    if (top->cursor >= top->row_count)
        return;
    row = &top->rows[top->cursor];
    if (row->kind == ROW_TASK) {
        show_task(top, row->name);
        return;
    }
    if (top->pane != TOP_FUNCTIONS)
        return;
    if (row->kind == ROW_FUNCTION && top->is_expanded && top->expanded == row->address) {
        top->is_expanded = false;
    } else if (row->kind == ROW_FUNCTION) {
        top->is_expanded = true;
        top->expanded = row->address;
    }
    follow(top);
}

static void escape(struct top *top)
{
    top->stale = top->stale || top->task[0] != '\0';
    top->filter[0] = top->task[0] = '\0';
    top->is_expanded = false;
}

static void take_filter(struct top *top, int key)
{
    size_t used = strlen(top->filter);

    if (key == TOP_KEY_ENTER || key == TOP_KEY_ESCAPE)
        top->filtering = false;
    if (key == TOP_KEY_ESCAPE)
        top->filter[0] = '\0';
    if (key == TOP_KEY_BACKSPACE && used > 0)
        top->filter[used - 1] = '\0';
    if (key >= ' ' && key < TOP_KEY_BACKSPACE && used + 1 < TOP_FILTER_MAX) {
        top->filter[used] = (char)key;
        top->filter[used + 1] = '\0';
    }
    top->cursor = top->first = 0;
    top->follows = false;
}

static void change_view(struct top *top, int key)
{
    switch (key) {
    case '/':
        show_pane(top, TOP_FUNCTIONS);
        top->filtering = true;
        break;
    case ' ':
        top->frozen = !top->frozen;
        break;
    case 'w':
        top->window = (top->window + 1) % top->window_count;
        top->stale = true;
        break;
    case TOP_KEY_TAB:
        show_pane(top, (enum top_pane)((top->pane + 1) % TOP_PANES));
        break;
    case 'c':
        top->console = !top->console;
        break;
    case TOP_KEY_ENTER:
        enter(top);
        break;
    case TOP_KEY_ESCAPE:
        escape(top);
        break;
    case '?':
    case 'h':
    case TOP_KEY_HELP:
        top->help = true;
        break;
    default:
        break;
    }
}

static bool sort_by_key(struct top *top, int key)
{
    static const char letters[TOP_SORTS + 1] = "PTCMN";
    const char *letter = key > 0 && key < 128 ? strchr(letters, key) : NULL;

    if (key == 'S')
        sort_by(top, (enum top_sort)((top->sort + 1) % TOP_SORTS));
    else if (key == 'R')
        top->reverse = !top->reverse;
    else if (letter != NULL)
        sort_by(top, (enum top_sort)(letter - letters));
    else
        return false;
    return true;
}

bool top_key(struct top *top, int key)
{
    if (key == TOP_KEY_NONE || key == TOP_KEY_RESIZE)
        return true;
    if (top->help) {
        top->help = false;
        return true;
    }
    if (top->filtering) {
        take_filter(top, key);
        return true;
    }
    if (key == 'q' || key == 'Q')
        return false;
    if (!move_by_key(top, key) && !sort_by_key(top, key))
        change_view(top, key);
    return true;
}
