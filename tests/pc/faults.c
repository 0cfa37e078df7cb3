/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vector.h"
#include "decode/decode.h"
#include "edits.h"
#include "faults_words.h"
#include "mcuprof_wire.h"

bool faults_decode(struct profile *profile, const uint8_t *bytes, size_t size,
                   size_t piece)
{
    static const struct decode_options options = {.format = "mcuprof"};
    struct decoder decoder;
    struct error error;
    bool done = true;

    profile_init(profile);
    if (!decoder_init(&decoder, &options, profile, "stream", bytes, size, &error))
        return false;
    for (size_t at = 0; done && at < size; at += piece)
        done = decoder_bytes(&decoder, bytes + at, size - at < piece ? size - at : piece,
                             &error);
    done = done && decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    return done;
}

static uint64_t count_of(const struct counters *counters, const struct counter *key)
{
    for (size_t i = 0; i < counters->used; i++) {
        const struct counter counter = counter_at(counters, i);

        if (counter.from == key->from && counter.to == key->to &&
            counter.task == key->task)
            return counter.count;
    }
    return 0;
}

/* Whether one has an event more than `times` as often as the other. Events of an unknown
 * task are not compared. */
static bool has_more(const struct profile *one, const struct profile *other,
                     uint64_t times)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &one->counters[kind];

        if (one->received[kind] > times * other->received[kind])
            return true;
        for (size_t i = 0; i < counters->used; i++) {
            const struct counter counter = counter_at(counters, i);

            if (counter.task != TASK_UNKNOWN &&
                counter.count > times * count_of(&other->counters[kind], &counter))
                return true;
        }
    }
    return false;
}

/* Whether two stacks can be the same; the task may be unknown. */
static bool may_be(const struct stack *one, const struct stack *other)
{
    return one->depth == other->depth && one->end == other->end &&
           (one->task == TASK_UNKNOWN || one->task == other->task) &&
           memcmp(one->addresses, other->addresses,
                  one->depth * sizeof *one->addresses) == 0;
}

/* Whether one has a path more than `times` as often as the other. */
static bool has_other_paths(const struct profile *one, const struct profile *other,
                            uint64_t times)
{
    for (size_t i = 0; i < one->stacks.used; i++) {
        uint64_t count = 0;

        for (size_t k = 0; k < other->stacks.used; k++) {
            if (may_be(&one->stacks.items[i], &other->stacks.items[k]))
                count += other->stacks.items[k].count;
        }
        if (one->stacks.items[i].count > times * count)
            return true;
    }
    return false;
}

/* ---- The timeline ---- */

/* What a whole stream draws, in the order of time: its clock starts near 0, and runs for
 * less than 2^32 ticks. */
struct drawn {
    struct timeline_cursor *items; /* each with what ran before its event */
    size_t count;
};

static void draw(struct drawn *drawn, const struct timeline *timeline)
{
    struct timeline_cursor cursor;
    size_t room = 0;

    *drawn = (struct drawn){.items = NULL};
    timeline_begin(&cursor, timeline);
    while (timeline_next(&cursor)) {
        if (!vector_grow(&drawn->items, drawn->count, &room, sizeof *drawn->items))
            abort();
        drawn->items[drawn->count++] = cursor;
    }
}

/* Whether only what the cursor names ran since the event before. */
static bool ran(const struct drawn *drawn, const struct timeline_cursor *cursor)
{
    size_t at = 0;

    if (cursor->before == TASK_UNKNOWN)
        return true;
    SEARCH(at, drawn->count, drawn->items[middle].time <= cursor->since);
    for (; at < drawn->count && drawn->items[at].since < cursor->time; at++) {
        if (drawn->items[at].time > drawn->items[at].since &&
            drawn->items[at].before != cursor->before)
            return false;
    }
    return at > 0 && drawn->items[at - 1].time >= cursor->time;
}

