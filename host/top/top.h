/* SPDX-License-Identifier: MIT */
/*
 * What `mcuprof top` shows of a live profile, and what its keys change. Frames are drawn
 * into a grid. Nothing here knows the terminal (terminal.h) or the source of the bytes.
 */
#ifndef MCUPROF_HOST_TOP_H
#define MCUPROF_HOST_TOP_H

#include "../analysis/analyse.h"
#include "../capture/tasks.h"
#include "../figures/figures.h"
#include "../live/link.h"
#include "../live/live.h"
#include "grid.h"
#include "trend.h"

enum top_sort { TOP_SELF, TOP_TOTAL, TOP_CALLS, TOP_MEAN, TOP_NAME, TOP_SORTS };
enum top_pane { TOP_FUNCTIONS, TOP_TASKS, TOP_CONSOLE, TOP_PANES };

/* Keys that are no characters. */
enum top_key {
    TOP_KEY_NONE = 0,
    TOP_KEY_TAB = '\t',
    TOP_KEY_ENTER = '\n',
    TOP_KEY_ESCAPE = 27,
    TOP_KEY_BACKSPACE = 127,
    TOP_KEY_UP = 256,
    TOP_KEY_DOWN,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_HOME,
    TOP_KEY_END,
    TOP_KEY_HELP,
    TOP_KEY_RESIZE
};

/* What the caller knows of the source; it may change it at any time. */
struct top_source {
    const char *name;      /* for people */
    const char *elf;       /* NULL: none was given */
    const char *problem;   /* why the ELF's names are not shown; NULL: they are */
    const char *recording; /* the capture's name; NULL: none is written */
    unsigned baud;         /* 0: not known */
    bool lives;            /* bytes come as the firmware sends them */
    enum live_link_state link;
    double link_since;      /* when the link's state began, by the live profile's clock */
    const char *link_error; /* why the link was lost; "": it was not */
    size_t losses;          /* how often the link was lost */
};

enum { TOP_FILTER_MAX = 64, TOP_WINDOWS_MAX = 5, TOP_TEXT_MAX = 256 };
/* At most so many callers, as many callees and as many paths of a function are shown. */
enum { TOP_EXPANDED = 5 };

/* A line of a table. */
enum top_row_kind { ROW_FUNCTION, ROW_CALLER, ROW_CALLEE, ROW_PATH, ROW_NOTE, ROW_TASK };
struct top_row {
    double key; /* rows descend by it, then ascend by name and address */
    const char *name;
    uint64_t address;
    uint32_t function; /* index into the analysis */
    uint32_t item;     /* index of an arc, a path's node or a task */
    enum top_row_kind kind;
};

/* What was found when the profile was last looked at. */
struct top_found {
    struct live_look look;
    struct analysis analysis;
    struct task_sums tasks;
    struct trend trend;
    double rate_seconds; /* counts divided by it are rates: the firmware's own time,
                          * else the look's; 0: not known */
    unsigned knows;      /* enum column_needs that were met at any time since the start,
                          * so that columns stay */
    bool timed;          /* shares are those of timed calls */
    bool accounted;      /* the firmware has said what it lost */
    uint64_t lost, lost_in_all;     /* numbers of events, in the look and since the
                                     * start */
    uint64_t received[EVENT_KINDS]; /* in the look; task switches are not counted as
                                     * timed calls */
    uint64_t switches;
    double bytes_per_s;
};

struct top {
    struct top_source source;
    struct style style;
    bool found_any;
    struct top_found found;
    enum top_sort sort;
    const struct figure *by;    /* with TOP_SORTS: the figure that rows are sorted by */
    struct figure_list columns; /* of functions; without any: the usual ones */
    bool reverse, frozen, help, filtering, console;
    enum top_pane pane;
    unsigned windows[TOP_WINDOWS_MAX]; /* in seconds; 0: since the start */
    size_t window_count, window;
    char filter[TOP_FILTER_MAX];
    char task[TASK_LABEL_MAX]; /* only this task is shown; "": all are */
    size_t cursor, first;      /* the cursor's row, and the first row that is shown */
    bool follows;              /* the cursor stays with a function */
    uint64_t follow_address, expanded;
    size_t follow_offset; /* the cursor's distance below the row of that function */
    bool is_expanded;
    size_t page;          /* rows of the table that the last frame had */
    struct top_row *rows; /* rows of the pane that is shown */
    size_t row_count, room;
    char texts[3 * TOP_EXPANDED][TOP_TEXT_MAX]; /* names of rows that are expanded */
    bool stale;                                 /* a key has changed something that
                                                 * needs another look */
};

/* `window` is the first window, in seconds; 0: since the start. */
void top_init(struct top *top, const struct style *style, unsigned window,
              enum top_sort sort);
void top_release(struct top *top);
/* Drops what was found. Call it before the image is closed. */
void top_forget(struct top *top);

/* Looks at the profile, unless the view is frozen. image may be NULL, then functions are
 * addresses; else it must stay open until top_forget(). false: out of memory. */
bool top_look(struct top *top, const struct live *live, struct image *image,
              struct error *error);

/* Draws a frame over the whole grid. */
void top_draw(struct top *top, const struct live *live, struct grid *grid);

/* Handles a key: a character or an enum top_key. false: it asks to end the program. */
bool top_key(struct top *top, int key);

/* Prints a line with the most important figures, for use without a terminal. false: out
 * of memory. */
bool top_print_line(struct top *top, const struct live *live, FILE *out);

/* Needs of figures that no look has: it has sums of calls, and no currents. */
enum { TOP_LACKS = NEEDS_EXTREMES | NEEDS_SINGLES | NEEDS_ENERGY };

/* The names of the orders, for options: "self", ...; NULL beyond the last. */
const char *top_sort_name(size_t sort);

#endif
