/* SPDX-License-Identifier: MIT */
/*
 * The program's own console text on its way to the user. On a terminal, what could move
 * the cursor or worse is shown as \xHH; beside a status line only whole lines are
 * written, so that neither garbles the other. In a file or a pipe the text is as it came.
 */
#ifndef MCUPROF_HOST_CONSOLE_H
#define MCUPROF_HOST_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

struct progress;

enum { CONSOLE_HELD = 4096 };

struct console {
    int fd;
    bool terminal;
    struct progress *progress; /* erased before text is written; never NULL */
    int failed;      /* errno of a write, 0: none; nothing is written after it */
    bool unfinished; /* the last line written has no newline yet */
    size_t used;
    char held[CONSOLE_HELD];
};

void console_init(struct console *console, int fd, struct progress *progress);
/* Takes text as a decoder finds it; `context` is the console. */
void console_text(void *context, const char *text, size_t bytes);
/* Writes what can be written now: all, or the whole lines beside a status line. */
void console_flush(struct console *console);
/* Writes the rest, and on a terminal ends its line. */
void console_end(struct console *console);

/* Writes all of it, whatever the descriptor's mode. false: errno says why not; *written
 * (may be NULL) is raised by what was. */
bool console_write(int fd, const void *bytes, size_t size, unsigned long long *written);

#endif
