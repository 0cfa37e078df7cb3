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

enum {
    RECORD_MAX = 64,    /* bytes of the longest record, rounded up */
    HELD_MAX = 256,     /* text held until the first record tells whether it is text */
    PENDING_MAX = 65536 /* events kept until the first hello tells their base */
};

/* Which bit of a totals record's parameters each kind of event has, lowest first. */
static const enum event_kind totals_order[] = {EVENT_SAMPLE, EVENT_ARC, EVENT_BLOCK,
                                               EVENT_CALL};
_Static_assert(sizeof totals_order / sizeof totals_order[0] == EVENT_KINDS, "one each");

struct totals {
    uint32_t sent[EVENT_KINDS];
    uint32_t lost[EVENT_KINDS];
    uint32_t sum;
};

struct event {
    enum event_kind kind;
    uint32_t from, to, count; /* addresses as on the wire */
};

struct wire {
    uint8_t record[RECORD_MAX];
    size_t have, want; /* bytes of the record begun; have 0: outside */
    bool skipping;     /* in a record of unknown length: until the next start byte */
    bool synced;       /* a record was accepted */
    char held[HELD_MAX];
    size_t held_bytes;

    bool greeted; /* base and unit are known */
    uint32_t base;
    unsigned unit;
    bool big_endian;
    struct event *pending;
    size_t pending_used;

    bool based;          /* `last` is known */
    struct totals last;  /* the last totals, or zeros at the firmware's start */
    struct totals since; /* received since; sum of their check accumulators */
};

/* ---- Records ---- */

/* Bytes of the record that starts so; 0: unknown. */
static size_t record_bytes(uint8_t start)
{
    unsigned parameters = start & 15u, words = 0;

    switch (start >> 4 & 7) {
    case MCUPROF_WIRE_HELLO:
        if ((parameters & MCUPROF_WIRE_HELLO_VERSION) != MCUPROF_WIRE_VERSION)
            return 0;
        words = parameters & MCUPROF_WIRE_HELLO_ID ? MCUPROF_WIRE_BUILD_ID_WORDS
                                                   : MCUPROF_WIRE_HELLO_WORDS;
        break;
    case MCUPROF_WIRE_SAMPLE:
    case MCUPROF_WIRE_BLOCK:
        return 2 + MCUPROF_WIRE_ADDRESS_GROUPS(parameters) +
               MCUPROF_WIRE_COUNT_GROUPS(parameters);
    case MCUPROF_WIRE_ARC:
        return 2 + 2 * MCUPROF_WIRE_ADDRESS_GROUPS(parameters) +
               MCUPROF_WIRE_COUNT_GROUPS(parameters);
    case MCUPROF_WIRE_TOTALS:
        for (words = 1; parameters; parameters &= parameters - 1)
            words += 2;
        break;
    case MCUPROF_WIRE_END:
        break;
    default:
        return 0;
    }
    return 2 + MCUPROF_WIRE_WORD_GROUPS * words;
}

/* The check accumulator before the check group. */
static uint32_t accumulate(const uint8_t *record, size_t bytes)
{
    uint32_t check = record[0];

    for (size_t i = 1; i + 1 < bytes; i++)
        check = MCUPROF_WIRE_CHECK_STEP(check, record[i]);
    return check;
}

static bool record_valid(const uint8_t *record, size_t bytes)
{
    return accumulate(record, bytes) % MCUPROF_WIRE_CHECK_MODULUS == record[bytes - 1];
}

/* Takes a value of so many groups off the record. */
static uint32_t take(const uint8_t **at, unsigned groups)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < groups; i++)
        value |= (uint64_t) * (*at)++ << 7 * i;
    return (uint32_t)value;
}

static uint32_t take_word(const uint8_t **at)
{
    return take(at, MCUPROF_WIRE_WORD_GROUPS);
}

/* ---- Events ---- */

static bool out_of_memory(struct error *error)
{
    return error_set(error, EXIT_BAD_INPUT, "out of memory");
}

/* An address as the firmware had it, modulo 2^32. */
static uint32_t address_of(const struct wire *wire, uint32_t sent)
{
    return (uint32_t)(sent << wire->unit) + wire->base;
}

static bool count_event(struct decoder *decoder, const struct event *event,
                        struct error *error)
{
    const struct wire *wire = decoder->state;
    uint64_t from = event->kind == EVENT_ARC ? address_of(wire, event->from) : 0;

    return profile_count(decoder->profile, event->kind, from, address_of(wire, event->to),
                         event->count) ||
           out_of_memory(error);
}

/* Keeps an event until the hello comes. */
static bool hold_event(struct decoder *decoder, const struct event *event,
                       struct error *error)
{
    struct wire *wire = decoder->state;

