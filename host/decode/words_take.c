/* SPDX-License-Identifier: MIT */
/* Takes the records of a block that holds. */
#include <inttypes.h>
#include <string.h>

#include "record.h"
#include "wire.h"
#include "words.h"

static uint64_t pair(const uint32_t *words)
{
    return (uint64_t)words[1] << 32 | words[0];
}

/* The firmware's address: bits below a unit have no meaning. */
static uint32_t address(const struct words *words, uint32_t sent)
{
    return (uint32_t)((sent >> words->unit << words->unit) + words->base);
}

static unsigned flags(const struct words *words)
{
    return MCUPROF_WIRE_FLAGS(words->hello[3]);
}

static uint32_t whose(const struct words *words)
{
    return flags(words) & MCUPROF_WIRE_FLAG_TASKS ? words->task : TASK_NONE;
}

/* A record that firmware which keeps the rules cannot have sent. */
static bool refuse(struct decoder *decoder)
{
    decoder->profile->damaged++;
    return true;
}

static bool check_memory(bool done, struct error *error)
{
    return done || error_no_memory(error);
}

/* Copies a record's text; what is not ASCII is shown by whoever escapes it. */
static void copy_text(char *text, size_t room, const uint32_t *words, size_t count)
{
    size_t used = 0;

    for (size_t i = 0; i < 4 * count && used + 1 < room; i++) {
        char next = (char)(words[i / 4] >> 8 * (i % 4));

        if (next == '\0')
            break;
        text[used++] = next;
    }
    text[used] = '\0';
}

/* ---- Events ---- */

/* What a record says of a sample. */
struct said {
    uint32_t pc, weight;
    size_t kept, fresh; /* frames */
    bool tells_end;
    unsigned root;
    const uint32_t *frames; /* the fresh ones */
};

static struct said read_sample(const struct words *words, const uint32_t *record)
{
    uint32_t head = record[0];

    if (MCUPROF_WIRE3_NEW(head) == MCUPROF_WIRE3_SAMPLE_LONG)
        return (struct said){
            .pc = address(words, record[2]),
            .weight = record[3],
            .kept = record[1] >> 8 & 255,
            .fresh = record[1] & 255,
            .tells_end = true,
            .root = record[1] >> 16 & 3,
            .frames = record + 4,
        };
    return (struct said){
        .pc = address(words, MCUPROF_WIRE3_PC(head) << words->unit),
        .weight = 1,
        .kept = MCUPROF_WIRE3_KEPT(head),
        .fresh = MCUPROF_WIRE3_NEW(head),
        .frames = record + 1,
    };
}

/* Changes the path by what a record says; false: there can be no such path. */
static bool change_path(struct words *words, const struct said *said)
{
    static const enum stack_end ends[] = {
        [MCUPROF_WIRE_ROOT_WHOLE] = STACK_WHOLE,
        [MCUPROF_WIRE_ROOT_INTERRUPT] = STACK_INTERRUPT,
        [MCUPROF_WIRE_ROOT_CUT] = STACK_CUT,
        [MCUPROF_WIRE_ROOT_UNSURE] = STACK_UNSURE,
    };
    size_t most = MCUPROF_WIRE_DEPTH(words->hello[3]) + 1;

    if ((!words->path && (!said->tells_end || said->kept > 0)) ||
        said->kept > words->depth || said->kept + said->fresh > most)
        return false;
    if (said->tells_end)
        words->end = ends[said->root];
    words->depth = said->kept;
    for (size_t i = 0; i < said->fresh; i++)
        words->frames[words->depth++] = address(words, said->frames[i]);
    return true;
}

static bool count_stack(struct decoder *decoder, const struct said *said)
{
    const struct words *words = decoder->state;
    uint64_t stack[WORDS_FRAMES_MAX + 1] = {said->pc};

    for (size_t i = 0; i < words->depth; i++)
        stack[words->depth - i] = words->frames[i];
    return profile_stack(decoder->profile, stack, words->depth + 1, words->end,
                         said->weight);
}

static bool take_sample(struct decoder *decoder, const uint32_t *record,
                        struct error *error)
{
    struct words *words = decoder->state;
    struct said said = read_sample(words, record);
    bool paths = MCUPROF_WIRE_DEPTH(words->hello[3]) > 0;
    bool other = words->other_metric;

