/* SPDX-License-Identifier: MIT */
/*
 * What the firmware says of itself again and again: the hello, its build ID, its times. A
 * claim in a block that holds is true. Any other claim has one vote. A damaged claim
 * whose check is right by chance has one vote, or two once in 10^7 faults.
 */
#include <inttypes.h>
#include <string.h>

#include "wire.h"

/* ---- Votes ---- */

static bool two_firmwares(struct decoder *decoder, struct error *error)
{
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: offset %" PRIu64 ": expected one firmware in a capture; its "
                     "build ID, sampling rate or configuration changed",
                     decoder->path, decoder->offset);
}

static bool same(const uint32_t *one, const uint32_t *other, size_t count)
{
    return memcmp(one, other, count * sizeof *one) == 0;
}

/* The place where the votes for these words are counted; new words take the place of
 * those with the fewest votes. */
static size_t place_of(struct claim *claim, const uint32_t *words, size_t count)
{
    size_t least = 0;

    for (size_t i = 0; i < CLAIMS_MAX; i++) {
        if (claim->heard[i].votes > 0 && same(claim->heard[i].words, words, count))
            return i;
        if (claim->heard[i].votes < claim->heard[least].votes)
            least = i;
    }
    claim->heard[least].votes = 0;
    memcpy(claim->heard[least].words, words, count * sizeof *words);
    return least;
}

static void make_sure(struct claim *claim, const uint32_t *words, size_t count)
{
    memcpy(claim->words, words, count * sizeof *words);
    claim->sure = true;
}

/* Counts a vote; *usable: these words are sure. */
static bool vote(struct decoder *decoder, struct claim *claim, const uint32_t *words,
                 size_t count, bool sure, bool *usable, struct error *error)
{
    const struct wire *wire = decoder->state;
    size_t place = place_of(claim, words, count);
    bool again = ++claim->heard[place].votes >= 2;
    bool proven = wire->version == 1 ? again : sure;

    if (!claim->sure && proven)
        make_sure(claim, words, count);
    *usable = claim->sure && same(claim->words, words, count);
    if (*usable || !claim->sure)
        return true;
    decoder->profile->damaged += wire->version == 1;
    return !proven || two_firmwares(decoder, error);
}

/* At the end of the input the words with the most votes become sure, if they have at
 * least `least` votes. One vote is enough only where no addresses came, which a damaged
 * hello would make wrong. */
static void elect(struct claim *claim, size_t count, unsigned least)
{
    size_t most = 0;

    for (size_t i = 1; i < CLAIMS_MAX; i++) {
        if (claim->heard[i].votes > claim->heard[most].votes)
            most = i;
    }
    if (!claim->sure && claim->heard[most].votes >= least)
        make_sure(claim, claim->heard[most].words, count);
}

/* ---- Times ---- */

/* Whether times of version 1 differ both from the known ones and from those that came
 * last: then they are damaged, and no check found it. */
static bool is_doubtful(struct decoder *decoder, const uint32_t *words)
{
    struct wire *wire = decoder->state;
    bool doubtful = wire->version == 1 && wire->clock.known &&
                    !same(wire->clock.last, words, 3) &&
                    !same(wire->clock.doubt, words, 3);

    memcpy(wire->clock.doubt, words, sizeof wire->clock.doubt);
    decoder->profile->damaged += doubtful;
    return doubtful;
}

/* Whether records were lost and a word that only grows became less: then the firmware
 * restarted, and its first records did not arrive. */
static bool went_back(const struct wire *wire, const uint32_t *words, size_t which)
{
    uint32_t before = wire->clock.last[which];

    return wire->account.missing && words[which] < before &&
           words[which] - before > UINT32_MAX / 2;
}

/* A run that is plainly shorter than the calls in it has wrapped: no record told of it
 * for 2^32 ticks. It is at least as long as they are. */
static void mend_wrap(struct wire *wire, struct profile *profile)
{
    uint64_t least = wire->clock.run_ticks + wire->clock.run_ticks / 8 + (1u << 20);
    while (wire->clock.call_ticks > least) {
        wire->clock.run_ticks += (uint64_t)1 << 32;
        profile->time.run += (uint64_t)1 << 32;
        profile->run_wrapped += (uint64_t)1 << 32;
        least += (uint64_t)1 << 32;
    }
}

/* Takes the sums, which count from the firmware's start, modulo 2^32. */
static void take_time_base(struct decoder *decoder, const uint32_t *words)
{
    struct wire *wire = decoder->state;
    struct time_base *time = &decoder->profile->time;

    time->hz = words[0];
    time->inside = words[1];
    time->outside = words[2];
    time->other += (uint32_t)(words[3] - wire->clock.last[3]);
    time->run += (uint32_t)(words[4] - wire->clock.last[4]);
    wire->clock.run_ticks += (uint32_t)(words[4] - wire->clock.last[4]);
    mend_wrap(wire, decoder->profile);
}

