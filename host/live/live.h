/* SPDX-License-Identifier: MIT */
/*
 * A profile while it is being made: bytes go in as they come, and at any time one can
 * look at the whole profile or at what came in the last N seconds. Only what counts in a
 * report counts: of mcuprof's wire, blocks of records that are closed and hold. Nothing
 * here reads a clock: `now` is in seconds, by a clock that never goes back.
 */
#ifndef MCUPROF_HOST_LIVE_H
#define MCUPROF_HOST_LIVE_H

#include "../capture/history.h"
#include "../decode/decode.h"
#include "../image/image.h"
#include "text.h"

/* A window has whole steps of one second; LIVE_SECONDS_MAX is the longest. */
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
    bool decoding; /* there is a decoder */
    struct decode_options options;
    const char *name; /* the source's name, for errors */
    bool tail_calls;  /* set by the caller, false at first: functions that left by a tail
                       * call are put into the stacks, see tails.h */
    bool through_interrupts; /* set by the caller, false at first: stacks go on beyond
                              * interrupts' handlers, into the code that was hit */
    struct history history;
    double began, now;        /* `now` when this was made, and at the last call */
    double first_at, last_at; /* when the first and the last byte came */
    uint64_t bytes;
    uint64_t step_bytes[HISTORY_STEPS + 1]; /* private: `bytes` at the begin of each
                                             * step */
    struct live_text text;                  /* what the firmware printed */
    bool over;
    size_t restarts;    /* how often the decoder gave up and began anew */
    struct error error; /* the reason of the last restart; "": there was none */
    double error_at;
};

/* What came in a window. */
struct live_look {
    struct profile profile; /* stacks end at interrupts' handlers, unless
                             * through_interrupts is set */
    double seconds;         /* length of the window, by the caller's clock */
};

/* Copies *options except its console, which is live->text; `name` must outlive *live.
 * false: there is nothing to release. */
bool live_init(struct live *live, const struct decode_options *options, const char *name,
               double now, struct error *error);
void live_release(struct live *live);

/*
 * Takes bytes. If the decoder cannot go on with them (they are another firmware's, or no
 * profile), live->error says why, all counts are dropped, and it begins anew with the
 * bytes that follow. false: out of memory.
 */
bool live_bytes(struct live *live, const uint8_t *bytes, size_t size, double now,
                struct error *error);
/* Tells the time. Call it about once a second while no bytes come. */
bool live_pass(struct live *live, double now, struct error *error);
/* The source has ended: counts or gives up what waited for more bytes, and stops the
 * clock. false: *error says what the decoder missed. */
bool live_finish(struct live *live, double now, struct error *error);

enum live_state live_state(const struct live *live);
/* Bytes a second, over the last few seconds. */
double live_bytes_per_s(const struct live *live);

/* Looks at the last `seconds` seconds; 0: all since the start. `image`: that of the
 * firmware, or NULL. false: out of memory, nothing to release; else
 * profile_release(&look->profile). */
bool live_look(const struct live *live, struct image *image, unsigned seconds,
               struct live_look *look, struct error *error);

#endif