    words->other_metric = false;
    if (!other)
        words->kinds[EVENT_SAMPLE].got += said.weight;
    words->path = paths ? change_path(words, &said) : said.kept + said.fresh == 0;
    if (!words->path) {
        decoder->profile->lost[EVENT_SAMPLE] += other ? 0 : said.weight;
        return refuse(decoder);
    }
    if (other || said.weight == 0)
        return true;
    decoder->profile->task = whose(words);
    return check_memory(
        paths ? count_stack(decoder, &said)
              : profile_count(decoder->profile, EVENT_SAMPLE, 0, said.pc, said.weight),
        error);
}

static bool take_count(struct decoder *decoder, enum event_kind kind, uint32_t from,
                       uint32_t to, const uint32_t *record, struct error *error)
{
    struct words *words = decoder->state;
    uint32_t value = MCUPROF_WIRE3_VALUE(record[0]);
    uint32_t count = value > 0 ? value : record[kind == EVENT_ARC ? 3 : 2];

    words->kinds[kind].got += count;
    decoder->profile->task = whose(words);
    decoder->profile->alone += kind == EVENT_ARC && count == 1;
    return check_memory(profile_count(decoder->profile, kind, from, to, count), error);
}

static bool take_call(struct decoder *decoder, const uint32_t *record,
                      struct error *error)
{
    struct words *words = decoder->state;
    uint32_t from = address(words, record[1]), to = address(words, record[2]);
    uint64_t count = pair(record + 3);
    struct call_times times = {pair(record + 5), pair(record + 7), pair(record + 9),
                               pair(record + 11)};
    long double total = (long double)times.total;

    words->kinds[EVENT_CALL].got += count;
    if (count == 0 || times.self > times.total || times.shortest > times.longest ||
        (long double)count * (long double)times.shortest > total ||
        (long double)count * (long double)times.longest < total) {
        decoder->profile->lost[EVENT_CALL] += count;
        return refuse(decoder);
    }
    decoder->profile->task = whose(words);
    /* without addresses it is a task's run, not a call */
    decoder->profile->alone += count == 1 && (from | to) != 0;
    return check_memory(profile_call_record(decoder->profile, from, to, count, &times),
                        error);
}

/* ---- What the firmware says of itself ---- */

static bool take_build_id(struct decoder *decoder, const uint32_t *record, size_t count,
                          struct error *error)
{
    const struct words *words = decoder->state;
    struct profile *profile = decoder->profile;
    uint8_t id[BUILD_ID_MAX] = {0};
    bool big = flags(words) & MCUPROF_WIRE_FLAG_BIG_ENDIAN, any = false;

    for (size_t i = 0; i < 4 * count && i < sizeof id; i++) {
        id[i] = (uint8_t)(record[1 + i / 4] >> 8 * (big ? 3 - i % 4 : i % 4));
        any = any || id[i] != 0;
    }
    if (profile->build_id_bytes > 0 && memcmp(profile->build_id, id, sizeof id) != 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64
                         ": expected one firmware in a capture; its "
                         "build ID changed",
                         decoder->path, words->framing.offset);
    if (any)
        memcpy(profile->build_id, id, sizeof id);
    profile->build_id_bytes = any ? sizeof id : 0;
    return true;
}

static bool take_task(struct decoder *decoder, uint32_t number, struct error *error)
{
    bool there = number < MCUPROF_WIRE_TASK_IDLE;

    ((struct words *)decoder->state)->task = there ? number : TASK_UNKNOWN;
    if (!there && number != TASK_UNKNOWN)
        return refuse(decoder);
    return !there ||
           check_memory(profile_task(decoder->profile, number, NULL, false), error);
}

static bool take_name(struct decoder *decoder, const uint32_t *record, size_t count,
                      struct error *error)
{
    uint32_t number = MCUPROF_WIRE3_LONG_VALUE(record[0]);
    bool idle = number & MCUPROF_WIRE_TASK_IDLE;
    char name[16];

    number &= ~(uint32_t)MCUPROF_WIRE_TASK_IDLE;
    if (number >= MCUPROF_WIRE_TASK_IDLE)
        return refuse(decoder);
    copy_text(name, sizeof name, record + 1, count);
    return check_memory(
        profile_task(decoder->profile, number, count > 0 ? name : NULL, idle), error);
}

/* Takes totals, which say what was before this record, and makes of them what was before
 * the block. */
static bool take_totals(struct decoder *decoder, const uint32_t *record, size_t count)
{
    struct words *words = decoder->state;
    uint32_t which = MCUPROF_WIRE3_LONG_VALUE(record[0]);
    struct words_kind *kind;

    if (which >= EVENT_KINDS)
        return true; /* of a metric */
    if (count != 4)
        return refuse(decoder);
    kind = &words->kinds[which];
    if (!kind->told) {
        kind->sent = pair(record + 1) - kind->got;
        kind->lost = pair(record + 3);
    }
    if (pair(record + 1) - kind->got != kind->sent)
        decoder->profile->mismatch = true;
    kind->told = true;
    kind->lost_end = pair(record + 3);
    return true;
}

