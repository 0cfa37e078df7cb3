/* SPDX-License-Identifier: MIT */
/*
 * The state of the decoder of mcuprof's wire, which its files share:
 *
 *   mcuprof.c      bytes into records and gaps
 *   wire_block.c   records into blocks; a block whose hash holds is taken
 *   wire_repair.c  a block in which one place is damaged
 *   wire_take.c    the records of a block that holds, totals, ends
 *   wire_claims.c  what the firmware says of itself
 *   wire_events.c  events, and whose they are
 *   wire_paths.c   call paths
 */
#ifndef MCUPROF_HOST_WIRE_H
#define MCUPROF_HOST_WIRE_H

#include "decode.h"
#include "mcuprof_wire.h"
#include "record.h"

enum {
    HELD_MAX = 256,      /* text held until the first record tells whether it is text */
    PENDING_MAX = 65536, /* records of events kept until the hello is sure */
    GAP_MAX = 128,       /* bytes kept of what is in no record */
    PIECES_MAX = 4096,   /* of a block; firmware's has some 100 records */
    CLAIMS_MAX = 4,      /* that differ, of which votes are counted */
    TAKEN = 64,          /* blocks that are remembered, to know one that comes again */
    FRAMES_MAX = MCUPROF_WIRE_DEPTH(UINT32_MAX) + 1, /* one is in the link register */
};

/* Bytes of a block: a record that is whole, or what is between two such. */
struct piece {
    uint32_t at;    /* in block.bytes */
    uint16_t bytes; /* of a gap at most GAP_MAX, though it was longer */
    bool record;
    uint8_t damaged; /* a gap: damaged records in it, at most; 0: text only */
};

/* What came since the record that began it. */
struct block {
    uint8_t *bytes;
    size_t used, room;
    struct piece *pieces;
    size_t count, pieces_room;
    size_t begin; /* the piece that began it. Those before are of blocks that did not
                     hold, kept as long as nobody knows whether the wire has blocks */
    size_t reset; /* the last hello in it that is a first; NO_PIECE */
    uint64_t reset_offset;
};
#define NO_PIECE SIZE_MAX

struct totals {
    uint32_t sent[EVENT_KINDS];
    uint32_t lost[EVENT_KINDS];
    uint32_t sum; /* version 1: of the check accumulators of all records */
};

/* What the firmware says of itself again and again. It is sure once a block that has it
 * holds; in version 1, once it was said twice alike. At the end of the input, the most
 * frequent is, where three say it: two may be damaged in the same place. */
struct claim {
    bool sure;
    uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS];
    struct {
        unsigned votes;
        uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS];
    } heard[CLAIMS_MAX];
};

/* An event's record, or one that says a path. */
struct pending {
    uint32_t task;  /* whose it is */
    uint32_t block; /* the number of the block that it is in */
    uint8_t record[RECORD_MAX];
};

/* The path that a block said last. */
struct path {
    uint32_t block; /* the number of the block */
    bool known;
    enum stack_end end;
    size_t depth;
    uint32_t frames[FRAMES_MAX]; /* outermost first */
    uint32_t places[MCUPROF_WIRE_PLACES];
    bool filled[MCUPROF_WIRE_PLACES];
};

struct wire {
    bool excluded[128]; /* the hello says that no record starts so */
    uint8_t sizes[128]; /* bytes of a record that starts so; 0: the start does not tell,
                           or it is excluded */
    uint8_t record[RECORD_MAX];
    size_t have, want; /* bytes of the record begun, as record_bytes(); have 0: outside */
    uint64_t offset;   /* of its first byte in the input */
    bool skipping;     /* in a record of unknown length: until the next start byte */
    bool synced;       /* a record was accepted */
    char held[HELD_MAX];
    size_t held_bytes;

    unsigned version;   /* 0: not known yet */
    unsigned other;     /* version that a record claimed; 0: none did */
    unsigned hellos[3]; /* of each version, in whatever blocks */
    struct block block;

    uint32_t taken[TAKEN]; /* hashes of the last blocks of this run that held */
    size_t taken_count;

    bool greeted; /* base and unit are known */
    struct claim hello, build_id;
    bool timed;
    uint32_t time[MCUPROF_WIRE_TIME_WORDS], time_doubt[3];
    bool held_time; /* before it is sure whether calls are timed */
    uint32_t time_held[MCUPROF_WIRE_TIME_WORDS];
    uint32_t base;
    unsigned unit;
    bool big_endian;
    uint32_t task; /* whose the next events are */
    struct pending *pending;
    size_t pending_used;
    uint32_t blocks; /* begun, of those that are taken */
    struct path path;

    struct event events[EVENT_BATCH]; /* taken, but not counted yet */
    size_t event_count;