static void take_sampling(struct decoder *decoder, const uint32_t *words)
{
    struct wire *wire = decoder->state;
    struct sampling *sampling = &decoder->profile->sampling;

    if (sampling->hz == 0 || words[2] < sampling->least)
        sampling->least = words[2];
    if (words[3] > sampling->most)
        sampling->most = words[3];
    sampling->hz = wire->hello.words[0];
    sampling->restarts = MCUPROF_WIRE_RESTARTS(wire->hello.words[1]);
    sampling->ticks += (uint32_t)(words[0] - wire->clock.last[0]);
    sampling->samples += (uint32_t)(words[1] - wire->clock.last[1]);
    sampling->late += (uint32_t)(words[4] - wire->clock.last[4]);
}

static void take_time_words(struct decoder *decoder, const uint32_t *words)
{
    struct wire *wire = decoder->state;
    unsigned flags = MCUPROF_WIRE_FLAGS(wire->hello.words[3]);

    if (is_doubtful(decoder, words))
        return;
    if (went_back(wire, words, flags & MCUPROF_WIRE_FLAG_CALLS ? 4 : 1)) {
        wire_forget_time(wire);
        wire->clock.anew = true;
    }
    if (flags & MCUPROF_WIRE_FLAG_CALLS)
        take_time_base(decoder, words);
    else
        take_sampling(decoder, words);
    memcpy(wire->clock.last, words, sizeof wire->clock.last);
    wire->clock.known = true;
}

/* Holds the record until the hello is sure. The last record is enough: its sums contain
 * those of the earlier ones. */
static void take_time(struct decoder *decoder, const uint8_t *record)
{
    struct wire *wire = decoder->state;

    record_take_words(record, wire->clock.waiting, MCUPROF_WIRE_TIME_WORDS);
    wire->clock.waits = !wire->greeted;
    if (wire->greeted)
        take_time_words(decoder, wire->clock.waiting);
}

/* ---- What is sure ---- */

/* Sets the build ID as bytes once the byte order is known. */
static void set_build_id(struct decoder *decoder)
{
    const struct wire *wire = decoder->state;
    struct profile *profile = decoder->profile;

    profile->build_id_bytes = 0;
    for (size_t i = 0; i < 4 * MCUPROF_WIRE_BUILD_ID_WORDS; i++) {
        size_t byte = wire->big_endian ? 3 - i % 4 : i % 4;

        profile->build_id[i] = (uint8_t)(wire->build_id.words[i / 4] >> 8 * byte);
        if (profile->build_id[i])
            profile->build_id_bytes =
                sizeof profile->build_id; /* all zeros: the firmware has none */
    }
}

static bool is_excluded(const struct wire *wire, uint8_t start)
{
    unsigned has = MCUPROF_WIRE_FLAGS(wire->hello.words[3]);
    static const unsigned flags[] = {
        [MCUPROF_WIRE_SAMPLE] = MCUPROF_WIRE_FLAG_SAMPLES,
        [MCUPROF_WIRE_ARC] = MCUPROF_WIRE_FLAG_ARCS,
        [MCUPROF_WIRE_BLOCK] = MCUPROF_WIRE_FLAG_BLOCKS,
        [MCUPROF_WIRE_CALL] = MCUPROF_WIRE_FLAG_CALLS,
        [MCUPROF_WIRE_TASK] = MCUPROF_WIRE_FLAG_TASKS,
        [RECORD_STATE] = 0, /* it and the kinds that are not named here need no flag */
    };
    unsigned kind = record_kind(start);

    if (kind == RECORD_PATH)
        return !wire_has_paths(wire);
    return flags[kind] != 0 && (has & flags[kind]) == 0;
}

static void show_hello(struct decoder *decoder)
{
    struct wire *wire = decoder->state;
    const uint32_t *words = wire->hello.words;
    uint32_t period = MCUPROF_WIRE_PERIOD(words[1]);

    decoder->profile->hz = period ? (double)words[0] / period : 0;
    decoder->profile->arch = record_arch_name(MCUPROF_WIRE_ARCH(words[3]));
    decoder->profile->entries = MCUPROF_WIRE_ENTRIES(words[3]);
    decoder->profile->path_depth = MCUPROF_WIRE_DEPTH(words[3]);
    decoder->profile->ring_bytes = MCUPROF_WIRE_RING_BYTES(words[3]);
    decoder->profile->through_interrupts = words[3] & MCUPROF_WIRE_CONFIG_THROUGH;
    wire->big_endian = MCUPROF_WIRE_FLAGS(words[3]) & MCUPROF_WIRE_FLAG_BIG_ENDIAN;
}