    if (wire->pending_used == PENDING_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64 ": expected a hello record, but %d events "
                         "came without one",
                         decoder->path, decoder->offset, PENDING_MAX);
    if (!wire->pending)
        wire->pending = malloc(PENDING_MAX * sizeof *wire->pending);
    if (!wire->pending)
        return out_of_memory(error);
    wire->pending[wire->pending_used++] = *event;
    return true;
}

static bool take_event(struct decoder *decoder, const uint8_t *record, size_t bytes,
                       struct error *error)
{
    struct wire *wire = decoder->state;
    unsigned parameters = record[0] & 15u, kind = record[0] >> 4 & 7u;
    unsigned count_groups = MCUPROF_WIRE_COUNT_GROUPS(parameters);
    const uint8_t *at = record + 1;
    struct event event = {.kind = EVENT_SAMPLE};

    event.count = count_groups ? take(&at, count_groups) : 1;
    if (kind == MCUPROF_WIRE_ARC) {
        event.kind = EVENT_ARC;
        event.from = take(&at, MCUPROF_WIRE_ADDRESS_GROUPS(parameters));
    } else if (kind == MCUPROF_WIRE_BLOCK) {
        event.kind = EVENT_BLOCK;
    }
    event.to = take(&at, MCUPROF_WIRE_ADDRESS_GROUPS(parameters));
    wire->since.sent[event.kind] += event.count;
    wire->since.sum += accumulate(record, bytes);
    return wire->greeted ? count_event(decoder, &event, error)
                         : hold_event(decoder, &event, error);
}

/* ---- Hello ---- */

static const char *arch_name(uint32_t config)
{
    static const char *const names[] = {
        [MCUPROF_WIRE_ARCH_PC] = "pc",       [MCUPROF_WIRE_ARCH_CORTEX_M] = "cortex-m",
        [MCUPROF_WIRE_ARCH_ARM] = "arm",     [MCUPROF_WIRE_ARCH_RISCV] = "riscv",
        [MCUPROF_WIRE_ARCH_SPARC] = "sparc", [MCUPROF_WIRE_ARCH_AVR] = "avr",
    };
    uint32_t arch = MCUPROF_WIRE_ARCH(config);

    return arch < sizeof names / sizeof names[0] ? names[arch] : "unknown";
}

/* The firmware (re)started: what it counts runs from zero. */
static void start_over(struct wire *wire)
{
    static const struct totals zero;
    bool still_zero = wire->based;

    for (size_t i = 0; i < EVENT_KINDS; i++)
        still_zero = still_zero && wire->last.sent[i] == 0 && wire->since.sent[i] == 0;
    if (!still_zero)
        wire->last = wire->since = zero;
    wire->based = true;
}

static bool take_hello(struct decoder *decoder, const uint8_t *record,
                       struct error *error)
{
    struct wire *wire = decoder->state;
    const uint8_t *at = record + 1;
    uint32_t timer_hz = take_word(&at), period = take_word(&at), base = take_word(&at);
    uint32_t config = take_word(&at);
    double hz = period ? (double)timer_hz / period : 0;

    if (wire->greeted && (decoder->profile->hz != hz || wire->base != base))
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64
                         ": expected one firmware in a capture; its "
                         "sampling rate or code base changed (%g Hz, then %g Hz)",
                         decoder->path, decoder->offset, decoder->profile->hz, hz);
    decoder->profile->hz = hz;
    decoder->profile->arch = arch_name(config);
    wire->base = base;
    wire->unit = MCUPROF_WIRE_UNIT(config);
    wire->big_endian = MCUPROF_WIRE_FLAGS(config) & MCUPROF_WIRE_FLAG_BIG_ENDIAN;
    wire->greeted = true;
    if (record[0] & MCUPROF_WIRE_HELLO_FIRST)
        start_over(wire);
    for (size_t i = 0; i < wire->pending_used; i++) {
        if (!count_event(decoder, &wire->pending[i], error))
            return false;
    }
    wire->pending_used = 0;
    return true;
}

static bool take_build_id(struct decoder *decoder, const uint8_t *record,
                          struct error *error)
{
    const struct wire *wire = decoder->state;
    struct profile *profile = decoder->profile;
    const uint8_t *at = record + 1;
    uint8_t id[4 * MCUPROF_WIRE_BUILD_ID_WORDS];
    bool any = false;

