/* SPDX-License-Identifier: MIT */
/*
 * Decodes versions 1 and 2 of mcuprof's own wire, which mcuprof_wire.h and docs/wire.md
 * define. This file divides the bytes into records, whose own checks are right, and gaps,
 * which are text or damage. wire.h says which files take records and gaps.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* Counts the bytes of a damaged record. */
static bool damaged(struct decoder *decoder, const uint8_t *bytes, size_t size,
                    struct error *error)
{
    decoder->profile->damaged++;
    return wire_add_gap(decoder, bytes, size, true, error);
}

/* Bytes before the first record are text if that record is a hello; else they are the
 * rest of a record. */
static void release_held(struct decoder *decoder, bool text)
{
    struct wire *wire = decoder->state;

    if (text)
        decoder_console(decoder, wire->line.held, wire->line.held_bytes);
    else if (wire->line.held_bytes)
        decoder->profile->damaged++;
    wire->line.held_bytes = 0;
    wire->line.synced = true;
}

static bool take_whole(struct decoder *decoder, const uint8_t *record, size_t bytes,
                       struct error *error)
{
    struct wire *wire = decoder->state;

    decoder->ended =
        record[0] == MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STOPPED);
    if (!wire->line.synced) {
        release_held(decoder, record_is_hello(record));
        wire->line.start = wire->line.offset;
    }
    return wire_add_record(decoder, record, bytes, error);
}

static bool take_start(struct decoder *decoder, uint8_t byte, struct error *error)
{
    struct wire *wire = decoder->state;

    if (wire->line.have && !damaged(decoder, wire->line.record, wire->line.have, error))
        return false; /* the new record cut this one short */
    wire->line.want = wire_record_bytes(wire, &byte, 1);
    wire->line.skipping = wire->line.want == 0;
    wire->line.have = 0;
    if (!wire->line.skipping) {
        wire->line.record[wire->line.have++] = byte;
        return true;
    }
    if (record_is_hello(&byte))
        wire->other = byte & MCUPROF_WIRE_HELLO_VERSION;
    return damaged(decoder, &byte, 1, error);
}

static bool take_text(struct decoder *decoder, uint8_t byte, struct error *error)
{
    struct wire *wire = decoder->state;
    char text = (char)byte;

    if (!wire_add_gap(decoder, &byte, 1, false, error))
        return false;
    if (wire->line.skipping)
        return true;
    if (wire->line.synced) {
        decoder_console(decoder, &text, 1);
        return true;
    }
    wire->line.held[wire->line.held_bytes++] = text;
    if (wire->line.held_bytes == HELD_MAX)
        release_held(decoder, true); /* the rest of a record is never that long */
    return true;
}

static bool take_byte(struct decoder *decoder, uint8_t byte, struct error *error)
{
    struct wire *wire = decoder->state;

    if (byte >= 0x80)
        return take_start(decoder, byte, error);
    if (!wire->line.have)
        return take_text(decoder, byte, error);
    wire->line.record[wire->line.have++] = byte;
    if (wire->line.have == wire->line.want) /* the length known so far */
        wire->line.want = record_bytes(wire->line.record, wire->line.have);
    if (wire->line.have < wire->line.want)
        return true;
    wire->line.have = 0;
    if (record_valid(wire->line.record, wire->line.want))
        return take_whole(decoder, wire->line.record, wire->line.want, error);
    return damaged(decoder, wire->line.record, wire->line.want, error);
}

/* Whether a record is a sample, an arc or a block whose values all have fewer groups than
 * a word has, so that they cannot exceed 32 bits. */
static bool is_short_event(uint8_t start)
{
    return (start >> 4 & 7u) - 1u < 3u && (start & 3u) != 3u && (start & 12u) != 12u;
}

/* Whether these bytes are a whole and valid record. */
static bool is_whole(const uint8_t *record, size_t bytes)
{
    uint32_t check = record[0];
    uint8_t seen = 0;

    for (size_t i = 1; i + 1 < bytes; i++) {
        seen |= record[i];
        check = MCUPROF_WIRE_CHECK_STEP(check, record[i]);
    }
    return seen < 0x80 && check % MCUPROF_WIRE_CHECK_MODULUS == record[bytes - 1] &&
           (is_short_event(record[0]) || record_fits(record, bytes));
}

static bool wire_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                       struct error *error)
{
    struct wire *wire = decoder->state;

    for (size_t i = 0; i < size;) {
        size_t want = bytes[i] >= 0x80 ? wire_record_bytes(wire, bytes + i, size - i) : 0;

        if (bytes[i] >= 0x80)
            wire->line.offset = decoder->offset + i;
        if (want > 0 && !wire->line.have && want <= size - i &&
            is_whole(bytes + i, want)) {
            wire->line.skipping = false;
            if (!take_whole(decoder, bytes + i, want, error))
                return false;
            i += want;
        } else if (!take_byte(decoder, bytes[i++], error)) {
            return false;
        }
    }
    return wire_count_events(decoder, error);
}

static bool wire_init(struct decoder *decoder, struct error *error)
{
    struct wire *wire = calloc(1, sizeof *wire);

    decoder->state = wire;
    if (!wire)
        return error_no_memory(error);
    wire->task = TASK_UNKNOWN;
    wire->block.reset = NO_PIECE;
    wire_find_sizes(wire);
    return true;
}

static bool refuse(struct decoder *decoder, struct error *error)
{
    const struct wire *wire = decoder->state;

    if (wire->other && decoder->profile->damaged <= decoder->profile->records + 2)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64 ": expected version %d of the wire, found "
                         "version %u: update mcuprof here or in the firmware",
                         decoder->path, decoder->offset, MCUPROF_WIRE_VERSION,
                         wire->other);
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: offset %" PRIu64 ": expected a hello record, found none "
                     "(%" PRIu64 " records, %" PRIu64 " damaged): is this an mcuprof "
                     "stream, at the right speed (--baud), with the profiler started?",
                     decoder->path, decoder->offset, decoder->profile->records,
                     decoder->profile->damaged);
}

static bool wire_finish(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;

    if (!wire->line.synced)
        release_held(decoder, true);
    if (wire->line.have && !damaged(decoder, wire->line.record, wire->line.have, error))
        return false;
    if (!wire_finish_blocks(decoder, error) || !wire_count_events(decoder, error))
        return false;
    decoder->profile->complete =
        decoder->ended && wire->line.have == 0 && decoder->profile->resets == 0;
    return wire->greeted || refuse(decoder, error);
}

static void wire_release(struct decoder *decoder)
{
    struct wire *wire = decoder->state;

    if (wire) {
        free(wire->pending.items);
        free(wire->block.bytes);
        free(wire->block.pieces);
    }
    free(wire);
    decoder->state = NULL;
}

const struct decode_format decode_wire = {
    .name = "mcuprof",
    .recognise = record_recognise,
    .init = wire_init,
    .bytes = wire_bytes,
    .finish = wire_finish,
    .release = wire_release,
};
