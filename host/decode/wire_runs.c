/* SPDX-License-Identifier: MIT */
/*
 * What runs have sent and lost. The totals say what the firmware sent and lost.
 * The events between two totals records are compared with what came, so that a reader who
 * joined late or lost bytes knows how many are missing.
 */
#include <string.h>

#include "wire.h"

/* The kinds of event in the order of their bits in a totals record's parameters, lowest
 * first. */
static const enum event_kind totals_order[] = {EVENT_SAMPLE, EVENT_ARC, EVENT_BLOCK,
                                               EVENT_CALL};
_Static_assert(sizeof totals_order / sizeof totals_order[0] == EVENT_KINDS, "one each");

static const struct totals zero;

/* If so many blocks come again, the line did not repeat them by accident. */
enum { REPEATS_MIN = 3 };
/* So many records may be heard that nobody has sent: damage that its check did not find.
 */
enum { HEARD_MORE = 8 };

static struct totals read_totals(const uint8_t *record)
{
    const uint8_t *at = record + 1;
    struct totals now = zero;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (record[0] >> i & 1) {
            now.sent[totals_order[i]] = record_take_word(&at);
            now.lost[totals_order[i]] = record_take_word(&at);
        }
    }
    now.sum = record_take_word(&at);
    return now;
}

/* ---- Runs ---- */

static void begin_run(struct decoder *decoder, uint64_t offset)
{
    struct profile *profile = decoder->profile;
    size_t number = profile->run_count++;

    if (number < RUNS_MAX)
        profile->runs[number] = (struct run){offset, profile->inputs, false};
}

void wire_note_run(struct decoder *decoder)
{
    struct wire *wire = decoder->state;

    if (!wire->run.begun)
        begin_run(decoder, wire->line.start);
    wire->run.running = wire->run.begun = true;
}

static bool any_since(const struct wire *wire)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (wire->account.since.sent[i] > 0)
            return true;
    }
    return false;
}

static void cut_run(struct decoder *decoder)
{
    struct profile *profile = decoder->profile;

    profile->resets++;
    if (profile->run_count > 0 && profile->run_count <= RUNS_MAX)
        profile->runs[profile->run_count - 1].cut = true;
}

/* Counts as lost what a run has sent and lost, without the events `got`. Returns whether
 * all of these may be of that run: else more came than it has sent. */
static bool lose_run(struct decoder *decoder, const struct totals *all,
                     const struct totals *got)
{
    bool less = true;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        bool there = got->sent[i] <= all->sent[i];

        decoder->profile->lost[i] +=
            all->lost[i] + (there ? all->sent[i] - got->sent[i] : 0);
        less = less && there;
    }
    return less;
}

/* Whether the last blocks repeat at least half of the run's blocks, from its first
 * quarter on: then another run does the same as this one, and the beginning of that run
 * did not arrive. Only what lies between the repeated blocks was taken of that run. A
 * server or a driver that sends its last buffer again repeats the last blocks, and a
 * whole number of pages. */
static bool repeats_run(const struct wire *wire)
{
    enum { PAGE = 4096 };

    return wire->repeats.count >= REPEATS_MIN &&
           2 * wire->repeats.count >= wire->taken.count &&
           4 * wire->repeats.number <= wire->taken.count &&
           wire->repeats.distance % PAGE != 0;
}

/* Notes a run that began at an unknown place; `all` is what it has sent. If records were
 * lost in several stretches before it was known, it began in any of them, and the blocks
 * between are of either run: all that may be its own is taken for its own, so that what
 * counts as lost is no more than what was lost. */
static void note_hidden_run(struct decoder *decoder, const struct totals *all)
{
    struct wire *wire = decoder->state;
    const struct totals *got =
        wire->repeats.count > 0 ? &wire->repeats.between : &wire->account.after;
    unsigned stretches =
        wire->repeats.count > 0 ? wire->repeats.stretches : wire->account.stretches;
    bool less = lose_run(decoder, all, stretches > 1 ? &wire->account.since : got);

    if ((!less && stretches <= 1) || (wire->repeats.count == 0 && stretches == 0))
        decoder->profile->mismatch = true;
    decoder->profile->unaccounted = true;
    cut_run(decoder);
    begin_run(decoder,
              wire->repeats.count > 0 ? wire->repeats.offset : wire->line.offset);
    wire->run.unflushed++;
    wire->repeats.count = 0;
    wire->account.since = wire->account.after = zero;
}

static bool is_less(const struct totals *one, const struct totals *other)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (one->sent[i] < other->sent[i])
            return true;
    }
    return false;
}

