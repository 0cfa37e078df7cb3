/* SPDX-License-Identifier: MIT */
/*
 * mcuprof's own wire (mcuprof_wire.h, docs/wire.md), written by the PC: a hello, a record
 * for each counter, totals, the end. Decoding it gives the same profile again, with the
 * same numbers of lost, damaged and unknown events as in the captures.
 */
#include "mcuprof_records.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    RING_BYTES = 64, /* a hello must give a size, but the PC has no ring */
    UNIT_MAX = 3,
};

/* The flag of each kind of event in the hello. */
static const unsigned kind_flags[EVENT_KINDS] = {
    [EVENT_SAMPLE] = MCUPROF_WIRE_FLAG_SAMPLES,
    [EVENT_ARC] = MCUPROF_WIRE_FLAG_ARCS,
    [EVENT_BLOCK] = MCUPROF_WIRE_FLAG_BLOCKS,
    [EVENT_CALL] = MCUPROF_WIRE_FLAG_CALLS,
};

/* ---- Hello ---- */

/*
 * Splits the rate into a clock and a period: the first convergent of its continued
 * fraction that equals the rate. A rate from firmware has one, because it was such a
 * quotient. For other rates it takes the last convergent that fits, if decode_file()
 * treats that as the same rate.
 */
static bool split_rate(double hz, uint32_t *clock, uint32_t *period)
{
    long double rest = hz;
    uint64_t p = 1, q = 0, p_before = 0, q_before = 1;

    *clock = *period = 0;
    while (isfinite(rest) && rest <= UINT32_MAX) {
        uint64_t term = (uint64_t)floorl(rest);
        uint64_t next_p = term * p + p_before, next_q = term * q + q_before;

        if (next_p > UINT32_MAX || next_q > MCUPROF_WIRE_PERIOD(UINT32_MAX))
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

/* Splits the rate by the clock with which the sampling was timed. */
static bool clock_of(const struct profile *profile, uint32_t *clock, uint32_t *period)
{
    double ticks = profile->sampling.hz / profile->hz;

    if (profile->sampling.hz == 0 || ticks < 1 || ticks > MCUPROF_WIRE_PERIOD(UINT32_MAX))
        return false;
    *clock = (uint32_t)profile->sampling.hz;
    *period = (uint32_t)rint(ticks);
    return (double)*clock / *period == profile->hz;
}

static bool has_unknown(const struct profile *profile)
{
    for (size_t kind = 0; kind < EVENT_KINDS; kind++) {
        for (size_t i = 0; i < profile->counters[kind].used; i++) {
            if (counter_at(&profile->counters[kind], i).task == TASK_UNKNOWN)
                return true;
        }
    }
    return false;
}

static bool has_tasks(const struct profile *profile)
{
    return profile->task_count > 0 || has_unknown(profile);
}

static unsigned flags_of(const struct profile *profile)
{
    unsigned flags = has_tasks(profile) ? MCUPROF_WIRE_FLAG_TASKS : 0;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (is_counted(profile, i))
            flags |= kind_flags[i];
    }
    if (profile->unproven > 0 && flags == 0)
        flags = MCUPROF_WIRE_FLAG_ARCS;
    return flags;
}

static void put_build_id(struct record_writer *writer)
{
    const struct profile *profile = writer->profile;
    uint8_t id[4 * MCUPROF_WIRE_BUILD_ID_WORDS] = {0};
    struct record record;

    memcpy(id, profile->build_id, profile->build_id_bytes);
    record_begin(&record, MCUPROF_WIRE_HELLO,
                 MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_ID);
    for (size_t i = 0; i < sizeof id; i += 4)
        record_put_word(&record, id[i] | (uint32_t)id[i + 1] << 8 |
                                     (uint32_t)id[i + 2] << 16 |
                                     (uint32_t)id[i + 3] << 24);
    record_finish(writer, &record);
}

/* Writes the time base. A reader adds up the differences between such records. */
static bool put_time(struct record_writer *writer, struct error *error)
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
        record_begin(&record, MCUPROF_WIRE_HELLO,
                     MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_TIME);
        record_put_word(&record, (uint32_t)time->hz);
        record_put_word(&record, (uint32_t)time->inside);
        record_put_word(&record, (uint32_t)time->outside);
        record_put_word(&record, other_sum += others);
        record_put_word(&record, run_sum += runs);
        record_finish(writer, &record);
    } while (other > 0 || run > 0);
    return true;
}