/* Whether there was this event. */
static bool was(const struct drawn *drawn, const struct timeline_cursor *cursor)
{
    const struct timeline_event *event = &cursor->event;
    size_t at = 0;

    if (event->what != TIMELINE_TASK && event->what != TIMELINE_ENTER &&
        event->what != TIMELINE_RETURN && event->what != TIMELINE_READY &&
        event->what != TIMELINE_MARK && event->what != TIMELINE_BEGIN &&
        event->what != TIMELINE_END)
        return true;
    SEARCH(at, drawn->count, drawn->items[middle].time < cursor->time);
    for (; at < drawn->count && drawn->items[at].time == cursor->time; at++) {
        const struct timeline_event *other = &drawn->items[at].event;

        if (other->what == event->what && other->number == event->number &&
            other->name == event->name && other->value == event->value)
            return true;
    }
    return false;
}

/* Whether a timeline draws what the whole one does not. */
static bool draws_other(const struct profile *profile, const struct drawn *drawn)
{
    struct timeline_cursor cursor;
    bool same = true;

    timeline_begin(&cursor, &profile->timeline);
    while (same && timeline_next(&cursor))
        same = ran(drawn, &cursor) && was(drawn, &cursor);
    return !same;
}

static bool same_firmware(const struct profile *one, const struct profile *other)
{
    bool none = true;

    for (int kind = 0; kind < EVENT_KINDS; kind++)
        none = none && one->received[kind] == 0;
    return none || (one->hz == other->hz && strcmp(one->arch, other->arch) == 0 &&
                    (one->build_id_bytes == 0 ||
                     (one->build_id_bytes == other->build_id_bytes &&
                      memcmp(one->build_id, other->build_id, one->build_id_bytes) == 0)));
}

/* Whether the profile says that not all is known. */
static bool is_unknown(const struct profile *profile)
{
    return !profile->accounted || profile->unaccounted || profile->mismatch ||
           profile->unproven > 0 || profile->unsent > 0 || profile->resets > 0 ||
           !profile->complete;
}

static uint64_t events_told(const struct timeline *timeline)
{
    return timeline->received + timeline->lost + timeline->earlier;
}

/* Compares the events that the profile accounts for with those of the whole stream:
 * negative: fewer; positive: more. */
static int compare_totals(const struct profile *profile, const struct profile *whole,
                          uint64_t times)
{
    uint64_t told, truth;

    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        told = profile->received[kind] + profile->lost[kind] + profile->earlier[kind];
        truth = whole->received[kind] + whole->lost[kind] + whole->earlier[kind];

        if (told != truth && told != times * truth)
            return told < truth ? -1 : 1;
    }
    told = events_told(&profile->timeline);
    truth = events_told(&whole->timeline);
    if (told != truth && told != times * truth)
        return told < truth ? -1 : 1;
    return 0;
}

/* Finds the block around this offset: from the record that began it to the end of the
 * record that closed it. */
static void find_block(const uint8_t *bytes, size_t size, size_t *from, size_t *to)
{
    while (*from > 0 && !MCUPROF_WIRE_CLOSES(bytes[*from]) &&
           (bytes[*from] & 0xFC) != MCUPROF_WIRE_HELLO_FIRST + 0x80)
        --*from;
    while (*to < size && !MCUPROF_WIRE_CLOSES(bytes[*to]))
        ++*to;
    for (++*to; *to < size && bytes[*to] < 0x80; ++*to)
        ;
}

/* Whether a block with a hello came through whole. */
static bool has_hello(const uint8_t *bytes, size_t size, const uint8_t *original,
                      size_t original_size)
{
    for (size_t at = 0; at < original_size; at++) {
        size_t from = at, to = at;

        if ((original[at] & 0xF4) != 0x80)
            continue;
        find_block(original, original_size, &from, &to);
        if (to <= original_size &&
            memmem(bytes, size, original + from, to - from) != NULL)
            return true;
    }
    return false;
}

static bool is_words; /* the stream is of version 3 */

static bool is_record(uint8_t byte)
{
    return byte >= 0x80;
}

/* How many records are in the blocks that bytes from..to are in. Where the record that
 * closes a block is among these, the next block loses its begin, too. */
static uint64_t records_around(const uint8_t *bytes, size_t size, size_t from, size_t to)
{
    uint64_t records = 0;
    size_t last = to < size ? to : size;

    if (is_words)
        return faults_words_around(from, to);
    while (from > 0 && !is_record(bytes[from]))
        from--;
    from -= from > 0;
    while (last < size && !is_record(bytes[last]))
        last++;
    find_block(bytes, size, &from, &last);
    from += MCUPROF_WIRE_CLOSES(bytes[from]); /* of the block before */
    for (size_t at = from; at < last && at < size; at++)
        records += is_record(bytes[at]);
    return records;
}

