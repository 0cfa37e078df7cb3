/* SPDX-License-Identifier: MIT */
/*
 * Shows the firmware's console text to the user. On a terminal, control characters,
 * which could move the cursor or worse, become \xHH. Beside a status line only whole
 * lines are written, so that neither garbles the other. To a file or a pipe the text
 * goes unchanged.
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
    int failed; /* errno of a failed write, after which nothing is written; 0: none */
    bool unfinished; /* the last line written has no newline yet */
    size_t used;
    char held[CONSOLE_HELD];
};

void console_init(struct console *console, int fd, struct progress *progress);
/* Takes text from a decoder; `context` is the console. */
void console_text(void *context, const char *text, size_t bytes);
/* Writes the held text; beside a status line only the whole lines. */
void console_flush(struct console *console);
/* Writes the rest, and on a terminal ends its line. */
void console_end(struct console *console);

/* Writes all bytes, also to a descriptor that does not block. false: errno says why not.
 * *written (may be NULL) is raised by the number of bytes written. */
bool console_write(int fd, const void *bytes, size_t size, unsigned long long *written);

#endif
