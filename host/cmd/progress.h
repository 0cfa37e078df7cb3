/* SPDX-License-Identifier: MIT */
/*
 * The status line of a recording, which is rewritten in place on a terminal's standard
 * error. It is drawn to memory and written in one call.
 */
#ifndef MCUPROF_HOST_PROGRESS_H
#define MCUPROF_HOST_PROGRESS_H

#include "../image/image.h"
#include "../profile/profile.h"
#include "loss.h"

struct progress {
    bool on;                   /* false: draws nothing */
    bool drawn;                /* the line is on the screen */
    unsigned baud;             /* of the link; 0: not known */
    const struct image *image; /* for the top function; NULL: not shown */
    uint64_t *tallies;         /* samples of each of the image's symbols */
    double started, drawn_at;  /* in seconds, by progress_now() */
    /* Rates are those of the last full window of a second. */
    double window_at;
    uint64_t window_events, window_bytes;
    double events_per_s, bytes_per_s;
    const char *top; /* name of the top function; NULL: there is none yet */
    double top_share;
};

/* The time in seconds, by a clock that never goes back. */
double progress_now(void);

void progress_init(struct progress *progress, bool on, unsigned baud,
                   const struct image *image);
void progress_release(struct progress *progress);

/* Draws the line if it is due, or if something else was written over it. */
void progress_tick(struct progress *progress, const struct profile *profile,
                   uint64_t bytes);
/* Clears the line, so that something else can be written. */
void progress_erase(struct progress *progress);

/* Writes the line's text, at most `width` columns. */
void progress_text(const struct progress *progress, const struct profile *profile,
                   uint64_t bytes, double elapsed, size_t width, char text[LOSS_MAX]);

#endif
