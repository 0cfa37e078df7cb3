/* SPDX-License-Identifier: MIT */
/*
 * The decoder of version 3 of mcuprof's wire, which mcuprof_wire3.h and docs/wire.md
 * define:
 *
 *   words_framing.c  bytes into blocks whose sums are right, and what lies between
 *   words_runs.c     which run a block is of, and what that run lost
 *   words_take.c     the records of a block
 *   versions.c       tells the versions apart
 */
#ifndef MCUPROF_HOST_WORDS_H
#define MCUPROF_HOST_WORDS_H

#include "decode.h"
#include "mcuprof_wire.h"
#include "mcuprof_wire3.h"

enum {
    WORDS_MAX = MCUPROF_WIRE3_BLOCK_WORDS_MAX,
    WORDS_HEADER = MCUPROF_WIRE3_HEADER_WORDS,
    WORDS_FRAMES_MAX = MCUPROF_WIRE_DEPTH(UINT32_MAX) + 1,
    WORDS_BYTES_MAX = 1 << 16, /* of a block, with the text in it */
};

/* ---- Framing ---- */

/* A block, as far as it came. */
struct words_block {
    uint32_t words[WORDS_MAX];
    size_t count;
    size_t record; /* where the record begins that comes now; 0: the header comes */
    size_t want;   /* how many words there must be, as far as they tell */
    uint32_t hash, sum;
};

/* How words become bytes. */
enum words_form { FORM_NONE, FORM_GROUPS, FORM_LITTLE, FORM_BIG };

/* Bytes that wait until it is known whether a block begins with the first of them. */
struct words_framing {
    uint8_t *bytes;
    size_t begin, used, room;
    uint64_t offset; /* in the input, of the first byte that waits */
    size_t at;       /* the next byte to look at */
    enum words_form form;
    unsigned tag, in_group; /* in_group: words of the group that came */
    struct words_block block;
    char text[WORDS_BYTES_MAX + 1]; /* in the block */
    size_t text_bytes;
};

enum words_found {
    FOUND_NOTHING, /* more bytes are needed */
    FOUND_OTHER,   /* no block begins in the first bytes */
    FOUND_BLOCK,   /* the first bytes are a block that holds */
};

/* false: out of memory. */
bool words_push(struct words_framing *framing, const uint8_t *bytes, size_t size);
/* *size: how many bytes that is. Call words_drop() with them before the next look. */
enum words_found words_look(struct words_framing *framing, size_t *size);
void words_drop(struct words_framing *framing, size_t size);
/* How many of the first bytes are none of a block that begins further on. */
size_t words_find_next(const struct words_framing *framing);
void words_release(struct words_framing *framing);

/* The number of words of the record that begins with these `have` words (at least one).
 * A result above `have` is a lower bound; any other is exact. 0: there is no such record.
 */
size_t words_of_record(const uint32_t *record, size_t have);

/* The `recognise` of struct decode_format. */
int words_recognise(const uint8_t *bytes, size_t size);

/* ---- Runs ---- */

/* What a block says of the events of a kind. */
struct words_kind {
    uint64_t got;                /* events in the block */
    bool told;                   /* it has totals: */
    uint64_t sent, lost;         /* before the block */
    uint64_t sent_end, lost_end; /* behind it */
};

/* A run of the firmware on one core, by the blocks that came. */
struct words_run {
    uint32_t run;
    unsigned core;
    size_t index;       /* in profile.runs, if there is room */
    bool first;         /* of the input: it may have begun before the recording */
    uint64_t last;      /* the highest number that came */
    uint64_t last_time; /* when that block began */
    unsigned why;       /* that block was closed */
    bool untold;        /* events came without totals */
    struct words_tally {
        bool told;
        uint64_t low, high; /* the numbers of the first and the last block with totals */
        struct words_kind sum;
    } kinds[EVENT_KINDS];
    uint64_t times[2], sampling[3]; /* the last ones that the run told */
};

/* The header of a block. */
struct words_header {
    unsigned core;
    uint32_t run;
    uint64_t number, time;
    uint32_t hash, sum;
};

struct words_runs {
    struct words_run *items;
    size_t used, room;
    uint64_t *seen; /* hashes of blocks that were taken; 0: free */
    size_t seen_used, seen_room;
};

/* The run that a block is of, which may be a new one. *run is NULL if the block came
 * before. false: error filled in. */
bool words_find_run(struct decoder *decoder, const struct words_header *header,
                    struct words_run **run, struct error *error);
/* Accounts for a block of the run. */
void words_account(struct decoder *decoder, struct words_run *run,
                   const struct words_header *header, unsigned why,
                   const struct words_kind *kinds);
/* Accounts for the ends of all runs. */
void words_finish_runs(struct decoder *decoder);

/* ---- Records ---- */

struct words {
    struct words_framing framing;
    struct words_runs runs;
    bool greeted;
    uint32_t hello[MCUPROF_WIRE_HELLO_WORDS];
    uint32_t base;
    unsigned unit;
    /* In the block that is taken: */
    struct words_run *run;
    struct words_kind kinds[EVENT_KINDS];
    uint32_t task;
    bool other_metric; /* the next sample is none of time */
    bool path;         /* there is a path */
    size_t depth;
    uint32_t frames[WORDS_FRAMES_MAX]; /* outermost first */
    enum stack_end end;
    /* From the accounts that a PC wrote: */
    bool incomplete, untold;
    uint64_t unsent, resets;
};

/* Takes the block of words->framing, which holds. decoder->state begins with the struct
 * words. */
bool words_take(struct decoder *decoder, struct error *error);

#endif