/* Adds to a sum what a run's figure rose by. */
static void add_rise(uint64_t *sum, uint64_t *last, uint64_t now)
{
    if (now > *last) {
        *sum += now - *last;
        *last = now;
    }
}

static bool take_times(struct decoder *decoder, const uint32_t *record, size_t count)
{
    struct words *words = decoder->state;
    struct time_base *time = &decoder->profile->time;

    if (count != 7)
        return refuse(decoder);
    time->hz = record[1];
    time->inside = record[2];
    time->outside = record[3];
    add_rise(&time->other, &words->run->times[0], pair(record + 4));
    add_rise(&time->run, &words->run->times[1], pair(record + 6));
    return true;
}

static bool take_sampling(struct decoder *decoder, const uint32_t *record, size_t count)
{
    struct words *words = decoder->state;
    struct sampling *sampling = &decoder->profile->sampling;

    if (count != 8)
        return refuse(decoder);
    if (sampling->hz == 0 || record[1] < sampling->least)
        sampling->least = record[1];
    if (record[2] > sampling->most)
        sampling->most = record[2];
    sampling->hz = words->hello[0];
    sampling->restarts = MCUPROF_WIRE_RESTARTS(words->hello[1]);
    add_rise(&sampling->ticks, &words->run->sampling[0], pair(record + 3));
    add_rise(&sampling->samples, &words->run->sampling[1], pair(record + 5));
    add_rise(&sampling->late, &words->run->sampling[2], pair(record + 7));
    return true;
}

static bool take_account(struct decoder *decoder, const uint32_t *record, size_t count)
{
    struct words *words = decoder->state;
    struct profile *profile = decoder->profile;
    uint32_t said = MCUPROF_WIRE3_LONG_VALUE(record[0]);
    uint64_t *const figures[MCUPROF_WIRE3_ACCOUNT_FIGURES - EVENT_KINDS] = {
        &profile->damaged, &profile->discarded, &profile->repaired,
        &profile->foreign, &profile->unproven,  &words->unsent,
        &words->resets,    &profile->starts,    &profile->late_starts,
    };

    if (count != 2 * MCUPROF_WIRE3_ACCOUNT_FIGURES)
        return refuse(decoder);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (pair(record + 1 + 2 * i) > MCUPROF_WIRE3_ACCOUNT_MAX)
            return refuse(decoder);
    }
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        *figures[i] += pair(record + 1 + 2 * i);
    for (size_t i = 0; i < EVENT_KINDS; i++)
        profile->earlier[i] +=
            pair(record + 1 + 2 * (sizeof figures / sizeof figures[0] + i));
    words->incomplete = words->incomplete || said & MCUPROF_WIRE3_ACCOUNT_INCOMPLETE;
    profile->accounted = true;
    words->untold = words->untold || said & MCUPROF_WIRE3_ACCOUNT_UNTOLD;
    profile->mismatch = profile->mismatch || said & MCUPROF_WIRE3_ACCOUNT_MISMATCH;
    profile->unaccounted =
        profile->unaccounted || said & MCUPROF_WIRE3_ACCOUNT_UNACCOUNTED;
    return true;
}

/* ---- Records ---- */

static bool take_other(struct decoder *decoder, const uint32_t *record,
                       struct error *error)
{
    struct words *words = decoder->state;
    size_t count = MCUPROF_WIRE3_WORDS(record[0]);

    switch (MCUPROF_WIRE3_KIND(record[0])) {
    case MCUPROF_WIRE3_NOTHING:
    case MCUPROF_WIRE3_CLOSE:
        return true;
    case MCUPROF_WIRE3_TASK:
        return take_task(decoder, MCUPROF_WIRE3_VALUE(record[0]), error);
    case MCUPROF_WIRE3_ARC:
        return take_count(decoder, EVENT_ARC, address(words, record[1]),
                          address(words, record[2]), record, error);
    case MCUPROF_WIRE3_BLOCK: /* inside the hook's call: what is behind may be another */
        return take_count(decoder, EVENT_BLOCK, 0,
                          address(words, record[1]) - (1u << words->unit), record, error);
    case MCUPROF_WIRE3_CALL:
        return take_call(decoder, record, error);
    case MCUPROF_WIRE3_BUILD_ID:
        return take_build_id(decoder, record, count, error);
    case MCUPROF_WIRE3_NAME:
        return take_name(decoder, record, count, error);
    case MCUPROF_WIRE3_TOTALS:
        return take_totals(decoder, record, count);
    case MCUPROF_WIRE3_TIMES:
        return take_times(decoder, record, count);
    case MCUPROF_WIRE3_SAMPLING:
        return take_sampling(decoder, record, count);
    case MCUPROF_WIRE3_ACCOUNT:
        return take_account(decoder, record, count);
    case MCUPROF_WIRE3_EVENT:
        words->other_metric = true;
        /* fall through */
    default:
        decoder->profile->unshown++;
        return true;
    }
}