/* The stream before the faults. */
struct original {
    const uint8_t *bytes;
    size_t size;
    struct profile profile;
    struct drawn drawn;
};

/* `most`: no more records may be gone. */
static void judge(const uint8_t *bytes, size_t size, const struct original *original,
                  uint64_t times, uint64_t most, struct fault_tally *tally)
{
    const struct profile *whole = &original->profile;
    struct profile profile;
    bool decoded = faults_decode(&profile, bytes, size, size ? size : 1);
    int less = compare_totals(&profile, whole, times);

    tally->injected++;
    tally->records += profile.damaged + profile.discarded;
    if (!decoded && (is_words ? faults_words_any(bytes, size)
                              : has_hello(bytes, size, original->bytes, original->size)))
        tally->needless++;
    else if (!decoded)
        tally->refused++;
    else if (has_more(&profile, whole, times) || !same_firmware(&profile, whole) ||
             has_other_paths(&profile, whole, times) ||
             draws_other(&profile, &original->drawn))
        tally->counted++;
    else if (whole->records > profile.records + most)
        tally->beyond++;
    else if (!is_unknown(&profile) && less != 0)
        *(less < 0 ? &tally->understated : &tally->wrong) += 1;
    else if (!has_more(whole, &profile, 1))
        tally->same++;
    else
        tally->shown++;
    profile_release(&profile);
}

/* A fault makes another stream from the stream and an offset, and returns its size; 0:
 * there is no such fault. */
typedef size_t fault(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                     unsigned variant);

static size_t flip_bit(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                       unsigned bit)
{
    memcpy(to, from, size);
    to[at] ^= (uint8_t)(1u << bit);
    return size;
}

/* Drops 1, 2, 4, ... bytes. */
static size_t drop(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                   unsigned variant)
{
    size_t bytes = (size_t)1 << variant;

    if (bytes > size - at)
        return 0;
    memcpy(to, from, at);
    memcpy(to + at, from + at + bytes, size - at - bytes);
    return size - bytes;
}

static size_t double_byte(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                          unsigned variant)
{
    (void)variant;
    memcpy(to, from, at + 1);
    memcpy(to + at + 1, from + at, size - at);
    return size + 1;
}

static size_t swap_bytes(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                         unsigned variant)
{
    (void)variant;
    if (at + 1 == size)
        return 0;
    memcpy(to, from, size);
    to[at] = from[at + 1];
    to[at + 1] = from[at];
    return size;
}

/* Replaces a byte by any other with the same top bit, which checks find least often. */
static size_t other_byte(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                         unsigned variant)
{
    memcpy(to, from, size);
    to[at] = (uint8_t)((from[at] & 0x80) | ((from[at] + 1 + 7 * variant) & 0x7F));
    return to[at] == from[at] ? 0 : size;
}

static size_t end_there(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                        unsigned variant)
{
    (void)variant;
    (void)size;
    memcpy(to, from, at);
    return at;
}

static size_t begin_there(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                          unsigned variant)
{
    (void)variant;
    memcpy(to, from + at, size - at);
    return size - at;
}

static const struct {
    const char *name;
    fault *inject;
    unsigned variants;
    bool from_begin; /* all bytes before are gone, too */
} faults[] = {
    {"a bit flipped", flip_bit, 8, false},
    {"1 to 64 bytes dropped", drop, 7, false},
    {"a byte doubled", double_byte, 1, false},
    {"two bytes swapped", swap_bytes, 1, false},
    {"another byte", other_byte, 16, false},
    {"ends early", end_there, 1, false},
    {"begins late", begin_there, 1, true},
};

uint64_t faults_bad(const struct fault_tally *tally)
{
    return tally->counted + tally->wrong + tally->understated + tally->needless +
           tally->beyond;
}

void faults_add(struct fault_tally *sum, const struct fault_tally *more)
{
    sum->injected += more->injected;
    sum->same += more->same;
    sum->shown += more->shown;
    sum->refused += more->refused;
    sum->records += more->records;
    sum->counted += more->counted;
    sum->wrong += more->wrong;
    sum->understated += more->understated;
    sum->needless += more->needless;
    sum->beyond += more->beyond;
}