    uint64_t start;        /* the offset of the first record */
    bool begun;            /* records came of a run */
    bool running;          /* and no end */
    size_t unflushed;      /* runs that ended with counters in the firmware, perhaps */
    bool flushed;          /* it sent all its counters, and no events since */
    bool based;            /* `last` is known */
    bool missing;          /* records that may have events were lost since `last` */
    struct totals last;    /* the last totals, or zeros at the firmware's start */
    struct totals since;   /* received since */
    uint64_t damage;       /* version 1: damaged records so far */
    uint64_t damaged_then; /* the same at `last` */
};

/* record_bytes(), but for what the hello excludes. */
static inline size_t wire_record_bytes(const struct wire *wire, const uint8_t *record,
                                       size_t have)
{
    unsigned start = record[0] & 0x7Fu;
    if (wire->sizes[start] > 0)
        return wire->sizes[start];
    return wire->excluded[start] ? 0 : record_bytes(record, have);
}
/* To be called when what is excluded has changed. */
void wire_find_sizes(struct wire *wire);

/* Adds a record that is whole (its own check is right), or bytes that are in none, to the
 * block. A record that closes it has it taken, if its hash holds. */
bool wire_add_record(struct decoder *decoder, const uint8_t *record, size_t bytes,
                     struct error *error);
bool wire_add_gap(struct decoder *decoder, const uint8_t *bytes, size_t size,
                  bool damaged_record, struct error *error);
/* Puts a record into the block as this piece, in place of what is there or before it. */
bool wire_put_piece(struct block *block, size_t place, bool replace,
                    const uint8_t *record, size_t bytes, struct error *error);
/* At the end of the input. */
bool wire_finish_blocks(struct decoder *decoder, struct error *error);

/* Looks for the one repair of the pieces from `from` up to the block's last, a record
 * with the hash `stated`, that makes it right; makes it. With `open` there is no such
 * record: then the repair must bring one back. *found: whether there is one. */
bool wire_repair(struct decoder *decoder, size_t from, const uint32_t *stated,
                 bool *found, struct error *error);
/* The hash of the records among these pieces, going on from `hash`. */
uint32_t wire_hash(const struct block *block, size_t from, size_t to, uint32_t hash);
uint32_t wire_hash_bytes(const uint8_t *bytes, size_t size, uint32_t hash);
/* The hash that a record which closes a block has of it. */
uint32_t wire_stated(const uint8_t *record, size_t bytes);

/* Takes a record of a block that holds; of version 1, any. */
bool wire_take(struct decoder *decoder, const uint8_t *record, size_t bytes,
               struct error *error);
/* Events of a record; 0: it has none. */
uint32_t wire_events_of(const uint8_t *record);
/* The firmware (re)started here: what it counts runs from zero. */
void wire_start_over(struct decoder *decoder, uint64_t offset);
/* Something of a run came, be it proven or not. */
void wire_note_run(struct decoder *decoder);
/* The run ends, by a reset or with the input: what is said of that. */
void wire_end_run(struct decoder *decoder);
/* A block holds that a record which starts so closed. */
void wire_note_close(struct wire *wire, uint8_t start);
/* Records were lost: nobody knows whose the next events are. */
void wire_lose(struct decoder *decoder);

/* `sure`: the block holds. */
bool wire_take_hello(struct decoder *decoder, const uint8_t *record, bool sure,
                     struct error *error);
/* Whether a record is the hello that begins a run. */
bool wire_is_first(const uint8_t *record);
/* Whether this is the hello that is sure. */
bool wire_same_hello(const struct decoder *decoder, const uint8_t *record);
/* Shows in the profile what is not sure yet, as long as nothing is: whoever records wants
 * to know at once whether it is the right firmware. */
void wire_preview(struct decoder *decoder, const uint8_t *record);
bool wire_finish_claims(struct decoder *decoder, struct error *error);

/* Takes a record of events or a path's: counts it, or keeps it until the hello is sure.
 */
bool wire_take_event(struct decoder *decoder, const uint8_t *record, size_t bytes,
                     struct error *error);
bool wire_take_task(struct decoder *decoder, const uint8_t *record, struct error *error);
/* Counts the events that were taken. */
bool wire_count_events(struct decoder *decoder, struct error *error);
/* Takes the records that were kept. */
bool wire_count_pending(struct decoder *decoder, struct error *error);
/* An address as the firmware had it. */
uint32_t wire_address(const struct wire *wire, uint32_t sent);
bool wire_no_memory(struct error *error);

/* Whether each sample has a path. */
bool wire_has_paths(const struct wire *wire);
/* Takes a record that says a path, or a sample of the path said last, in the block of
 * this number. One that refers to what the block has not said is damaged. */
bool wire_count_path(struct decoder *decoder, const uint8_t *record, uint32_t block,
                     struct error *error);

/* Makes room for one more of `size` bytes. */
bool wire_grow(void **items, size_t used, size_t *room, size_t size, struct error *error);

#endif
