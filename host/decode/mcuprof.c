/* SPDX-License-Identifier: MIT */
/*
 * mcuprof's own wire, as mcuprof_wire.h and docs/wire.md define it. Bytes come in pieces
 * of any size; a record is taken in whole or, damaged, not at all. What the firmware says
 * it sent and lost (the totals) is compared with what came, from one totals record to the
 * next, so that a reader who joined late or lost bytes knows what is missing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "mcuprof_wire.h"
#include "record.h"
#include "wire.h"

/* Which bit of a totals record's parameters each kind of event has, lowest first. */
static const enum event_kind totals_order[] = {EVENT_SAMPLE, EVENT_ARC, EVENT_BLOCK,
                                               EVENT_CALL};
_Static_assert(sizeof totals_order / sizeof totals_order[0] == EVENT_KINDS, "one each");

/* Bytes were lost: a task's record may have been among them. */
static void damaged(struct decoder *decoder)
{
    struct wire *wire = decoder->state;

    decoder->profile->damaged++;
    wire->task = TASK_UNKNOWN;
}

/* ---- Hello ---- */

/* The firmware (re)started: what it counts runs from zero. */
static void start_over(struct decoder *decoder, bool said)
{
    static const struct totals zero;
    struct wire *wire = decoder->state;

    wire->cut = wire->cut || (!said && decoder->profile->records > 1);
    wire->last = wire->since = zero;
    wire->task = TASK_NONE;
    wire->damaged_then = decoder->profile->damaged;
    wire->based = true;
    wire->time.known = wire->time.doubted = false; /* its hooks are measured again */
    wire->other = wire->run = 0;
}

/* Compares what the firmware says of itself with what it said before. What differs once
 * is damage that no check found, and is discarded; what differs twice alike is the truth.
 */
static bool judge(struct decoder *decoder, struct claim *claim, const uint32_t *words,
                  size_t count, bool *usable, struct error *error)
{
    const struct wire *wire = decoder->state;
    size_t bytes = count * sizeof *words;

    *usable = !claim->known || memcmp(claim->words, words, bytes) == 0;
    if (*usable) {
        memcpy(claim->words, words, bytes);
        claim->known = true;
        claim->doubted = false;
        return true;
    }
    decoder->profile->damaged++;
    if (claim->doubted && memcmp(claim->doubt, words, bytes) != 0)
        claim->doubted = false;
    if (!claim->doubted && !(wire->hello.doubted || wire->build_id.doubted)) {
        memcpy(claim->doubt, words, bytes);
        claim->doubted = true;
        return true;
    }
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: offset %" PRIu64 ": expected one firmware in a capture; its "
                     "build ID, sampling rate or configuration changed",
                     decoder->path, decoder->offset);
}

/* The build ID as bytes, once the byte order is known. */
static void set_build_id(struct decoder *decoder)
{
    const struct wire *wire = decoder->state;
    struct profile *profile = decoder->profile;

    profile->build_id_bytes = 0;
    for (size_t i = 0; i < 4 * MCUPROF_WIRE_BUILD_ID_WORDS; i++) {
        size_t byte = wire->big_endian ? 3 - i % 4 : i % 4;

        profile->build_id[i] = (uint8_t)(wire->build_id.words[i / 4] >> 8 * byte);
        if (profile->build_id[i])
            profile->build_id_bytes = sizeof profile->build_id; /* all 0: it has none */
    }
}

static bool take_hello(struct decoder *decoder, const uint8_t *record, bool after_end,
                       struct error *error)
{
    struct wire *wire = decoder->state;
    uint32_t words[MCUPROF_WIRE_HELLO_WORDS];
    bool usable;

    record_take_words(record, words, MCUPROF_WIRE_HELLO_WORDS);
    if (!judge(decoder, &wire->hello, words, MCUPROF_WIRE_HELLO_WORDS, &usable, error))
        return false;
    if (!usable)
        return true;
    decoder->profile->hz = words[1] ? (double)words[0] / words[1] : 0;
    decoder->profile->arch = record_arch_name(MCUPROF_WIRE_ARCH(words[3]));
    wire->base = words[2];
    wire->unit = MCUPROF_WIRE_UNIT(words[3]);
    wire->big_endian = MCUPROF_WIRE_FLAGS(words[3]) & MCUPROF_WIRE_FLAG_BIG_ENDIAN;
    wire->greeted = true;
    set_build_id(decoder);
    if (record[0] & MCUPROF_WIRE_HELLO_FIRST)
        start_over(decoder, after_end);
    return wire_count_pending(decoder, error);
}

