/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../port/terminal.h"
#include "loss.h"

#define DRAW_EVERY_S 0.2
#define WINDOW_S     1.0
enum { BITS_A_BYTE = 10, DEFAULT_COLUMNS = 80 };

double progress_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_init(struct progress *progress, bool on, unsigned baud,
                   const struct image *image)
{
    memset(progress, 0, sizeof *progress);
    progress->on = on;
    progress->baud = baud;
    progress->started = progress->window_at = progress_now();
    if (on && image != NULL) {
        const struct image_symbol *symbols;
        size_t count = image_symbols(image, &symbols);

        /* Without memory for the tallies the line has no top function. */
        progress->tallies = calloc(count > 0 ? count : 1, sizeof *progress->tallies);
        progress->image = progress->tallies != NULL ? image : NULL;
    }
}

void progress_release(struct progress *progress)
{
    free(progress->tallies);
    progress->tallies = NULL;
    progress->image = NULL;
}

static void find_top(struct progress *progress, const struct profile *profile)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    const struct image_symbol *symbols;
    size_t count = image_symbols(progress->image, &symbols), best = 0;

    if (count == 0 || profile->received[EVENT_SAMPLE] == 0)
        return;
    memset(progress->tallies, 0, count * sizeof *progress->tallies);
    for (size_t i = 0; i < samples->used; i++) {
        const struct image_symbol *symbol =
            image_symbol_at(progress->image, counter_at(samples, i).to);

        if (symbol == NULL)
            continue;

        size_t at = (size_t)(symbol - symbols);

        progress->tallies[at] += counter_at(samples, i).count;
        if (progress->tallies[at] > progress->tallies[best])
            best = at;
    }
    progress->top = symbols[best].demangled;
    progress->top_share =
        (double)progress->tallies[best] / (double)profile->received[EVENT_SAMPLE];
}

static void move_window(struct progress *progress, const struct profile *profile,
                        uint64_t bytes, double now)
{
    double width = now - progress->window_at;
    uint64_t events = events_sum(profile->received);

    /* Until the first window is full, rates are those of the window so far. */
    if (width < WINDOW_S && (progress->window_at > progress->started || width <= 0))
        return;
    progress->events_per_s = (double)(events - progress->window_events) / width;
    progress->bytes_per_s = (double)(bytes - progress->window_bytes) / width;
    if (progress->image != NULL)
        find_top(progress, profile);
    if (width < WINDOW_S)
        return;
    progress->window_at = now;
    progress->window_events = events;
    progress->window_bytes = bytes;
}

static void append_loss(char text[LOSS_MAX], const struct profile *profile)
{
    uint64_t lost = events_sum(profile->lost), received = events_sum(profile->received);
    char figure[FIGURE_MAX];

    if (!profile->accounted)
        return;
    loss_append(text, "  lost %s", loss_figure(lost, figure));
    if (lost > 0)
        loss_append(text, " (%.1f %%)",
                    100.0 * (double)lost / ((double)lost + (double)received));
}

/* Symbols can hold any character; one that moves the cursor would break the line. */
static void make_plain(char text[LOSS_MAX])
{
    char plain[LOSS_MAX] = "";

    for (const char *c = text; *c != '\0'; c++) {
        bool moves = (unsigned char)*c < ' ' || *c == 0x7f;

        loss_append(plain, moves ? "\\x%02x" : "%c",
                    moves || (unsigned char)*c < 0x80 ? *c : '?');
    }
    memcpy(text, plain, sizeof plain);
}

void progress_text(const struct progress *progress, const struct profile *profile,
                   uint64_t bytes, double elapsed, size_t width, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];

    text[0] = '\0';
    loss_append(text, "%.1f s  %s bytes", elapsed, loss_figure(bytes, figure));
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        if (profile->received[kind] > 0)
            loss_append(text, "  %s %s", loss_figure(profile->received[kind], figure),
                        loss_kind((enum event_kind)kind, profile->received[kind] == 1));
    }
    loss_append(text, "  %s/s", loss_figure((uint64_t)progress->events_per_s, figure));
    append_loss(text, profile);
    if (progress->baud > 0)
        loss_append(text, "  link %.0f %%",
                    100.0 * BITS_A_BYTE * progress->bytes_per_s / progress->baud);
    if (progress->top != NULL)
        loss_append(text, "  %.1f %% %s", 100.0 * progress->top_share, progress->top);
    make_plain(text);
    if (width < LOSS_MAX)
        text[width] = '\0';
}

static size_t columns_to_fill(void)
{
    unsigned columns = port_terminal_columns(STDERR_FILENO);

    /* a line that fills the last column would wrap */
    return columns < 2 ? DEFAULT_COLUMNS - 1 : columns - 1;
}

void progress_tick(struct progress *progress, const struct profile *profile,
                   uint64_t bytes)
{
    double now = progress_now();
    char text[LOSS_MAX], line[LOSS_MAX + 8];
    ssize_t written;
    int size;

    if (!progress->on || (progress->drawn && now - progress->drawn_at < DRAW_EVERY_S))
        return;
    move_window(progress, profile, bytes, now);
    progress_text(progress, profile, bytes, now - progress->started, columns_to_fill(),
                  text);
    size = snprintf(line, sizeof line, "\r%s\033[K", text);
    written = write(STDERR_FILENO, line, (size_t)size);
    progress->drawn = written == size;
    progress->drawn_at = now;
}

void progress_erase(struct progress *progress)
{
    static const char clear[] = "\r\033[K";

    if (progress->drawn && write(STDERR_FILENO, clear, sizeof clear - 1) > 0)
        progress->drawn = false;
}