/* Writes the time of sampling, as put_time() writes the time base. */
static bool put_sampling(struct record_writer *writer, struct error *error)
{
    const struct sampling *sampling = &writer->profile->sampling;
    uint64_t left[] = {sampling->ticks, sampling->samples, sampling->late};
    uint32_t sums[3] = {0, 0, 0};

    do {
        struct record record;

        if ((left[0] | left[1] | left[2]) / UINT32_MAX > RECORDS_MAX)
            return error_set(error, EXIT_BAD_INPUT,
                             "sampling of %" PRIu64 " ticks is more than mcuprof's "
                             "records should say",
                             left[0]);
        for (size_t i = 0; i < 3; i++) {
            uint32_t now = left[i] < UINT32_MAX ? (uint32_t)left[i] : UINT32_MAX;

            left[i] -= now;
            sums[i] += now;
        }
        record_begin(&record, MCUPROF_WIRE_HELLO,
                     MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_TIME);
        record_put_word(&record, sums[0]);
        record_put_word(&record, sums[1]);
        record_put_word(&record, sampling->least);
        record_put_word(&record, sampling->most);
        record_put_word(&record, sums[2]);
        record_finish(writer, &record);
    } while (left[0] > 0 || left[1] > 0 || left[2] > 0);
    return true;
}

/* The number of counters in the firmware, the least power of two with which the runs that
 * were cut, and the last one, can leave `unsent` of them there. */
static uint32_t entries_of(const struct profile *profile)
{
    uint64_t runs = (uint64_t)profile->resets + 1;
    uint32_t entries = profile->unsent > 0;

    while (entries * runs < profile->unsent && entries < 1u << 15)
        entries *= 2;
    return entries;
}

/* How many of the runs must leave their counters in the firmware, so that they are no
 * fewer than `unsent`, and as few as can be. */
static uint64_t runs_unsent(const struct profile *profile)
{
    uint32_t entries = entries_of(profile);

    return entries == 0 ? 0 : (profile->unsent + entries - 1) / entries;
}

bool find_clock(const struct profile *profile, uint32_t *clock, uint32_t *period,
                struct error *error)
{
    *clock = *period = 0;
    if (profile->hz > 0 && !clock_of(profile, clock, period) &&
        !split_rate(profile->hz, clock, period))
        return error_set(error, EXIT_BAD_INPUT,
                         "a rate of %g Hz is no quotient of a clock and a period of 31 "
                         "bits, as mcuprof's records want it",
                         profile->hz);
    if (profile->sampling.restarts)
        *period |= MCUPROF_WIRE_PERIOD_RESTARTS;
    return true;
}

uint32_t find_configuration(const struct record_writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t through = profile->through_interrupts ? MCUPROF_WIRE_CONFIG_THROUGH : 0;

    return through | MCUPROF_WIRE_CONFIG(record_arch(profile->arch), writer->unit,
                                         entries_of(profile), writer->depth, RING_BYTES,
                                         flags_of(profile));
}

/* `first`: the hello is the first since the firmware's start. */
static bool put_hello(struct record_writer *writer, bool first, struct error *error)
{
    uint32_t clock, period;
    struct record record;

    if (!find_clock(writer->profile, &clock, &period, error))
        return false;
    if (first)
        writer->hash = writer->records = 0;
    record_begin(&record, MCUPROF_WIRE_HELLO,
                 MCUPROF_WIRE_VERSION | (first ? MCUPROF_WIRE_HELLO_FIRST : 0));
    record_put_word(&record, clock);
    record_put_word(&record, period);
    record_put_word(&record, 0); /* base */
    record_put_word(&record, find_configuration(writer));
    record_finish(writer, &record);
    if (writer->profile->build_id_bytes > 0)
        put_build_id(writer);
    return true;
}

/* ---- Totals ---- */

/* Writes first totals, which tell the reader of a late stream what came before it. */
static bool put_earlier(struct record_writer *writer, struct error *error)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (writer->profile->earlier[i] > UINT32_MAX)
            return error_set(error, EXIT_BAD_INPUT,
                             "%" PRIu64 " events before the recordings began are more "
                             "than mcuprof's records can say",
                             writer->profile->earlier[i]);
        writer->sent[i] = (uint32_t)writer->profile->earlier[i];
    }
    put_totals(writer, false);
    return true;
}