    if (!wire->greeted)
        return true; /* its byte order is not known yet; it will come again */
    for (size_t i = 0; i < sizeof id; i += 4) {
        uint32_t word = take_word(&at);

        any = any || word;
        for (size_t b = 0; b < 4; b++)
            id[i + b] = (uint8_t)(word >> 8 * (wire->big_endian ? 3 - b : b));
    }
    if (!any)
        return true;
    if (profile->build_id_bytes && memcmp(profile->build_id, id, sizeof id) != 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64
                         ": expected one firmware in a capture; its "
                         "build ID changed",
                         decoder->path, decoder->offset);
    memcpy(profile->build_id, id, sizeof id);
    profile->build_id_bytes = sizeof id;
    return true;
}

/* ---- Totals ---- */

static void compare_totals(struct profile *profile, const struct totals *last,
                           const struct totals *since, const struct totals *now)
{
    bool all = true;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        uint32_t sent = now->sent[i] - last->sent[i];

        profile->lost[i] += (uint32_t)(now->lost[i] - last->lost[i]);
        if (since->sent[i] > sent) {
            profile->mismatch = true;
        } else {
            profile->lost[i] += sent - since->sent[i];
        }
        all = all && since->sent[i] == sent;
    }
    if (all && since->sum != (uint32_t)(now->sum - last->sum))
        profile->mismatch = true;
}

static void take_totals(struct decoder *decoder, const uint8_t *record)
{
    static const struct totals zero;
    struct wire *wire = decoder->state;
    const uint8_t *at = record + 1;
    struct totals now = zero;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (record[0] >> i & 1) {
            now.sent[totals_order[i]] = take_word(&at);
            now.lost[totals_order[i]] = take_word(&at);
        }
    }
    now.sum = take_word(&at);
    if (wire->based)
        compare_totals(decoder->profile, &wire->last, &wire->since, &now);
    decoder->profile->accounted = true;
    wire->based = true;
    wire->last = now;
    wire->since = zero;
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
        decoder->profile->damaged++;
    wire->held_bytes = 0;
    wire->synced = true;
}

static bool take_record(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    const uint8_t *record = wire->record;
    unsigned kind = record[0] >> 4 & 7u;

    decoder->profile->records++;
    decoder->ended = decoder->profile->complete = kind == MCUPROF_WIRE_END;
    if (!wire->synced)
        release_held(decoder, kind == MCUPROF_WIRE_HELLO);
    switch (kind) {
    case MCUPROF_WIRE_HELLO:
        return record[0] & MCUPROF_WIRE_HELLO_ID ? take_build_id(decoder, record, error)
                                                 : take_hello(decoder, record, error);
    case MCUPROF_WIRE_TOTALS:
        take_totals(decoder, record);
        return true;
    case MCUPROF_WIRE_END:
        return true;
    default:
        return take_event(decoder, record, wire->want, error);
    }
}

static void take_start(struct decoder *decoder, uint8_t byte)
{
    struct wire *wire = decoder->state;

    if (wire->have)
        decoder->profile->damaged++; /* cut short by this one */
    wire->want = record_bytes(byte);
    wire->skipping = wire->want == 0;
    wire->have = 0;
    if (wire->skipping)
        decoder->profile->damaged++;
    else
        wire->record[wire->have++] = byte;
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
            decoder->profile->damaged++;
        else if (!take_record(decoder, error))
            return false;
    }
    return true;
}

static bool wire_init(struct decoder *decoder, struct error *error)
{
    decoder->state = calloc(1, sizeof(struct wire));
    return decoder->state || out_of_memory(error);
}

static bool wire_finish(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;

    if (!wire->synced)
        release_held(decoder, true);
    if (wire->have) {
        decoder->profile->damaged++;
        decoder->profile->complete = false;
    }
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

/* A valid hello is proof; other valid records, where they outnumber the damaged, a sign.
 */
static int wire_recognise(const uint8_t *bytes, size_t size)
{
    size_t valid = 0, damaged = 0;

    for (size_t i = 0; i < size; i++) {
        size_t want = bytes[i] >= 0x80 ? record_bytes(bytes[i]) : 0;
        size_t have = 1;

        if (bytes[i] < 0x80)
            continue;
        while (have < want && i + have < size && bytes[i + have] < 0x80)
            have++;
        if (want && i + have == size && have < want)
            break; /* goes on past the bytes we see */
        if (want == 0 || have < want || !record_valid(bytes + i, want)) {
            damaged++;
            continue;
        }
        if ((bytes[i] >> 4 & 7) == MCUPROF_WIRE_HELLO)
            return 2;
        valid++;
    }
    return valid >= 3 && valid > damaged;
}

const struct decode_format decode_mcuprof = {
    .name = "mcuprof",
    .recognise = wire_recognise,
    .init = wire_init,
    .bytes = wire_bytes,
    .finish = wire_finish,
    .release = wire_release,
};
