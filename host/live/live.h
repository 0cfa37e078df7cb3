/* SPDX-License-Identifier: MIT */
/*
 * A profile while it is being made: bytes go in as they come, and at any time the profile
 * can be looked at, whole or what came in the last N seconds. What counts is what counts
 * in a report, too: of mcuprof's wire a block of records that is closed and holds.
 * Nothing here reads a clock: `now` is in seconds, of a clock that never goes back.
 */
#ifndef MCUPROF_HOST_LIVE_H
#define MCUPROF_HOST_LIVE_H

#include "../decode/decode.h"
#include "../image/image.h"
#include "../profile/history.h"
#include "text.h"

/* A window has whole steps of a second; LIVE_SECONDS_MAX is the longest. */
enum { LIVE_SECONDS_MAX = HISTORY_STEPS, LIVE_QUIET_S = 3 };

enum live_state {
    LIVE_SILENT,  /* no byte came yet */
    LIVE_TEXT,    /* bytes came, but no record of a profile */
    LIVE_RUNNING, /* records come */
    LIVE_QUIET,   /* nothing has come for LIVE_QUIET_S seconds */
    LIVE_STOPPED, /* the firmware stopped the profiler */
    LIVE_OVER     /* live_finish() was called */
};

struct live {
    struct profile profile; /* since the start; its stacks are as decoded */
    struct decoder decoder;
    bool decoding; /* the decoder is there */
    struct decode_options options;
    const char *name;        /* of the source, for errors */
    bool through_interrupts; /* looks have stacks that go on into what interrupts hit; the
                                caller's, false at first */
    struct history history;
    double began, now;        /* when it was made, and the last `now` */
    double first_at, last_at; /* when the first and the last byte came */
    uint64_t bytes;
    uint64_t step_bytes[HISTORY_STEPS + 1]; /* `bytes` where a step began: private */
    struct live_text text;                  /* what the firmware printed */
    bool over;
    size_t restarts;    /* how often the decoder gave up and began anew */
    struct error error; /* why it did so the last time; "": it did not */
    double error_at;
};

/* What came in a window. */
struct live_look {
    struct profile profile; /* stacks end at interrupts' handlers, or go on */
    double seconds;         /* of the caller's clock, that it is of */
};

/* *options is copied, all but its console, which is live->text; `name` must outlive
 * *live. false: nothing to release. */
bool live_init(struct live *live, const struct decode_options *options, const char *name,
               double now, struct error *error);
void live_release(struct live *live);

/*
 * Takes bytes. Where the decoder cannot go on with them (another firmware came, or what
 * comes is no profile), live->error says why, what was counted is forgotten, and all
 * begins anew with the bytes that follow. false: out of memory.
 */
bool live_bytes(struct live *live, const uint8_t *bytes, size_t size, double now,
                struct error *error);
/* Time passes. To be called about once a second where no bytes come. */
bool live_pass(struct live *live, double now, struct error *error);
/* The source has ended: what was waiting for more is counted or given up, and time stands
 * still. false: the decoder says in *error what it missed. */
bool live_finish(struct live *live, double now, struct error *error);

enum live_state live_state(const struct live *live);
/* Bytes a second, over the last few seconds. */
double live_bytes_per_s(const struct live *live);

/* Looks at the last `seconds` seconds; 0: all since the start. `image`: that of the
 * firmware, or NULL. false: out of memory, nothing to release; else
 * profile_release(&look->profile). */
bool live_look(const struct live *live, const struct image *image, unsigned seconds,
               struct live_look *look, struct error *error);

#endif