static bool take_record(struct decoder *decoder, const uint32_t *record,
                        struct error *error)
{
    decoder->profile->records++;
    return MCUPROF_WIRE3_NEW(record[0]) == MCUPROF_WIRE3_OTHER
               ? take_other(decoder, record, error)
               : take_sample(decoder, record, error);
}

/* ---- Blocks ---- */

static void use_hello(struct decoder *decoder, const uint32_t *hello)
{
    struct words *words = decoder->state;
    struct profile *profile = decoder->profile;
    uint32_t period = MCUPROF_WIRE_PERIOD(hello[1]);

    memcpy(words->hello, hello, sizeof words->hello);
    words->base = hello[2];
    words->unit = MCUPROF_WIRE_UNIT(hello[3]);
    words->greeted = true;
    profile->hz = period > 0 ? (double)hello[0] / period : 0;
    profile->arch = record_arch_name(MCUPROF_WIRE_ARCH(hello[3]));
    profile->entries = MCUPROF_WIRE_ENTRIES(hello[3]);
    profile->path_depth = MCUPROF_WIRE_DEPTH(hello[3]);
    profile->through_interrupts = hello[3] & MCUPROF_WIRE_CONFIG_THROUGH;
}

static bool check_hello(struct decoder *decoder, const uint32_t *hello,
                        struct error *error)
{
    struct words *words = decoder->state;

    if (!words->greeted && (hello[0] == 0) == (MCUPROF_WIRE_PERIOD(hello[1]) == 0)) {
        use_hello(decoder, hello);
        return true;
    }
    if (words->greeted && memcmp(words->hello, hello, sizeof words->hello) == 0)
        return true;
    return error_set(
        error, EXIT_BAD_INPUT,
        "%s: offset %" PRIu64 ": expected one firmware in a capture, whose "
        "clock and period are both known or both 0; found a clock of %" PRIu32
        " Hz, a period of %" PRIu32 " ticks, configuration 0x%" PRIx32,
        decoder->path, words->framing.offset, hello[0], hello[1], hello[3]);
}

static void begin_block(struct words *words, struct words_run *run)
{
    words->run = run;
    memset(words->kinds, 0, sizeof words->kinds);
    words->task = TASK_NONE; /* before any task runs */
    words->path = words->other_metric = false;
    words->depth = 0;
}

static void end_block(struct decoder *decoder, const struct words_header *header,
                      uint32_t close)
{
    struct words *words = decoder->state;
    unsigned why = MCUPROF_WIRE3_WHY(MCUPROF_WIRE3_VALUE(close));

    for (size_t i = 0; i < EVENT_KINDS; i++)
        words->kinds[i].sent_end = words->kinds[i].sent + words->kinds[i].got;
    words_account(decoder, words->run, header, why, words->kinds);
    decoder->ended = why == MCUPROF_WIRE3_STOPPED;
}

bool words_take(struct decoder *decoder, struct error *error)
{
    struct words *words = decoder->state;
    const struct words_block *block = &words->framing.block;
    const uint32_t *first = block->words;
    const struct words_header header = {
        .core = first[0] >> 8 & 255,
        .run = first[1],
        .number = pair(first + 2),
        .time = pair(first + 4),
        .hash = block->hash,
        .sum = block->sum,
    };
    struct words_run *run;

    if (!check_hello(decoder, first + 7, error) ||
        !words_find_run(decoder, &header, &run, error))
        return false;
    if (run != NULL)
        begin_block(words, run);
    for (size_t at = WORDS_HEADER; at < block->count;
         at += words_of_record(first + at, block->count - at)) {
        if (run == NULL)
            decoder->profile->discarded++; /* the block came twice */
        else if (!take_record(decoder, first + at, error))
            return false;
    }
    if (run != NULL)
        end_block(decoder, &header, first[block->record]);
    return true;
}