static bool take_build_id(struct decoder *decoder, const uint8_t *record,
                          struct error *error)
{
    struct wire *wire = decoder->state;
    uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS];
    bool usable;

    record_take_words(record, words, MCUPROF_WIRE_BUILD_ID_WORDS);
    if (!judge(decoder, &wire->build_id, words, MCUPROF_WIRE_BUILD_ID_WORDS, &usable,
               error))
        return false;
    if (usable && wire->greeted)
        set_build_id(decoder);
    return true;
}

/* Its sums run since the firmware's start, modulo 2^32. */
static bool take_time(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    struct wire *wire = decoder->state;
    struct time_base *time = &decoder->profile->time;
    uint32_t words[MCUPROF_WIRE_TIME_WORDS];
    bool usable;

    record_take_words(record, words, MCUPROF_WIRE_TIME_WORDS);
    if (!judge(decoder, &wire->time, words, 3, &usable, error))
        return false;
    if (!usable)
        return true;
    time->hz = words[0];
    time->inside = words[1];
    time->outside = words[2];
    time->other += (uint32_t)(words[3] - wire->other);
    time->run += (uint32_t)(words[4] - wire->run);
    wire->other = words[3];
    wire->run = words[4];
    return true;
}

static bool take_any_hello(struct decoder *decoder, const uint8_t *record, bool after_end,
                           struct error *error)
{
    switch (record[0] & MCUPROF_WIRE_HELLO_TIME) {
    case MCUPROF_WIRE_HELLO_TIME:
        return take_time(decoder, record, error);
    case MCUPROF_WIRE_HELLO_ID:
        return take_build_id(decoder, record, error);
    default:
        return take_hello(decoder, record, after_end, error);
    }
}

/* ---- Totals ---- */

/* Sums differ: damage that was taken for data, or a record that turned to text. Discarded
 * records explain it as well, and have been counted. */
static void compare_sums(struct decoder *decoder, uint32_t sum)
{
    const struct wire *wire = decoder->state;

    if (wire->since.sum != sum - wire->last.sum &&
        wire->damaged_then == decoder->profile->damaged)
        decoder->profile->mismatch = true;
}

/* Whether the totals run backwards: the firmware restarted, and what it said first did
 * not arrive. */
static bool went_back(const struct wire *wire, const struct totals *now)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (now->sent[i] < wire->last.sent[i] &&
            now->sent[i] - wire->last.sent[i] > UINT32_MAX / 2 &&
            wire->since.sent[i] <= UINT32_MAX / 2)
            return true;
    }
    return false;
}

static void compare_totals(struct decoder *decoder, const struct totals *now)
{
    const struct wire *wire = decoder->state;
    struct profile *profile = decoder->profile;
    bool all = true;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        uint32_t sent = now->sent[i] - wire->last.sent[i];

        profile->lost[i] += (uint32_t)(now->lost[i] - wire->last.lost[i]);
        if (wire->since.sent[i] > sent)
            profile->mismatch = true;
        else
            profile->lost[i] += sent - wire->since.sent[i];
        all = all && wire->since.sent[i] == sent;
    }
    if (all)
        compare_sums(decoder, now->sum);
}

/* The first totals of a recording that began late say how late. */
static void count_earlier(struct decoder *decoder, const struct totals *now)
{
    const struct wire *wire = decoder->state;
    struct profile *profile = decoder->profile;
    bool any = false;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (now->sent[i] < wire->since.sent[i])
            profile->mismatch = true;
        else
            profile->earlier[i] += now->sent[i] - wire->since.sent[i];
        profile->earlier[i] += now->lost[i];
        any = any || profile->earlier[i];
    }
    if (!any)
        compare_sums(decoder, now->sum); /* even the hello may have been missed */
}

static void take_totals(struct decoder *decoder, const uint8_t *record)
{
    static const struct totals zero;
    struct wire *wire = decoder->state;
    const uint8_t *at = record + 1;
    struct totals now = zero;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (record[0] >> i & 1) {
            now.sent[totals_order[i]] = record_take_word(&at);
            now.lost[totals_order[i]] = record_take_word(&at);
        }
    }
    now.sum = record_take_word(&at);
    if (!wire->based) {
        count_earlier(decoder, &now);
    } else if (went_back(wire, &now)) {
        decoder->profile->mismatch = true;
        wire->cut = true;
    } else {
        compare_totals(decoder, &now);
    }
    decoder->profile->accounted = true;
    wire->based = true;
    wire->last = now;
    wire->since = zero;
    wire->damaged_then = decoder->profile->damaged;
}

static void take_end(struct decoder *decoder, const uint8_t *record)
{
    const struct wire *wire = decoder->state;
    uint32_t sum;

    record_take_words(record, &sum, 1);
    if (wire->based)
        compare_sums(decoder, sum);
}

