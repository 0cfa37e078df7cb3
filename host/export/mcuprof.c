/* SPDX-License-Identifier: MIT */
/*
 * mcuprof's own wire (mcuprof_wire.h, docs/wire.md), written by the PC: a hello, each
 * counter as a record, totals, the end. Decoding it gives the profile that was written,
 * with all that was lost, damaged or unknown of the captures it was made from.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../decode/record.h"
#include "export.h"
#include "mcuprof_wire.h"

enum {
    EVENTS_MAX =
        INT32_MAX,      /* between two totals, so that none can be taken for a restart */
    RECORDS_MAX = 1000, /* of one counter: 2 * 10^12 events */
    RING_BYTES = 64,    /* a hello must name one; no firmware is described by it */
    UNIT_MAX = 3,
    ALL_SIZES = 15, /* of addresses and counts: 5 groups each */
};

/* How each kind is written. */
static const struct kind {
    unsigned kind, totals, flag;
} kinds[EVENT_KINDS] = {
    [EVENT_SAMPLE] = {MCUPROF_WIRE_SAMPLE, MCUPROF_WIRE_TOTALS_SAMPLES,
                      MCUPROF_WIRE_FLAG_SAMPLES},
    [EVENT_ARC] = {MCUPROF_WIRE_ARC, MCUPROF_WIRE_TOTALS_ARCS, MCUPROF_WIRE_FLAG_ARCS},
    [EVENT_BLOCK] = {MCUPROF_WIRE_BLOCK, MCUPROF_WIRE_TOTALS_BLOCKS,
                     MCUPROF_WIRE_FLAG_BLOCKS},
    [EVENT_CALL] = {MCUPROF_WIRE_CALL, MCUPROF_WIRE_TOTALS_CALLS,
                    MCUPROF_WIRE_FLAG_CALLS},
};

struct writer {
    FILE *out;
    const struct profile *profile;
    unsigned unit;
    uint32_t sum;                /* of the check accumulators of all records */
    uint32_t sent[EVENT_KINDS];  /* modulo 2^32, as firmware counts */
    uint32_t lost[EVENT_KINDS];  /* likewise */
    uint64_t since[EVENT_KINDS]; /* sent since the last totals */
};

/* A record that is being put together. */
struct record {
    uint8_t bytes[RECORD_MAX];
    size_t used;
};

static void begin(struct record *record, unsigned kind, unsigned parameters)
{
    record->bytes[0] = (uint8_t)MCUPROF_WIRE_START(kind, parameters);
    record->used = 1;
}

static void put(struct record *record, uint32_t value, unsigned groups)
{
    for (unsigned i = 0; i < groups; i++)
        record->bytes[record->used++] = (uint8_t)((uint64_t)value >> 7 * i & 0x7f);
}

static void put_word(struct record *record, uint32_t word)
{
    put(record, word, MCUPROF_WIRE_WORD_GROUPS);
}

static void finish(struct writer *writer, struct record *record)
{
    uint32_t check = record_accumulate(record->bytes, record->used + 1);

    record->bytes[record->used++] = (uint8_t)(check % MCUPROF_WIRE_CHECK_MODULUS);
    writer->sum += check;
    fwrite(record->bytes, 1, record->used, writer->out);
}

/* ---- Hello ---- */

/*
 * The rate as a clock and a period: the first convergent of its continued fraction that
 * is that very number. A rate that firmware told has one, for it was such a quotient;
 * of others the last that fits is taken if it is the same rate to decode_file().
 */
static bool split_rate(double hz, uint32_t *clock, uint32_t *period)
{
    long double rest = hz;
    uint64_t p = 1, q = 0, p_before = 0, q_before = 1;

    *clock = *period = 0;
    while (isfinite(rest) && rest <= UINT32_MAX) {
        uint64_t term = (uint64_t)floorl(rest);
        uint64_t next_p = term * p + p_before, next_q = term * q + q_before;

        if (next_p > UINT32_MAX || next_q > UINT32_MAX)
            break;
        p_before = p;
        q_before = q;
        p = next_p;
        q = next_q;
        if ((double)p / (double)q == hz)
            break;
        rest = 1 / (rest - (long double)term);
    }
    if (q == 0 || p == 0 || fabs((double)p / (double)q - hz) > 1e-10 * hz)
        return false;
    *clock = (uint32_t)p;
    *period = (uint32_t)q;
    return true;
}

