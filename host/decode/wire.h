/* SPDX-License-Identifier: MIT */
/*
 * The state of the decoder of versions 1 and 2 of mcuprof's wire, which its files share:
 *
 *   mcuprof.c      bytes into records and gaps
 *   wire_block.c   records into blocks; a block whose hash holds is taken
 *   wire_repair.c  a block in which one place is damaged
 *   wire_take.c    a record of a block that holds, to one of these:
 *   wire_claims.c  what the firmware says of itself
 *   wire_runs.c    totals, ends, runs
 *   wire_events.c  events, and whose they are
 *   wire_paths.c   call paths
 *   wire_timeline.c  the timeline
 *   wire_pieces.c  pieces of a block, and what one record says by itself
 */
#ifndef MCUPROF_HOST_WIRE_H
#define MCUPROF_HOST_WIRE_H

#include <string.h>

#include "../base/vector.h"
#include "decode.h"
#include "mcuprof_wire.h"
#include "record.h"

enum {
    HELD_MAX = 256,      /* text that is kept until the first record shows whether it is
                          * text */
    PENDING_MAX = 65536, /* records of events that are kept until the hello is sure */
    GAP_MAX = 128,       /* bytes of a gap that are kept */
    PIECES_MAX = 4096,   /* of a block; the firmware's blocks have some 100 records */
    CLAIMS_MAX = 4,      /* different claims whose votes are counted */
    TAKEN = 1024, /* last blocks that are remembered, to recognise repeated ones: of
                   * 64 KiB at least, which a server may send again */
    FRAMES_MAX =
        MCUPROF_WIRE_DEPTH(UINT32_MAX) + 1, /* one frame is in the link register */
};

/* A piece of a block: a whole record, or the gap between two. */
struct piece {
    uint32_t at;    /* in block.bytes */
    uint16_t bytes; /* a longer gap is cut to GAP_MAX */
    bool record;
    uint8_t damaged; /* for a gap: damaged records in it, at most; 0: only text */
};

/* The pieces that came since the record that began the block. */
struct block {
    uint8_t *bytes;
    size_t used, room;
    struct piece *pieces;
    size_t count, pieces_room;
    /* The piece that began the block. Earlier pieces are of blocks that did not hold;
     * they are kept until it is known whether the wire has blocks. */
    size_t begin;
    size_t reset; /* the block's last hello that begins a run; NO_PIECE: none */
    uint64_t reset_offset;
};
#define NO_PIECE SIZE_MAX

struct totals {
    uint32_t sent[EVENT_KINDS];
    uint32_t lost[EVENT_KINDS];
    uint32_t sum; /* version 1: the sum of the check accumulators of all records */
};

/* A claim that the firmware makes about itself again and again. It is sure once a block
 * that contains it holds; in version 1, once it came twice. At the end of the input the
 * most frequent claim is taken if it came three times: two records may be damaged in the
 * same place. */
struct claim {
    bool sure;
    uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS];
    struct {
        unsigned votes;
        uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS];
    } heard[CLAIMS_MAX];
};

/* A record that is kept: one of an event, or one that describes a path. */
struct pending {
    uint32_t task;  /* the task it belongs to */
    uint32_t block; /* the number of its block */
    uint8_t record[RECORD_MAX];
};

/* The last path that a block described. */
struct path {
    uint32_t block; /* the number of the block */
    bool known;
    enum stack_end end;
    size_t depth;
    uint32_t frames[FRAMES_MAX]; /* outermost first */
    uint32_t places[MCUPROF_WIRE_PLACES];
    bool filled[MCUPROF_WIRE_PLACES];
};

/* The timeline, as the blocks that were taken describe it. */
struct steps {
    uint32_t block; /* the number of the last block that said a state */
    bool known;     /* time, task and handlers are known, as the last step left them */
    uint32_t time, task, handlers;
    bool missing;                /* records were lost since the last state */
    bool told;                   /* a state, or power-on, came in this run */
    uint32_t sent, lost, since;  /* sent, lost: by the last state; since: events that
                                  * came after it */
    uint32_t later, value, name; /* parts of the next event that came already */
};

/* What held when the last block was taken. If the next block that holds follows on that
 * one, nothing was lost between them, whatever came there. */
struct resumption {
    bool known;
    uint32_t hash; /* of the block that was taken */
    uint32_t task;
    bool missing, flushed, running, took, steps_missing;
    unsigned stretches;
    size_t heard;
    struct totals after;
};

struct wire {
    bool excluded[128]; /* by the hello, no record starts with this byte */
    uint8_t sizes[128]; /* the length of a record by its start byte; 0: the start byte
                         * does not tell it, or is excluded */
    /* The bytes that come. */
    struct {
        uint8_t record[RECORD_MAX];
        size_t have, want; /* length of the current record, as record_bytes() has it; if
                            * have is 0, there is none */
        uint64_t offset;   /* of the record's first byte in the input */
        uint64_t start;    /* of the first record */
        bool
            skipping; /* within a record of unknown length: skip to the next start byte */
        bool synced;  /* a record was accepted */
        char held[HELD_MAX];
        size_t held_bytes;
    } line;