/* ---- Bytes ---- */

static void console(struct decoder *decoder, const char *text, size_t bytes)
{
    decoder->profile->console_bytes += bytes;
    if (decoder->options.console && bytes)
        decoder->options.console(decoder->options.context, text, bytes);
}

/* Bytes before the first record are text if it is a hello; else, the rest of a record. */
static void release_held(struct decoder *decoder, bool text)
{
    struct wire *wire = decoder->state;

    if (text)
        console(decoder, wire->held, wire->held_bytes);
    else if (wire->held_bytes)
        damaged(decoder);
    wire->held_bytes = 0;
    wire->synced = true;
}

static bool take_record(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    const uint8_t *record = wire->record;
    unsigned kind = record[0] >> 4 & 7u;
    bool after_end = decoder->ended, done = true;

    decoder->profile->records++;
    decoder->ended = kind == MCUPROF_WIRE_END;
    if (!wire->synced)
        release_held(decoder, kind == MCUPROF_WIRE_HELLO);
    switch (kind) {
    case MCUPROF_WIRE_HELLO:
        done = take_any_hello(decoder, record, after_end, error);
        break;
    case MCUPROF_WIRE_TASK:
        done = wire_take_task(decoder, record, error);
        break;
    case MCUPROF_WIRE_CALL:
        done = wire_take_call(decoder, record, error);
        break;
    case MCUPROF_WIRE_TOTALS:
        take_totals(decoder, record);
        break;
    case MCUPROF_WIRE_END:
        take_end(decoder, record);
        break;
    default:
        done = wire_take_event(decoder, record, error);
    }
    wire->since.sum += record_accumulate(record, wire->want);
    decoder->profile->complete = decoder->ended && !wire->cut;
    return done;
}

static void take_start(struct decoder *decoder, uint8_t byte)
{
    struct wire *wire = decoder->state;

    if (wire->have)
        damaged(decoder); /* cut short by this one */
    wire->want = record_bytes(byte);
    wire->skipping = wire->want == 0;
    wire->have = 0;
    if (!wire->skipping) {
        wire->record[wire->have++] = byte;
        return;
    }
    damaged(decoder);
    if (record_is_hello(&byte))
        wire->version = byte & MCUPROF_WIRE_HELLO_VERSION;
}

static void take_text(struct decoder *decoder, char byte)
{
    struct wire *wire = decoder->state;

    if (wire->skipping)
        return;
    if (wire->synced) {
        console(decoder, &byte, 1);
        return;
    }
    wire->held[wire->held_bytes++] = byte;
    if (wire->held_bytes == HELD_MAX)
        release_held(decoder, true); /* too long for the rest of a record */
}

static bool wire_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                       struct error *error)
{
    struct wire *wire = decoder->state;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] >= 0x80) {
            take_start(decoder, bytes[i]);
            continue;
        }
        if (!wire->have) {
            take_text(decoder, (char)bytes[i]);
            continue;
        }
        wire->record[wire->have++] = bytes[i];
        if (wire->have < wire->want)
            continue;
        wire->have = 0;
        if (!record_valid(wire->record, wire->want))
            damaged(decoder);
        else if (!take_record(decoder, error))
            return false;
    }
    return true;
}

static bool wire_init(struct decoder *decoder, struct error *error)
{
    struct wire *wire = calloc(1, sizeof *wire);

    decoder->state = wire;
    if (!wire)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    wire->task = TASK_UNKNOWN;
    return true;
}

static bool wire_finish(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;

    if (!wire->synced)
        release_held(decoder, true);
    if (wire->have) {
        damaged(decoder);
        decoder->profile->complete = false;
    }
    if (!wire->greeted && wire->version &&
        decoder->profile->damaged <= decoder->profile->records + 2)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64 ": expected version %d of the wire, found "
                         "version %u: update mcuprof here or in the firmware",
                         decoder->path, decoder->offset, MCUPROF_WIRE_VERSION,
                         wire->version);
    if (!wire->greeted)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64 ": expected a hello record, found none "
                         "(%" PRIu64 " records, %" PRIu64 " damaged): is this an mcuprof "
                         "stream, at the right speed, with the profiler started?",
                         decoder->path, decoder->offset, decoder->profile->records,
                         decoder->profile->damaged);
    return true;
}

static void wire_release(struct decoder *decoder)
{
    struct wire *wire = decoder->state;

    if (wire)
        free(wire->pending);
    free(wire);
    decoder->state = NULL;
}

const struct decode_format decode_mcuprof = {
    .name = "mcuprof",
    .recognise = record_recognise,
    .init = wire_init,
    .bytes = wire_bytes,
    .finish = wire_finish,
    .release = wire_release,
};