void wire_note_repeat(struct decoder *decoder, const uint8_t *record, size_t number)
{
    struct wire *wire = decoder->state;
    bool tells = record != NULL && record_kind(record[0]) == MCUPROF_WIRE_TOTALS;
    struct totals now = tells                     ? read_totals(record)
                        : wire->repeats.count > 0 ? wire->repeats.totals
                                                  : zero;

    if (wire->repeats.count > 0 && is_less(&now, &wire->repeats.totals) &&
        repeats_run(wire))
        note_hidden_run(decoder,
                        &wire->repeats.totals); /* one more run repeats the blocks */
    if (wire->repeats.count == 0) {
        wire->repeats.offset = wire->line.offset;
        wire->repeats.number = number;
        wire->repeats.distance = wire->line.offset - wire->taken.at[number % TAKEN];
    }
    if (wire->repeats.count++ == 0) {
        wire->repeats.between = wire->account.stretches > 0 ? wire->account.after : zero;
        wire->repeats.stretches = wire->account.stretches;
    }
    wire->repeats.totals = now;
}

void wire_end_run(struct decoder *decoder)
{
    struct wire *wire = decoder->state;

    if (repeats_run(wire))
        note_hidden_run(decoder, &wire->repeats.totals);
    wire->repeats.count = 0;
    if (wire->account.missing || any_since(wire) ||
        (wire->steps.block > 0 && wire->steps.missing))
        decoder->profile->unaccounted = true;
    wire->run.unflushed += wire->run.begun && !wire->run.flushed;
}

void wire_start_over(struct decoder *decoder, uint64_t offset)
{
    struct wire *wire = decoder->state;

    if (wire->run.begun) {
        wire_end_run(decoder);
        if (wire->run.running)
            cut_run(decoder);
    }
    begin_run(decoder, offset);
    wire_timeline_run(decoder, true);
    wire->run.begun = true;
    wire->taken.count = 0;
    wire->resumption.known = false;
    wire->account.last = wire->account.since = wire->account.after = zero;
    wire->account.heard = 0;
    wire->account.stretches = 0;
    wire->task = TASK_NONE;
    wire->account.damaged_then = wire->account.damage;
    wire->account.based = true;
    wire->account.missing = wire->run.flushed = wire->clock.anew = false;
    wire->run.running = true;
    wire->clock.known = false; /* the firmware measures its hooks again */
    wire->clock.waits = false;
    wire_forget_time(wire);
}

void wire_lose(struct decoder *decoder)
{
    struct wire *wire = decoder->state;

    wire->task = TASK_UNKNOWN;
    wire->account.stretches += wire->account.stretches == 0 || wire->account.took;
    wire->account.took = false;
    wire->account.after = zero;
    wire->account.missing = wire->account.missing || wire->account.based;
    wire->run.flushed = false;
    wire->steps.missing = true;
}

/* ---- Blocks that follow on each other ---- */

void wire_note_taken(struct wire *wire, uint32_t hash)
{
    wire->resumption = (struct resumption){
        .known = true,
        .hash = hash,
        .task = wire->task,
        .missing = wire->account.missing,
        .flushed = wire->run.flushed,
        .running = wire->run.running,
        .took = wire->account.took,
        .steps_missing = wire->steps.missing,
        .stretches = wire->account.stretches,
        .heard = wire->account.heard,
        .after = wire->account.after,
    };
}

/* Where most of a run came again, it may be another run that goes on after the last block
 * of the first. */
void wire_resume(struct wire *wire, const uint8_t *record, size_t bytes)
{
    const struct resumption *then = &wire->resumption;

    if (!then->known || repeats_run(wire) || !MCUPROF_WIRE_CLOSES(record[0]) ||
        wire_stated(record, bytes) != then->hash)
        return;
    wire->task = then->task;
    wire->account.missing = then->missing;
    wire->run.flushed = then->flushed;
    wire->run.running = then->running;
    wire->account.took = then->took;
    wire->steps.missing = then->steps_missing;
    wire->account.stretches = then->stretches;
    wire->account.heard = then->heard;
    wire->account.after = then->after;
    wire->repeats.count = 0;
}

/* ---- Totals ---- */

/* Version 1: different sums mean that damage was taken for data or that a record became
 * text. If damaged records were counted, they explain the difference. */
static void compare_sums(struct decoder *decoder, uint32_t sum)
{
    const struct wire *wire = decoder->state;

    if (wire->version == 1 && wire->account.since.sum != sum - wire->account.last.sum &&
        wire->account.damaged_then == wire->account.damage)
        decoder->profile->mismatch = true;
}

/* Whether the totals became less: then the firmware restarted, and its first records did
 * not arrive. */
static bool went_back(const struct wire *wire, const struct totals *now)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        uint32_t sent = now->sent[i] - wire->account.last.sent[i];

        if (now->sent[i] < wire->account.last.sent[i] && sent > UINT32_MAX / 2 &&
            wire->account.since.sent[i] <= UINT32_MAX / 2)
            return true;
        /* The firmware surely sent what came. But if a capture of version 1 did not add
         * up, the capture that the PC makes of it has one event more, so that
         * compare_totals() shows this. */
        if (wire->version == 2 && wire->account.since.sent[i] > (uint64_t)sent + 1)
            return true;
    }
    return false;
}