    unsigned version; /* 0: not known yet */
    unsigned other;   /* a version that a record claimed and that is not known; 0: none */
    unsigned hellos[3]; /* received, by version, in blocks that hold or not */
    struct block block;

    /* This run's last blocks that held: their hashes, and the offsets of the records that
     * closed them. */
    struct {
        uint32_t hashes[TAKEN];
        uint64_t at[TAKEN];
        size_t count;
    } taken;
    /* Blocks that came again, since the last totals that went on. */
    struct {
        size_t count;
        struct totals totals;  /* the last ones in those */
        uint64_t offset;       /* of the first of them */
        size_t number;         /* its number in the run, from 0 */
        uint64_t distance;     /* how many bytes before it came first */
        struct totals between; /* received since what was lost before the first of them */
        unsigned stretches;    /* the value of account.stretches at the first of them */
    } repeats;
    struct resumption resumption;

    bool greeted; /* base and unit are known */
    struct claim hello, build_id;
    uint32_t base;
    unsigned unit;
    bool big_endian;
    /* What the records of times say. */
    struct {
        bool known;
        bool anew; /* after account.last, the sums in `last` showed that the firmware
                    * restarted */
        uint32_t last[MCUPROF_WIRE_TIME_WORDS], doubt[3];
        /* Of the firmware's life: the run, as its records tell it, and the self times of
         * the calls that came. */
        uint64_t run_ticks, call_ticks;
        bool waits; /* a record waits until it is sure whether calls are timed */
        uint32_t waiting[MCUPROF_WIRE_TIME_WORDS];
    } clock;

    uint32_t task; /* the task that the next events belong to */
    struct {
        struct pending *items;
        size_t used;
    } pending;
    uint32_t blocks; /* number of the blocks, among those that are taken, that began so
                      * far */
    struct path path;
    struct steps steps;
    struct event events[EVENT_BATCH]; /* taken, but not counted yet */
    size_t event_count;

    struct {
        bool begun;   /* records of a run have come */
        bool running; /* the run's end has not come */
        size_t
            unflushed; /* runs that may have ended with counters still in the firmware */
        bool flushed;  /* the firmware sent all its counters, and no events since */
    } run;
    struct {
        bool based;          /* `last` is known */
        bool missing;        /* records that may hold events were lost since `last` */
        struct totals last;  /* the last totals, or zeros at the firmware's start */
        struct totals since; /* received since `last` */
        struct totals after; /* received since the last records that were lost */
        unsigned stretches;  /* of lost records since `last`, with blocks that held
                              * between */
        size_t heard;    /* records of events since `last`, in blocks that did not hold */
        bool took;       /* a block was taken since the last of them */
        uint64_t damage; /* version 1: damaged records so far */
        uint64_t damaged_then; /* the value of `damage` at `last` */
    } account;
};

/* As record_bytes(), but 0 for kinds that the hello excludes. */
static inline size_t wire_record_bytes(const struct wire *wire, const uint8_t *record,
                                       size_t have)
{
    unsigned start = record[0] & 0x7Fu;
    if (wire->sizes[start] > 0)
        return wire->sizes[start];
    return wire->excluded[start] ? 0 : record_bytes(record, have);
}
/* Call it whenever `excluded` has changed. */
void wire_find_sizes(struct wire *wire);

/* Adds a whole record (its own check is right) or the bytes of a gap to the block. A
 * record that closes the block takes it if the hash holds. */
bool wire_add_record(struct decoder *decoder, const uint8_t *record, size_t bytes,
                     struct error *error);
bool wire_add_gap(struct decoder *decoder, const uint8_t *bytes, size_t size,
                  bool damaged_record, struct error *error);

/* Adds bytes to the block's last piece. It is done for each record. */
static inline bool wire_append_bytes(struct block *block, const uint8_t *bytes,
                                     size_t size, struct error *error)
{
    if (size == 0)
        return true; /* block->bytes may still be NULL */
    while (block->used + size > block->room) {
        if (!vector_grow(&block->bytes, block->room, &block->room, 1))
            return error_no_memory(error);
    }
    memcpy(block->bytes + block->used, bytes, size);
    block->used += size;
    return true;
}

/* Adds a piece. */
static inline bool wire_append_piece(struct block *block, const uint8_t *bytes,
                                     size_t size, bool record, struct error *error)
{
    if (block->count == block->pieces_room &&
        !vector_grow(&block->pieces, block->count, &block->pieces_room,
                     sizeof *block->pieces))
        return error_no_memory(error);
    block->pieces[block->count++] =
        (struct piece){(uint32_t)block->used, (uint16_t)size, record, 0};
    return wire_append_bytes(block, bytes, size, error);
}

/* Puts a record into the block at this place: with `replace` instead of the piece there,
 * else before it. */
bool wire_put_piece(struct block *block, size_t place, bool replace,
                    const uint8_t *record, size_t bytes, struct error *error);
/* Takes or loses the last block at the end of the input. */
bool wire_finish_blocks(struct decoder *decoder, struct error *error);

