/* SPDX-License-Identifier: MIT */
/*
 * Blocks of records. A block is kept until the record that closes it comes. If the hash
 * in that record equals the block's, all of the block is as the firmware sent it, and is
 * taken. If not, and one place is plainly damaged, wire_repair.c may repair it; else the
 * block is lost, and the totals tell how many events it had. The record that closes a
 * block is also the first of the next block, and it is believed when that block holds.
 *
 * Version 1 of the wire has no blocks: each whole record is taken. The first block that
 * holds proves version 2. Three hellos of version 1 prove version 1, if they are the
 * majority.
 */
#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* Drops all pieces; with `but_last` the last one becomes the first. */
static void drop_pieces(struct block *block, bool but_last)
{
    if (but_last) {
        struct piece last = block->pieces[block->count - 1];

        memmove(block->bytes, block->bytes + last.at, last.bytes);
        last.at = 0;
        block->pieces[0] = last;
    }
    block->count = but_last;
    block->used = but_last ? block->pieces[0].bytes : 0;
    block->begin = 0;
    block->reset = NO_PIECE;
}

bool wire_add_gap(struct decoder *decoder, const uint8_t *bytes, size_t size,
                  bool is_damaged, struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;
    struct piece *last;
    size_t room;

    if (wire->version == 1 && is_damaged) {
        wire->account.damage++;
        wire->task = TASK_UNKNOWN;
    }
    if (wire->version == 1)
        return true;
    if ((block->count == 0 || block->pieces[block->count - 1].record) &&
        !wire_append_piece(block, bytes, 0, false, error))
        return false;
    last = &block->pieces[block->count - 1];
    last->damaged = (uint8_t)(last->damaged + (is_damaged && last->damaged < UINT8_MAX));
    room = (size_t)GAP_MAX - last->bytes;
    size = size < room ? size : room;
    last->bytes = (uint16_t)(last->bytes + size);
    return wire_append_bytes(block, bytes, size, error);
}

/* ---- Blocks that do not hold ---- */

/* Counts the events in these pieces, which nothing proves. */
static uint64_t events_in(const struct block *block, size_t from, size_t to)
{
    uint64_t events = 0;

    for (size_t i = from; i < to; i++) {
        if (block->pieces[i].record)
            events += wire_events_of(block->bytes + block->pieces[i].at);
    }
    return events;
}

/* Counts the records that tell of events in these pieces. */
static size_t tellers_in(const struct block *block, size_t from, size_t to)
{
    size_t tellers = 0;

    for (size_t i = from; i < to; i++)
        tellers += block->pieces[i].record &&
                   wire_events_of(block->bytes + block->pieces[i].at) > 0;
    return tellers;
}

/* Counts a hello of a block that does not hold as a vote. A hello that begins a run and
 * agrees with the other hellos shows that the firmware was reset. */
static bool hear(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    const struct wire *wire = decoder->state;

    if (!record_is_hello(record) || !wire_take_hello(decoder, record, false, error))
        return !record_is_hello(record);
    if (wire_is_first(record) &&
        (wire->hello.sure ? wire_same_hello(decoder, record) : !wire->account.based)) {
        wire_start_over(decoder, wire->block.reset_offset);
        wire_lose(decoder);
    }
    return true;
}

static bool hear_all(struct decoder *decoder, size_t from, size_t to, struct error *error)
{
    const struct wire *wire = decoder->state;
    const struct block *block = &wire->block;

    for (size_t i = from; i < to; i++) {
        const uint8_t *record = block->bytes + block->pieces[i].at;

        if (!block->pieces[i].record)
            continue;
        if (!hear(decoder, record, error))
            return false;
        if (record_kind(record[0]) != MCUPROF_WIRE_END)
            wire_note_run(decoder);
    }
    return true;
}

/* Gives up these pieces. With `discard` they count as lost, else as sent before the
 * recording began. */
static bool lose_pieces(struct decoder *decoder, size_t from, size_t to, bool discard,
                        struct error *error)
{
    const struct wire *wire = decoder->state;

    wire_lose(decoder);
    for (size_t i = from; i < to; i++) {
        const struct piece *piece = &wire->block.pieces[i];

        decoder->profile->discarded += discard && piece->record;
        decoder->profile->foreign +=
            !piece->record && piece->damaged > 0 &&
            wire_has_words(wire->block.bytes + piece->at, piece->bytes);
    }
    return hear_all(decoder, from, to, error);
}

/* ---- Blocks that hold ---- */

static bool take_pieces(struct decoder *decoder, size_t from, size_t to,
                        struct error *error)
{
    struct wire *wire = decoder->state;
    const struct block *block = &wire->block;