/* Whether the firmware may have sent 2^32 more events of a kind, or a multiple, while
 * records were lost: what another kind of event was then says so, if there are as many of
 * both as before. */
static bool may_have_wrapped(const struct decoder *decoder, const struct totals *now)
{
    enum { ENOUGH = 100 };
    const struct wire *wire = decoder->state;
    double before[EVENT_KINDS], sent[EVENT_KINDS];

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        before[i] =
            (double)decoder->profile->received[i] + (double)decoder->profile->lost[i];
        sent[i] = (double)(uint32_t)(now->sent[i] - wire->account.last.sent[i]) +
                  (double)(uint32_t)(now->lost[i] - wire->account.last.lost[i]);
    }
    for (size_t i = 0; wire->account.stretches > 0 && i < EVENT_KINDS; i++) {
        for (size_t j = 0; j < EVENT_KINDS; j++) {
            if (before[j] >= ENOUGH && before[i] / before[j] * sent[j] > sent[i] + 0x1p31)
                return true;
        }
    }
    return false;
}

static void compare_totals(struct decoder *decoder, const struct totals *now)
{
    const struct wire *wire = decoder->state;
    struct profile *profile = decoder->profile;
    uint64_t missing = 0;
    bool all = true;

    if (may_have_wrapped(decoder, now))
        profile->unaccounted = true;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        uint32_t sent = now->sent[i] - wire->account.last.sent[i];

        uint32_t gone =
            sent > wire->account.since.sent[i] ? sent - wire->account.since.sent[i] : 0;

        profile->lost[i] += (uint32_t)(now->lost[i] - wire->account.last.lost[i]);
        profile->lost[i] += gone;
        missing += gone;
        if (wire->account.since.sent[i] > sent)
            profile->mismatch = true;
        all = all && wire->account.since.sent[i] == sent;
    }
    /* Another run lies between these totals, of which nothing else came. */
    if (wire->account.heard > missing + HEARD_MORE)
        profile->unaccounted = true;
    if (all)
        compare_sums(decoder, now->sum);
}

/* The first totals of a recording that began late say how many events it missed. */
static void count_earlier(struct decoder *decoder, const struct totals *now)
{
    const struct wire *wire = decoder->state;
    struct profile *profile = decoder->profile;
    bool any = false;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (now->sent[i] < wire->account.since.sent[i])
            profile->mismatch = true;
        else
            profile->earlier[i] += now->sent[i] - wire->account.since.sent[i];
        profile->earlier[i] += now->lost[i];
        any = any || profile->earlier[i];
    }
    if (!any)
        compare_sums(decoder, now->sum); /* the hello may have been lost too */
}

/* Notes a reset somewhere before these totals. The firmware restarted where records were
 * lost. If they were lost in one stretch, all that came after it is of the new run. */
static void find_reset(struct decoder *decoder, const struct totals *now)
{
    struct wire *wire = decoder->state;

    note_hidden_run(decoder, now);
    wire_timeline_run(decoder, false);
    wire->taken.count = 0;
    wire->resumption.known = false;
    if (!wire->clock.anew)
        wire_forget_time(wire);
}

/* Whether these totals are the last ones and what came since, which is not nothing: then
 * the line repeated most of a run, but the firmware went on. */
static bool goes_on(const struct wire *wire, const struct totals *now)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (now->sent[i] - wire->account.last.sent[i] != wire->account.since.sent[i])
            return false;
    }
    return any_since(wire);
}

void wire_take_totals(struct decoder *decoder, const uint8_t *record)
{
    struct wire *wire = decoder->state;
    struct totals now = read_totals(record);

    if (!wire->account.based)
        count_earlier(decoder, &now);
    else if (went_back(wire, &now) || (repeats_run(wire) && !goes_on(wire, &now)))
        find_reset(decoder, &now);
    else
        compare_totals(decoder, &now);
    decoder->profile->accounted = true;
    wire->account.based = true;
    wire->account.missing = wire->clock.anew = false;
    wire->account.last = now;
    wire->account.since = wire->account.after = zero;
    wire->account.heard = 0;
    wire->repeats.count = wire->account.stretches = 0;
    wire->account.damaged_then = wire->account.damage;
}

/* ---- Records that close ---- */

void wire_note_close(struct wire *wire, uint8_t start)
{
    if (start == MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STOPPED)) {
        wire->run.running = false;
        wire->run.flushed = true;
    } else if (start == MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_FLUSHED)) {
        wire->run.flushed = true;
    }
}

void wire_take_end(struct decoder *decoder, const uint8_t *record, size_t bytes)
{
    struct wire *wire = decoder->state;

    if (wire->version != 1)
        return;
    if (wire->account.based)
        compare_sums(decoder, wire_stated(record, bytes));
    wire_note_close(wire, record[0]);
}
