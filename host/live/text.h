/* SPDX-License-Identifier: MIT */
/*
 * The last lines that the firmware printed. Tabs are blanks here; carriage returns and
 * the escape sequences of terminals are left out. What else could move a cursor stays:
 * who shows a line must see to it.
 */
#ifndef MCUPROF_HOST_LIVE_TEXT_H
#define MCUPROF_HOST_LIVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { LIVE_LINES = 256, LIVE_LINE_MAX = 256 };

struct live_text {
    char lines[LIVE_LINES][LIVE_LINE_MAX]; /* line i is in lines[i % LIVE_LINES] */
    size_t count;                          /* lines that were begun */
    size_t used;                           /* bytes of the last one */
    bool open;                             /* the last one goes on */
    enum { TEXT_PLAIN, TEXT_ESCAPE, TEXT_SEQUENCE } state; /* private */
};

/* Takes text as it comes; `context` is the struct live_text. */
void live_text_add(void *context, const char *text, size_t bytes);

/* How many lines are kept, and the one that came so many lines before the last one. */
size_t live_text_lines(const struct live_text *text);
const char *live_text_line(const struct live_text *text, size_t back);

#endif