    for (size_t i = from; i < to; i++) {
        const struct piece *piece = &block->pieces[i];

        if (!piece->record && piece->damaged && wire->version == 1) {
            wire->account.damage++;
            wire->task = TASK_UNKNOWN;
        }
        if (piece->record &&
            !wire_take(decoder, block->bytes + piece->at, piece->bytes, error))
            return false;
    }
    return true;
}

static bool has_first(const struct block *block, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (block->pieces[i].record && wire_is_first(block->bytes + block->pieces[i].at))
            return true;
    }
    return false;
}

/* Settles the version. The pieces before the first block that holds are lost; if the
 * recording began late, they do not count as lost. */
static bool settle_version(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    const struct block *block = &wire->block;

    wire->version = 2;
    return block->begin == 0 || lose_pieces(decoder, 0, block->begin,
                                            has_first(block, 0, block->begin), error);
}

/* Loses the last block of a run: no record closes it, so nothing proves its events. */
static bool lose_end(struct decoder *decoder, size_t to, struct error *error)
{
    struct wire *wire = decoder->state;
    const struct block *block = &wire->block;
    uint64_t events = events_in(block, block->begin, to);

    decoder->profile->unproven += events;
    wire->run.flushed = wire->run.flushed && events == 0;
    wire->account.missing = wire->account.missing || events > 0;
    if (wire->version == 0 &&
        !lose_pieces(decoder, 0, block->begin, has_first(block, 0, block->begin), error))
        return false;
    return hear_all(decoder, block->begin, to, error);
}

static bool take_block(struct decoder *decoder, size_t from, size_t to,
                       struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;

    if (wire->version == 0 && !settle_version(decoder, error))
        return false;
    if (from != block->begin && !lose_end(decoder, from, error))
        return false;
    if (from == block->begin && block->pieces[from].record)
        wire_resume(wire, block->bytes + block->pieces[from].at,
                    block->pieces[from].bytes);
    wire->account.took = true;
    return take_pieces(decoder, from, to, error);
}

/* Finds the begin of the block that the last record closes; *from is NO_PIECE if the
 * block does not hold. After a reset the block begins at the first hello. */
static bool find_begin(struct decoder *decoder, uint32_t stated, size_t *from,
                       struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;
    size_t reset = block->reset;
    bool found = true;

    *from = block->begin;
    if (wire_hash(block, block->begin, block->count - 1, 0) == stated)
        return true;
    if (reset != NO_PIECE && reset > block->begin) {
        *from = reset;
        if (wire_hash(block, reset, block->count - 1, 0) == stated)
            return true;
        if (!wire_repair(decoder, reset, &stated, &found, error) || found)
            return found;
        *from = block->begin;
    }
    if (!wire_repair(decoder, *from, &stated, &found, error))
        return false;
    if (!found)
        *from = NO_PIECE;
    for (size_t i = block->begin; found && i < block->count; i++) {
        if (has_first(block, i, i + 1))
            *from = i; /* the repair may have brought back this hello */
    }
    return true;
}

/* Loses a block that does not hold, or that came before; as long as the version is not
 * known, keeps it. */
static bool refuse_block(struct decoder *decoder, bool again, struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;

    if (wire->version != 0) {
        wire->account.heard +=
            again ? 0 : tellers_in(block, block->begin, block->count - 1);
        return lose_pieces(decoder, block->begin, block->count - 1, true, error);
    }
    block->begin = block->count - 1;
    return true;
}

/* Begins the next block with the record that closed the last one. */
static void begin_block(struct wire *wire)
{
    if (wire->version != 0)
        drop_pieces(&wire->block, true);
    wire->block.reset = NO_PIECE;
}

/* Whether this block came before: a line may repeat the bytes of a whole block. No two
 * blocks of a run are equal, since each begins with the hash of the one before it; but a
 * program that does the same after each reset sends the same blocks, see
 * wire_end_run(). *number: which block of the run it was, from 0. */
static bool is_taken(const struct wire *wire, uint32_t hash, size_t *number)
{
    size_t count = wire->taken.count < TAKEN ? wire->taken.count : TAKEN;

    for (size_t i = 0; i < count; i++) {
        if (wire->taken.hashes[i] == hash) {
            *number = wire->taken.count - 1 - (wire->taken.count - 1 - i) % TAKEN;
            return true;
        }
    }
    return false;
}

/* Counts a start of the profiler. A whole period passes before its first sample unless
 * the firmware draws what is left of one: with dither, if the timer starts over. */
static void note_start(struct decoder *decoder)
{
    const uint32_t *hello = ((struct wire *)decoder->state)->hello.words;
    bool drawn = MCUPROF_WIRE_RESTARTS(hello[1]) &&
                 (MCUPROF_WIRE_FLAGS(hello[3]) & MCUPROF_WIRE_FLAG_DITHER) != 0;
    decoder->profile->starts++;
    decoder->profile->late_starts += !drawn;
}