static bool is_counted(const struct profile *profile, size_t kind)
{
    return profile->received[kind] > 0 || profile->lost[kind] > 0 ||
           profile->earlier[kind] > 0;
}

static unsigned flags_of(const struct profile *profile)
{
    unsigned flags = 0;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (is_counted(profile, i))
            flags |= kinds[i].flag;
    }
    return flags;
}

static void put_build_id(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint8_t id[4 * MCUPROF_WIRE_BUILD_ID_WORDS] = {0};
    struct record record;

    memcpy(id, profile->build_id, profile->build_id_bytes);
    begin(&record, MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_ID);
    for (size_t i = 0; i < sizeof id; i += 4)
        put_word(&record, id[i] | (uint32_t)id[i + 1] << 8 | (uint32_t)id[i + 2] << 16 |
                              (uint32_t)id[i + 3] << 24);
    finish(writer, &record);
}

/* The time base; its sums are those of the differences between such records. */
static bool put_time(struct writer *writer, struct error *error)
{
    const struct time_base *time = &writer->profile->time;
    uint64_t other = time->other, run = time->run;
    uint32_t other_sum = 0, run_sum = 0;

    if (other / UINT32_MAX > RECORDS_MAX || run / UINT32_MAX > RECORDS_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "a run of %" PRIu64 " ticks is more than mcuprof's records "
                         "should say",
                         run);
    do {
        uint32_t others = other < UINT32_MAX ? (uint32_t)other : UINT32_MAX;
        uint32_t runs = run < UINT32_MAX ? (uint32_t)run : UINT32_MAX;
        struct record record;

        other -= others;
        run -= runs;
        begin(&record, MCUPROF_WIRE_HELLO,
              MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_TIME);
        put_word(&record, (uint32_t)time->hz);
        put_word(&record, (uint32_t)time->inside);
        put_word(&record, (uint32_t)time->outside);
        put_word(&record, other_sum += others);
        put_word(&record, run_sum += runs);
        finish(writer, &record);
    } while (other > 0 || run > 0);
    return true;
}

/* `late`: not from the firmware's start. */
static bool put_hello(struct writer *writer, bool late, struct error *error)
{
    const struct profile *profile = writer->profile;
    uint32_t clock = 0, period = 0;
    struct record record;

    if (profile->hz > 0 && !split_rate(profile->hz, &clock, &period))
        return error_set(error, EXIT_BAD_INPUT,
                         "a rate of %g Hz is no quotient of a clock and a period of 32 "
                         "bits, as mcuprof's records want it",
                         profile->hz);
    begin(&record, MCUPROF_WIRE_HELLO,
          MCUPROF_WIRE_VERSION | (late ? 0 : MCUPROF_WIRE_HELLO_FIRST));
    put_word(&record, clock);
    put_word(&record, period);
    put_word(&record, 0); /* base */
    put_word(&record, MCUPROF_WIRE_CONFIG(record_arch(profile->arch), writer->unit, 0,
                                          RING_BYTES, flags_of(profile)));
    finish(writer, &record);
    if (profile->build_id_bytes > 0)
        put_build_id(writer);
    return profile->time.hz <= 0 || put_time(writer, error);
}

/* ---- Totals ---- */

/* `sum_error`: what the sum is wrong by, where the captures' own were. */
static void put_totals(struct writer *writer, uint32_t sum_error)
{
    unsigned which = 0;
    struct record record;

    for (size_t i = 0; i < EVENT_KINDS; i++)
        which |= is_counted(writer->profile, i) ? kinds[i].totals : 0;
    begin(&record, MCUPROF_WIRE_TOTALS, which);
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if ((which & kinds[i].totals) == 0)
            continue;
        put_word(&record, writer->sent[i]);
        put_word(&record, writer->lost[i]);
    }
    put_word(&record, writer->sum + sum_error);
    finish(writer, &record);
    memset(writer->since, 0, sizeof writer->since);
}

/* A reader takes what the first totals of a late stream have, for what came before it. */
static bool put_earlier(struct writer *writer, struct error *error)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (writer->profile->earlier[i] > UINT32_MAX)
            return error_set(error, EXIT_BAD_INPUT,
                             "%" PRIu64 " events before the recordings began are more "
                             "than mcuprof's records can say",
                             writer->profile->earlier[i]);
        writer->sent[i] = (uint32_t)writer->profile->earlier[i];
    }
    put_totals(writer, 0);
    return true;
}

