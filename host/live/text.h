/* SPDX-License-Identifier: MIT */
/*
 * The last lines that the firmware printed. Tabs become blanks; carriage returns and
 * terminals' escape sequences are left out. Other characters that could move a cursor
 * stay: the caller who shows a line must handle them.
 */
#ifndef MCUPROF_HOST_LIVE_TEXT_H
#define MCUPROF_HOST_LIVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { LIVE_LINES = 256, LIVE_LINE_MAX = 256 };

struct live_text {
    char lines[LIVE_LINES][LIVE_LINE_MAX]; /* line i is in lines[i % LIVE_LINES] */
    size_t count;                          /* lines that were begun */
    size_t used;                           /* bytes of the last line */
    bool open;                             /* the last line has no end yet */
    enum { TEXT_PLAIN, TEXT_ESCAPE, TEXT_SEQUENCE } state; /* private */
};

/* Takes text as it comes; `context` is the struct live_text. */
void live_text_add(void *context, const char *text, size_t bytes);

/* How many lines are kept; and the line that came `back` lines before the last one. */
size_t live_text_lines(const struct live_text *text);
const char *live_text_line(const struct live_text *text, size_t back);

#endif