/* Looks for the only repair that makes the pieces from `from` to the block's last right,
 * and makes it. The last piece is a record with the hash *stated; if `stated` is NULL
 * there is no such record, and the repair must bring one back. *found: whether there is
 * such a repair. */
bool wire_repair(struct decoder *decoder, size_t from, const uint32_t *stated,
                 bool *found, struct error *error);
/* Whether there are words among the bytes: 10 bytes of text side by side, nearly all of
 * them letters, digits or spaces. Among bytes of records that comes 1 time in 500. */
bool wire_has_words(const uint8_t *bytes, size_t size);
/* Continues `hash` with the records among these pieces. */
uint32_t wire_hash(const struct block *block, size_t from, size_t to, uint32_t hash);
uint32_t wire_hash_bytes(const uint8_t *bytes, size_t size, uint32_t hash);
/* The hash of the block in the record that closes it. */
uint32_t wire_stated(const uint8_t *record, size_t bytes);

/* Notes that a block of this number in the run came again; it begins with this record,
 * or, if NULL, with none. */
void wire_note_repeat(struct decoder *decoder, const uint8_t *record, size_t number);
/* Notes that a block with this hash was taken. */
void wire_note_taken(struct wire *wire, uint32_t hash);
/* Notes that a block begins with this record and holds: it may follow on the last one
 * that was taken. */
void wire_resume(struct wire *wire, const uint8_t *record, size_t bytes);

/* Takes a record of a block that holds, or any record of version 1. */
bool wire_take(struct decoder *decoder, const uint8_t *record, size_t bytes,
               struct error *error);
/* Counts a record of events or of a path, or keeps it until the hello is sure. */
bool wire_take_event(struct decoder *decoder, const uint8_t *record, size_t bytes,
                     struct error *error);
void wire_take_totals(struct decoder *decoder, const uint8_t *record);
/* In version 1, the end is the only record that closes something. */
void wire_take_end(struct decoder *decoder, const uint8_t *record, size_t bytes);
/* The number of events in a record. */
uint32_t wire_events_of(const uint8_t *record);
/* The firmware started or restarted here, so that its totals begin at zero. */
void wire_start_over(struct decoder *decoder, uint64_t offset);
/* Notes that a part of a run came, whether it is proven or not. */
void wire_note_run(struct decoder *decoder);
/* Notes the end of a run, by a reset or by the end of the input. */
void wire_end_run(struct decoder *decoder);
/* Notes the start byte of the record that closed a block which holds. */
void wire_note_close(struct wire *wire, uint8_t start);
/* Notes that records were lost, so the task of the next events is not known. */
void wire_lose(struct decoder *decoder);

/* Takes a hello; `sure`: it is in a block that holds. */
bool wire_take_hello(struct decoder *decoder, const uint8_t *record, bool sure,
                     struct error *error);
/* Whether a record is the hello that begins a run. */
bool wire_is_first(const uint8_t *record);
/* Whether this hello equals the one that is sure. */
bool wire_same_hello(const struct decoder *decoder, const uint8_t *record);
/* Shows a claim in the profile before it is sure, until another one is sure: `record` of
 * mcuprof tells its user at once whether the firmware is the right one. */
void wire_preview(struct decoder *decoder, const uint8_t *record);
bool wire_finish_claims(struct decoder *decoder, struct error *error);

bool wire_take_task(struct decoder *decoder, const uint8_t *record, struct error *error);
/* Counts the events in `events`. */
bool wire_count_events(struct decoder *decoder, struct error *error);
/* Counts the records that were kept. */
bool wire_count_pending(struct decoder *decoder, struct error *error);
/* Turns an address on the wire back into the firmware's, modulo 2^32. */
static inline uint32_t wire_address(const struct wire *wire, uint32_t sent)
{
    return (uint32_t)(sent << wire->unit) + wire->base;
}

/* Versions 1 and 2 alone. */
extern const struct decode_format decode_wire;

/* Whether the firmware sends a path with each sample. */
static inline bool wire_has_paths(const struct wire *wire)
{
    return wire->version != 1 && MCUPROF_WIRE_DEPTH(wire->hello.words[3]) > 0;
}
/* Forgets the time that a firmware's life has had so far. */
static inline void wire_forget_time(struct wire *wire)
{
    memset(wire->clock.last, 0, sizeof wire->clock.last);
    wire->clock.run_ticks = wire->clock.call_ticks = 0;
}

/* Takes a record that describes a path, or a sample of the last path, in the block of
 * this number. A record that refers to something the block has not described is damaged.
 */
bool wire_count_path(struct decoder *decoder, const uint8_t *record, uint32_t block,
                     struct error *error);

/* These take records of the timeline. */
bool wire_take_state(struct decoder *decoder, const uint8_t *record, struct error *error);
bool wire_take_steps(struct decoder *decoder, const uint8_t *record, struct error *error);
/* Notes that a run begins; `power_on`: nothing of it was sent before. */
void wire_timeline_run(struct decoder *decoder, bool power_on);

#endif