static bool can_lose(const struct profile *profile, struct error *error)
{
    for (size_t i = 0; i < EVENT_KINDS; i++)
        if (profile->lost[i] / UINT32_MAX > RECORDS_MAX)
            return error_set(error, EXIT_BAD_INPUT,
                             "%" PRIu64 " lost events are more than mcuprof's records "
                             "should say",
                             profile->lost[i]);
    return true;
}

/* Writes totals whose differences add up to what was lost. `less`: see put_totals(). */
static void put_lost(struct record_writer *writer, bool less)
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
        put_totals(writer, !more && less);
    } while (more && !ferror(writer->out));
}

/* ---- The rest ---- */

/* Writes for each damaged record one that the next record cuts short. */
static void put_damaged(struct record_writer *writer, uint64_t count)
{
    int start = MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, ALL_SIZES);

    for (uint64_t i = 0; i < count && !ferror(writer->out); i++)
        putc(start, writer->out);
    writer->damaged += count;
}

/* Writes the events of an unknown task. A late stream may have such events: those before
 * its first record of a task. */
static bool put_unknown(struct record_writer *writer, struct error *error)
{
    writer->task = TASK_UNKNOWN;
    if (!put_counters(writer, true, error) || !put_stacks(writer, true, error))
        return false;
    if (writer->profile->accounted)
        put_totals(writer, false);
    return true;
}

/* Writes a record that adds nothing. */
static void put_filler(struct record_writer *writer)
{
    struct record record;

    record_begin(&record, MCUPROF_WIRE_HELLO,
                 MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_TIME);
    for (unsigned i = 0; i < MCUPROF_WIRE_TIME_WORDS; i++)
        record_put_word(&record, 0);
    record_finish(writer, &record);
}

/* Writes events of a kind that the hello allows, in a block that nothing proves. */
static void put_unproven(struct record_writer *writer, uint32_t count)
{
    unsigned flags = flags_of(writer->profile);
    unsigned kind = (flags & MCUPROF_WIRE_FLAG_ARCS) != 0      ? MCUPROF_WIRE_ARC
                    : (flags & MCUPROF_WIRE_FLAG_SAMPLES) != 0 ? MCUPROF_WIRE_SAMPLE
                    : (flags & MCUPROF_WIRE_FLAG_BLOCKS) != 0  ? MCUPROF_WIRE_BLOCK
                                                               : MCUPROF_WIRE_CALL;
    bool call = kind == MCUPROF_WIRE_CALL;
    struct record record;

    record_begin(&record, kind, 3);
    record_put(&record, 0, kind == MCUPROF_WIRE_ARC || call ? 4 : 2);
    record_put_word(&record, count);
    for (unsigned i = 0; call && i < 4; i++)
        record_put_word(&record, 0); /* times */
    record_finish(writer, &record);
}

/* Writes a block of `count` records with a wrong hash. It stands for the records that
 * were discarded for such a hash. */
static void put_discarded(struct record_writer *writer, uint64_t count)
{
    if (count == 0)
        return;
    put_close(writer, MCUPROF_WIRE_END_CHECK);
    for (uint64_t i = 1; i < count && !ferror(writer->out); i++) {
        writer->records = 0;
        put_filler(writer);
    }
    writer->hash++;
    put_close(writer, MCUPROF_WIRE_END_CHECK);
    if (has_tasks(writer->profile))
        writer->task = TASK_UNKNOWN;
}

bool choose_unit(struct record_writer *writer, struct error *error)
{
    const struct profile *profile = writer->profile;
    uint64_t bits = (uint64_t)1 << UNIT_MAX;

    if (profile->bin_bytes > 1 && profile->received[EVENT_SAMPLE] > 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "samples in bins of %u bytes have no place in mcuprof's records",
                         profile->bin_bytes);
    for (size_t kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &writer->profile->counters[kind];

        for (size_t i = 0; i < counters->used; i++) {
            const struct counter counter = counter_at(counters, i);

            bits |= counter.from | counter.to;
        }
    }
    for (size_t i = 0; i < writer->profile->stacks.used; i++) {
        const struct stack *stack = &writer->profile->stacks.items[i];

        for (size_t frame = 0; frame < stack->depth; frame++)
            bits |= stack->addresses[frame];
    }
    if (bits > UINT32_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "addresses of more than 32 bits: mcuprof's records have none");
    while ((bits >> writer->unit & 1) == 0)
        writer->unit++;
    return true;
}