void faults_print(const char *name, const struct fault_tally *tally)
{
    printf("%-22s %8" PRIu64 ": %" PRIu64 " the same, %" PRIu64 " shown, %" PRIu64
           " refused, %" PRIu64 " records discarded; falsely counted %" PRIu64
           ", wrong totals %" PRIu64 ", understated %" PRIu64
           ", needlessly refused %" PRIu64 ", beyond the block %" PRIu64 "\n",
           name, tally->injected, tally->same, tally->shown, tally->refused,
           tally->records, tally->counted, tally->wrong, tally->understated,
           tally->needless, tally->beyond);
}

static bool has_events(const struct profile *profile)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        if (profile->received[kind] > 0)
            return true;
    }
    return false;
}

static void begin(struct original *original, const uint8_t *bytes, size_t size,
                  struct fault_tally *tally)
{
    *tally = (struct fault_tally){.injected = 0};
    is_words = faults_words_find(bytes, size);
    original->bytes = bytes;
    original->size = size;
    if (faults_decode(&original->profile, bytes, size, size) &&
        original->profile.complete && has_events(&original->profile)) {
        draw(&original->drawn, &original->profile.timeline);
        return;
    }
    fprintf(stderr, "the stream itself is not whole, or has no events\n");
    abort();
}

void faults_inject(const uint8_t *bytes, size_t size, struct fault_tally *tally)
{
    uint8_t *damaged = malloc(size + 1);
    struct original original;

    begin(&original, bytes, size, tally);
    for (size_t i = 0; damaged && i < sizeof faults / sizeof faults[0]; i++) {
        struct fault_tally one = {.injected = 0};

        for (size_t at = 0; at < size; at++) {
            for (unsigned variant = 0; variant < faults[i].variants; variant++) {
                size_t left = faults[i].inject(damaged, bytes, size, at, variant);

                if (left)
                    judge(damaged, left, &original, 1,
                          faults[i].from_begin
                              ? records_around(bytes, size, 0, at)
                              : records_around(bytes, size, at,
                                               at + 2 + (left < size ? size - left : 0)),
                          &one);
            }
        }
        faults_print(faults[i].name, &one);
        faults_add(tally, &one);
    }
    profile_release(&original.profile);
    free(original.drawn.items);
    free(damaged);
}

/* ---- Random ones ---- */

/* Sometimes cuts the end or the beginning, or appends another recording. */
static size_t cut(uint8_t *stream, size_t size, const struct original *original,
                  uint64_t *times, uint64_t *random)
{
    size_t at = edits_any(random, size);

    *times = 1;
    switch (edits_any(random, 12)) {
    case 0:
        return at + 1;
    case 1:
        memmove(stream, stream + at, size - at);
        return size - at;
    case 2:
        *times = 2;
        memcpy(stream + at, original->bytes, original->size);
        return at + original->size;
    default:
        return size;
    }
}

void faults_inject_random(const char *name, const uint8_t *bytes, size_t size,
                          uint64_t times, uint64_t seed, struct fault_tally *tally)
{
    uint8_t *damaged = malloc(2 * (size + EDITS_ROOM));
    uint64_t random = seed * 0x9E3779B97F4A7C15 + 1;
    struct original original;

    begin(&original, bytes, size, tally);
    for (uint64_t i = 0; damaged && i < times; i++) {
        uint64_t edits = 1 + edits_any(&random, EDITS_MAX) * edits_any(&random, 2),
                 joined;
        size_t left = size;

        memcpy(damaged, bytes, size);
        if (edits_any(&random, 4) == 0) {
            while (!edits_flip_bits(damaged, size, &random))
                ;
            edits = 0;
        }
        while (edits-- > 0 && left > 0)
            left = edits_make(damaged, left, &random);
        if (left > 0)
            left = cut(damaged, left, &original, &joined, &random);
        if (left > 0)
            judge(damaged, left, &original, joined, UINT64_MAX / 2, tally);
    }
    faults_print(name, tally);
    profile_release(&original.profile);
    free(original.drawn.items);
    free(damaged);
}
