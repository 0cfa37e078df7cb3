/* SPDX-License-Identifier: MIT */
#include "console.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

enum { ESCAPED_MAX = 4 }; /* "\xHH" */

void console_init(struct console *console, int fd, struct progress *progress)
{
    memset(console, 0, sizeof *console);
    console->fd = fd;
    console->terminal = isatty(fd) == 1;
    console->progress = progress;
}

bool console_write(int fd, const void *bytes, size_t size, unsigned long long *written)
{
    const char *next = bytes;

    while (size > 0) {
        ssize_t done = write(fd, next, size);

        if (done < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};

            poll(&wait, 1, -1);
            continue;
        }
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        next += done;
        size -= (size_t)done;
        if (written != NULL)
            *written += (unsigned long long)done;
    }
    return true;
}

/* Writes the first `size` held bytes. */
static void write_held(struct console *console, size_t size)
{
    if (size == 0)
        return;
    progress_erase(console->progress);
    if (console->failed == 0 && !console_write(console->fd, console->held, size, NULL))
        console->failed = errno;
    console->unfinished = console->held[size - 1] != '\n';
    console->used -= size;
    memmove(console->held, console->held + size, console->used);
}

/* Makes room for one more character; a line longer than the buffer is broken. */
static void make_room(struct console *console)
{
    if (console->used + ESCAPED_MAX <= CONSOLE_HELD - 1)
        return;
    if (console->terminal && console->progress->on)
        console->held[console->used++] = '\n';
    write_held(console, console->used);
}

static bool harmless(char c)
{
    return c == '\n' || c == '\r' || c == '\t' || (c >= ' ' && c < 0x7f);
}

void console_text(void *context, const char *text, size_t bytes)
{
    struct console *console = context;

    for (size_t i = 0; i < bytes; i++) {
        make_room(console);
        if (!console->terminal || harmless(text[i]))
            console->held[console->used++] = text[i];
        else
            console->used +=
                (size_t)snprintf(console->held + console->used, ESCAPED_MAX + 1,
                                 "\\x%02x", (unsigned char)text[i]);
    }
}

void console_flush(struct console *console)
{
    size_t size = console->used;

    if (console->terminal && console->progress->on) {
        while (size > 0 && console->held[size - 1] != '\n')
            size--;
    }
    write_held(console, size);
}

void console_end(struct console *console)
{
    write_held(console, console->used);
    if (console->terminal && console->unfinished) {
        console->held[console->used++] = '\n';
        write_held(console, console->used);
    }
}