void export_console(FILE *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        putc((text[i] & 0x80) != 0 ? '?' : text[i], out);
}

/* Writes the end: whether the firmware sent all that it counted, and the events that
 * nothing proves. */
static void put_end(struct record_writer *writer)
{
    const struct profile *profile = writer->profile;
    uint64_t left = profile->unproven;

    if (profile->complete) {
        put_close(writer, MCUPROF_WIRE_END_STOPPED);
        return;
    }
    put_close(writer,
              profile->unsent > 0 ? MCUPROF_WIRE_END_CHECK : MCUPROF_WIRE_END_FLUSHED);
    while (left > 0 && !ferror(writer->out)) {
        uint32_t count = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;

        writer->records = 0;
        put_unproven(writer, count);
        left -= count;
    }
}

/* Whether the stream must seem to begin after the firmware's start. */
static bool is_late(const struct profile *profile)
{
    return has_unknown(profile) || profile->timeline.earlier > 0 ||
           events_sum(profile->earlier) > 0;
}

static bool put_late(struct record_writer *writer, struct error *error)
{
    put_close(writer, MCUPROF_WIRE_END_CHECK); /* closes an empty block */
    writer->task = has_tasks(writer->profile) ? TASK_UNKNOWN : TASK_NONE;
    return put_hello(writer, false, error) &&
           (!writer->profile->accounted || put_earlier(writer, error)) &&
           (!has_unknown(writer->profile) || put_unknown(writer, error));
}

/* Writes as many resets of the firmware as there were. */
static bool put_resets(struct record_writer *writer, struct error *error)
{
    uint64_t unsent = runs_unsent(writer->profile); /* the last run is one of them */

    for (size_t i = 0; i < writer->profile->resets && !ferror(writer->out); i++) {
        put_close(writer,
                  i + 1 < unsent ? MCUPROF_WIRE_END_CHECK : MCUPROF_WIRE_END_FLUSHED);
        if (!put_hello(writer, true, error))
            return false;
        writer->task = TASK_NONE;
        memset(writer->sent, 0, sizeof writer->sent);
        memset(writer->lost, 0, sizeof writer->lost);
    }
    return true;
}

/* Whether the last totals must come before the last events, because it is not known how
 * many events were sent after them. */
static bool is_open(const struct profile *profile)
{
    return profile->accounted && profile->unaccounted && profile->unproven == 0;
}

static bool put_events(struct record_writer *writer, struct error *error)
{
    const struct profile *profile = writer->profile;

    if (is_open(profile))
        put_lost(writer, false);
    /* a single event leaves no place for totals that do not add up */
    writer->splits = is_open(profile) && profile->mismatch;
    if (profile->time.hz > 0 && !put_time(writer, error))
        return false;
    if (profile->sampling.hz > 0 && !is_counted(profile, EVENT_CALL) &&
        !put_sampling(writer, error))
        return false;
    put_discarded(writer, profile->discarded);
    put_tasks(writer);
    put_timeline(writer);
    if (!put_counters(writer, false, error) || !put_stacks(writer, false, error))
        return false;
    if (profile->accounted && !is_open(profile))
        put_lost(writer, profile->mismatch);
    return true;
}

bool export_mcuprof(FILE *out, const struct profile *profile, const char *text,
                    size_t text_bytes, struct error *error)
{
    struct record_writer writer = {.out = out, .profile = profile, .task = TASK_NONE};
    bool late = is_late(profile);

    if (!choose_unit(&writer, error) || !can_lose(profile, error) ||
        !choose_depth(&writer, error) ||
        !(late ? put_late(&writer, error) : put_hello(&writer, true, error)) ||
        !put_resets(&writer, error) || !put_events(&writer, error))
        return false;
    export_console(out, text, text_bytes);
    put_damaged(&writer, profile->damaged);
    put_end(&writer);
    return true;
}