void wire_preview(struct decoder *decoder, const uint8_t *record)
{
    struct wire *wire = decoder->state;

    switch (record[0] & MCUPROF_WIRE_HELLO_TIME) {
    case MCUPROF_WIRE_HELLO_TIME:
        return;
    case MCUPROF_WIRE_HELLO_ID:
        if (!wire->build_id.sure)
            record_take_words(record, wire->build_id.words, MCUPROF_WIRE_BUILD_ID_WORDS);
        set_build_id(decoder);
        return;
    default:
        if (!wire->hello.sure)
            record_take_words(record, wire->hello.words, MCUPROF_WIRE_HELLO_WORDS);
        show_hello(decoder);
    }
}

static void use_hello(struct decoder *decoder)
{
    struct wire *wire = decoder->state;
    const uint32_t *words = wire->hello.words;

    show_hello(decoder);
    wire->base = words[2];
    wire->unit = MCUPROF_WIRE_UNIT(words[3]);
    wire->greeted = true;
    for (unsigned start = 0x80; start <= 0xFF; start++)
        wire->excluded[start & 0x7F] = is_excluded(wire, (uint8_t)start);
    wire_find_sizes(wire);
    set_build_id(decoder);
    if (wire->clock.waits)
        take_time_words(decoder, wire->clock.waiting);
    wire->clock.waits = false;
}

/* ---- Records ---- */

static bool take_first_hello(struct decoder *decoder, const uint8_t *record, bool sure,
                             struct error *error)
{
    struct wire *wire = decoder->state;
    uint32_t words[MCUPROF_WIRE_HELLO_WORDS];
    bool known = wire->hello.sure, usable;

    record_take_words(record, words, MCUPROF_WIRE_HELLO_WORDS);
    if (!vote(decoder, &wire->hello, words, MCUPROF_WIRE_HELLO_WORDS, sure, &usable,
              error))
        return false;
    if (!known && wire->hello.sure)
        use_hello(decoder);
    if (sure && wire_is_first(record) && (usable || !wire->hello.sure))
        wire_start_over(decoder, wire->version == 1 ? wire->line.offset
                                                    : wire->block.reset_offset);
    return !wire->greeted || wire_count_pending(decoder, error);
}

bool wire_same_hello(const struct decoder *decoder, const uint8_t *record)
{
    const struct wire *wire = decoder->state;
    uint32_t words[MCUPROF_WIRE_HELLO_WORDS];

    record_take_words(record, words, MCUPROF_WIRE_HELLO_WORDS);
    return same(words, wire->hello.words, MCUPROF_WIRE_HELLO_WORDS);
}

static bool take_build_id(struct decoder *decoder, const uint8_t *record, bool sure,
                          struct error *error)
{
    struct wire *wire = decoder->state;
    uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS];
    bool usable;

    record_take_words(record, words, MCUPROF_WIRE_BUILD_ID_WORDS);
    if (!vote(decoder, &wire->build_id, words, MCUPROF_WIRE_BUILD_ID_WORDS, sure, &usable,
              error))
        return false;
    if (wire->greeted)
        set_build_id(decoder);
    return true;
}

bool wire_take_hello(struct decoder *decoder, const uint8_t *record, bool sure,
                     struct error *error)
{
    switch (record[0] & MCUPROF_WIRE_HELLO_TIME) {
    case MCUPROF_WIRE_HELLO_TIME:
        if (sure)
            take_time(decoder, record);
        return true;
    case MCUPROF_WIRE_HELLO_ID:
        return take_build_id(decoder, record, sure, error);
    default:
        return take_first_hello(decoder, record, sure, error);
    }
}

bool wire_finish_claims(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    bool any = wire->greeted || wire->pending.used > 0;
    unsigned least = wire->version != 1 && any ? 3 : 1;

    elect(&wire->hello, MCUPROF_WIRE_HELLO_WORDS, least);
    elect(&wire->build_id, MCUPROF_WIRE_BUILD_ID_WORDS, least);
    if (!wire->build_id.sure)
        memset(wire->build_id.words, 0, sizeof wire->build_id.words);
    if (!wire->hello.sure)
        return true; /* the caller reports the error */
    use_hello(decoder);
    decoder->profile->unsent =
        wire->run.unflushed * MCUPROF_WIRE_ENTRIES(wire->hello.words[3]);
    return wire_count_pending(decoder, error);
}