/* As many totals as it takes for their differences to add up to what was lost. */
static void put_lost(struct writer *writer)
{
    uint64_t left[EVENT_KINDS];
    bool more;

    memcpy(left, writer->profile->lost, sizeof left);
    do {
        more = false;
        for (size_t i = 0; i < EVENT_KINDS; i++) {
            uint64_t now = left[i] < UINT32_MAX ? left[i] : UINT32_MAX;

            writer->lost[i] += (uint32_t)now;
            left[i] -= now;
            more = more || left[i] > 0;
        }
        put_totals(writer, !more && writer->profile->mismatch);
    } while (more && !ferror(writer->out));
}

/* ---- Events ---- */

static unsigned groups_of(uint32_t value)
{
    unsigned groups = 1;

    while (value >>= 7)
        groups++;
    return groups;
}

static unsigned sizes_of(uint32_t from, uint32_t to, uint32_t count)
{
    unsigned address = groups_of(from | to);
    unsigned size = count == 1 ? 0 : groups_of(count) > 2 ? 3 : groups_of(count);

    return (address > 2 ? address - 2 : 0) << 2 | size;
}

/* Room for a record's events before the next totals. */
static void make_room(struct writer *writer, enum event_kind kind, uint32_t count)
{
    if (writer->profile->accounted && writer->since[kind] + count > EVENTS_MAX)
        put_totals(writer, 0);
    writer->sent[kind] += count;
    writer->since[kind] += count;
}

static void put_event(struct writer *writer, enum event_kind kind, uint32_t from,
                      uint32_t to, uint32_t count)
{
    unsigned sizes = sizes_of(from, to, count);
    struct record record;

    make_room(writer, kind, count);
    begin(&record, kinds[kind].kind, sizes);
    if (kind == EVENT_ARC)
        put(&record, from, MCUPROF_WIRE_ADDRESS_GROUPS(sizes));
    put(&record, to, MCUPROF_WIRE_ADDRESS_GROUPS(sizes));
    if (count != 1)
        put(&record, count, MCUPROF_WIRE_COUNT_GROUPS(sizes));
    finish(writer, &record);
}

/* A block's address on the wire is the return address of its hook: one unit on. */
static uint32_t address_on_wire(const struct writer *writer, enum event_kind kind,
                                uint64_t address)
{
    uint32_t hook = kind == EVENT_BLOCK ? (uint32_t)1 << writer->unit : 0;

    return ((uint32_t)address + hook) >> writer->unit;
}

static bool put_counter(struct writer *writer, enum event_kind kind,
                        const struct counter *counter, struct error *error)
{
    uint32_t to = address_on_wire(writer, kind, counter->to);
    uint32_t from = (uint32_t)counter->from >> writer->unit;

    if (counter->count / EVENTS_MAX > RECORDS_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "%" PRIu64 " events at 0x%" PRIx64
                         " are more than mcuprof's records should say",
                         counter->count, counter->to);
    for (uint64_t left = counter->count; left > 0;) {
        uint32_t count = left < EVENTS_MAX ? (uint32_t)left : EVENTS_MAX;

        put_event(writer, kind, from, to, count);
        left -= count;
    }
    return true;
}

/* ---- Timed calls ---- */

static void put_calls(struct writer *writer, const struct counter *counter,
                      uint32_t count, const struct call_times *times)
{
    struct record record;

    make_room(writer, EVENT_CALL, count);
    begin(&record, MCUPROF_WIRE_CALL, ALL_SIZES);
    put_word(&record, (uint32_t)counter->from >> writer->unit);
    put_word(&record, (uint32_t)counter->to >> writer->unit);
    put_word(&record, count);
    put_word(&record, (uint32_t)times->total);
    put_word(&record, (uint32_t)times->self);
    put_word(&record, (uint32_t)times->shortest);
    put_word(&record, (uint32_t)times->longest);
    finish(writer, &record);
}

/* How many calls' time, on average, fits into a record. */
static uint32_t calls_that_fit(uint64_t count, const struct call_times *times)
{
    long double fit = EVENTS_MAX;

    if (times->total > UINT32_MAX)
        fit = floorl((long double)UINT32_MAX / (long double)times->total *
                     (long double)count);
    return fit < 1 ? 1 : fit < EVENTS_MAX ? (uint32_t)fit : EVENTS_MAX;
}