static bool close_block(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;
    const struct piece *last = &block->pieces[block->count - 1];
    uint8_t start = block->bytes[last->at];
    uint32_t stated = wire_stated(block->bytes + last->at, last->bytes);
    size_t from, number = 0;
    bool again;

    if (!find_begin(decoder, stated, &from, error))
        return false;
    again = from != NO_PIECE && is_taken(wire, stated, &number) &&
            !has_first(block, from, block->count);
    if (again) {
        wire_note_repeat(
            decoder,
            block->pieces[from].record ? block->bytes + block->pieces[from].at : NULL,
            number);
        from = NO_PIECE;
    }
    if (from == NO_PIECE ? !refuse_block(decoder, again, error)
                         : !take_block(decoder, from, block->count - 1, error))
        return false;
    if (from != NO_PIECE) {
        wire_note_close(wire, start);
        wire_note_taken(wire, stated);
        if (start == MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_CHECK))
            note_start(decoder);
        wire->taken.at[wire->taken.count % TAKEN] = wire->line.offset;
        wire->taken.hashes[wire->taken.count++ % TAKEN] = stated;
    }
    begin_block(wire);
    return true;
}

/* ---- Versions ---- */

/* Takes all that was kept: version 1 has no blocks. */
static bool become_version_1(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;

    wire->version = 1;
    if (!take_pieces(decoder, 0, block->count, error))
        return false;
    drop_pieces(block, false);
    return true;
}

/* Decides the version when too much is kept: the version with more hellos wins. */
static bool give_up(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;

    if (wire->version == 0 && wire->hellos[1] > wire->hellos[2])
        return become_version_1(decoder, error);
    if (!lose_pieces(decoder, 0, block->count, true, error))
        return false;
    drop_pieces(block, false);
    return true;
}

static bool note_hello(struct decoder *decoder, const uint8_t *record,
                       struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;
    uint8_t start = record[0];

    wire_preview(decoder, record);
    wire->hellos[start & MCUPROF_WIRE_HELLO_VERSION]++;
    if (wire_is_first(record)) {
        block->reset = block->count - 1;
        block->reset_offset = wire->line.offset;
    }
    return wire->version != 0 || wire->hellos[1] < 3 ||
           wire->hellos[1] <= wire->hellos[2] || become_version_1(decoder, error);
}

/* Takes the record that says that another run follows. That run's first bytes were lost.
 */
static bool take_reset(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;

    if (wire->version != 1) {
        if (!lose_end(decoder, wire->block.count, error))
            return false;
        drop_pieces(&wire->block, false);
    }
    wire_start_over(decoder, wire->line.offset);
    wire_lose(decoder);
    return true;
}

bool wire_add_record(struct decoder *decoder, const uint8_t *record, size_t bytes,
                     struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;

    if (record_is_reset(record))
        return take_reset(decoder, error);
    if (wire->version == 1)
        return wire_take(decoder, record, bytes, error);
    if (!wire_append_piece(block, record, bytes, true, error))
        return false;
    if (MCUPROF_WIRE_CLOSES(record[0]))
        return close_block(decoder, error);
    if (record_is_hello(record))
        return note_hello(decoder, record, error);
    return block->count - block->begin <
               (wire->version == 0 ? PENDING_MAX : PIECES_MAX) ||
           give_up(decoder, error);
}

/* ---- The end of the input ---- */

/* Tries to repair the last damaged record: at the end of the input it may be the one that
 * closed the last block, and then it proves the block. */
static bool reopen(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;
    uint8_t start;
    size_t close;
    bool found;

    if (!wire_repair(decoder, block->begin, NULL, &found, error) || !found)
        return found || error->text[0] == '\0';
    close = block->count - 1;
    while (close > block->begin &&
           !(block->pieces[close].record &&
             MCUPROF_WIRE_CLOSES(block->bytes[block->pieces[close].at])))
        close--;
    if (!take_block(decoder, block->begin, close, error))
        return false;
    start = block->bytes[block->pieces[close].at];
    wire_note_close(wire, start);
    decoder->ended =
        start == MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STOPPED) &&
        events_in(block, close, block->count) == 0;
    block->begin = close;
    return true;
}

bool wire_finish_blocks(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    struct block *block = &wire->block;

    if (wire->version == 0 && wire->hellos[1] > wire->hellos[2] &&
        !become_version_1(decoder, error))
        return false;
    if (wire->version != 1) {
        error->text[0] = '\0';
        if (!reopen(decoder, error))
            return false;
        if (!lose_end(decoder, block->count, error))
            return false;
    }
    /* The firmware had sent its counters before the end record, even where the records
     * are lost that the end closes. */
    wire->run.flushed = wire->run.flushed || (decoder->ended && wire->line.have == 0);
    wire_end_run(decoder);
    return wire_finish_claims(decoder, error);
}