/* As many records as it takes, each of calls that take the average: their total is then
 * between so many of the shortest and so many of the longest. */
static bool put_timed(struct writer *writer, const struct counter *counter,
                      const struct call_times *times, struct error *error)
{
    uint32_t most = calls_that_fit(counter->count, times);
    struct call_times left = *times;

    if (counter->count / most > RECORDS_MAX || times->longest > UINT32_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "the calls of 0x%" PRIx64 ", %" PRIu64 " that took %" PRIu64
                         " ticks, are more than mcuprof's records should say",
                         counter->to, counter->count, times->total);
    for (uint64_t calls = counter->count; calls > 0;) {
        uint32_t count = calls < most ? (uint32_t)calls : most;
        struct call_times part = *times;

        part.total =
            (uint64_t)rintl((long double)left.total * count / (long double)calls);
        part.self = left.self < part.total ? left.self : part.total;
        put_calls(writer, counter, count, &part);
        left.total -= part.total;
        left.self -= part.self;
        calls -= count;
    }
    return true;
}

/* ---- All counters ---- */

static bool put_counters(struct writer *writer, struct error *error)
{
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &writer->profile->counters[kind];

        for (size_t i = 0; i < counters->used && !ferror(writer->out); i++) {
            const struct counter *counter = &counters->items[i];

            if (kind == EVENT_CALL
                    ? !put_timed(writer, counter, &writer->profile->times[i], error)
                    : !put_counter(writer, kind, counter, error))
                return false;
        }
    }
    return true;
}

/* ---- The rest ---- */

/* The largest unit that all addresses are multiples of. */
static bool choose_unit(struct writer *writer, struct error *error)
{
    uint64_t bits = (uint64_t)1 << UNIT_MAX;

    for (size_t kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &writer->profile->counters[kind];

        for (size_t i = 0; i < counters->used; i++)
            bits |= counters->items[i].from | counters->items[i].to;
    }
    if (bits > UINT32_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "addresses of more than 32 bits: mcuprof's records have none");
    while ((bits >> writer->unit & 1) == 0)
        writer->unit++;
    return true;
}

static bool can_say(const struct profile *profile, struct error *error)
{
    if (profile->stacks.used > 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "sampled call stacks have no place in mcuprof's records");
    if (profile->bin_bytes > 1 && profile->received[EVENT_SAMPLE] > 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "samples in bins of %u bytes have no place in mcuprof's records",
                         profile->bin_bytes);
    for (size_t i = 0; i < EVENT_KINDS && !profile->accounted; i++) {
        if (profile->lost[i] > 0 || profile->earlier[i] > 0)
            return error_set(error, EXIT_BAD_INPUT,
                             "some captures say what was lost and others do not, which "
                             "one cannot say of their sum");
    }
    return true;
}

/* A record cut short by the next one stands for each that was damaged. */
static void put_damaged(struct writer *writer)
{
    int start = MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, ALL_SIZES);

    for (uint64_t i = 0; i < writer->profile->damaged && !ferror(writer->out); i++)
        putc(start, writer->out);
}

static void put_text(const struct writer *writer, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        putc((text[i] & 0x80) != 0 ? '?' : text[i], writer->out);
}

static void put_end(struct writer *writer)
{
    struct record record;

    begin(&record, MCUPROF_WIRE_END, MCUPROF_WIRE_END_STOPPED);
    put_word(&record, writer->sum + (writer->profile->mismatch ? 1 : 0));
    finish(writer, &record);
}

bool export_mcuprof(FILE *out, const struct profile *profile, const char *text,
                    size_t text_bytes, struct error *error)
{
    struct writer writer = {.out = out, .profile = profile};
    bool late = false;

    for (size_t i = 0; i < EVENT_KINDS; i++)
        late = late || profile->earlier[i] > 0;
    if (!can_say(profile, error) || !choose_unit(&writer, error) ||
        !put_hello(&writer, late, error) || (late && !put_earlier(&writer, error)) ||
        !put_counters(&writer, error))
        return false;
    if (profile->accounted)
        put_lost(&writer);
    put_text(&writer, text, text_bytes);
    put_damaged(&writer);
    if (profile->complete)
        put_end(&writer);
    return true;
}
