/* SPDX-License-Identifier: MIT */
/* The wire's records of events, and of the tasks that they belong to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

static uint32_t whose(const struct wire *wire, uint32_t task)
{
    return MCUPROF_WIRE_FLAGS(wire->hello.words[3]) & MCUPROF_WIRE_FLAG_TASKS ? task
                                                                              : TASK_NONE;
}

static enum event_kind event_kind(const uint8_t *record)
{
    static const enum event_kind kinds[] = {
        [MCUPROF_WIRE_SAMPLE] = EVENT_SAMPLE, [MCUPROF_WIRE_ARC] = EVENT_ARC,
        [MCUPROF_WIRE_BLOCK] = EVENT_BLOCK,   [MCUPROF_WIRE_CALL] = EVENT_CALL,
        [RECORD_PATH] = EVENT_SAMPLE,
    };

    return kinds[record_kind(record[0])];
}

/* ---- Counts ---- */

static bool count_call(struct decoder *decoder, const uint8_t *record)
{
    struct wire *wire = decoder->state;
    struct record_call call = record_take_call(record);
    struct call_times times = {call.total, call.self, call.shortest, call.longest};
    uint32_t from = wire_address(wire, call.from), to = wire_address(wire, call.to);

    /* A record without addresses is a task's run, not a call. */
    decoder->profile->alone += call.count == 1 && (from | to) != 0;
    if ((from | to) != 0)
        wire->clock.call_ticks += call.self;
    return profile_call_record(decoder->profile, from, to, call.count, &times);
}

bool wire_count_events(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;
    size_t count = wire->event_count;

    wire->event_count = 0;
    return profile_count_all(decoder->profile, wire->events, count) ||
           error_no_memory(error);
}

/* Adds a record of a sample, an arc or a block to `events`; *count is its number of
 * events. */
static inline bool add_event(struct decoder *decoder, const uint8_t *record,
                             enum event_kind kind, uint32_t task, uint32_t *count,
                             struct error *error)
{
    struct wire *wire = decoder->state;
    unsigned groups = MCUPROF_WIRE_ADDRESS_GROUPS(record[0] & 15u);
    unsigned count_groups = MCUPROF_WIRE_COUNT_GROUPS(record[0] & 15u);
    struct event *event = &wire->events[wire->event_count++];
    const uint8_t *at = record + 1;

    event->kind = kind;
    event->task = whose(wire, task);
    event->from = kind == EVENT_ARC ? wire_address(wire, record_take(&at, groups)) : 0;
    event->to = wire_address(wire, record_take(&at, groups));
    if (kind == EVENT_BLOCK) /* An address inside the hook's call: the code behind the
                              * call may be another block. */
        event->to = (uint32_t)(event->to - ((uint32_t)1 << wire->unit));
    event->count = *count = count_groups > 0 ? record_take(&at, count_groups) : 1;
    decoder->profile->alone += kind == EVENT_ARC && count_groups == 0;
    return wire->event_count < EVENT_BATCH || wire_count_events(decoder, error);
}

/* Counts a record; *count is its number of events. */
static inline bool count_record(struct decoder *decoder, const uint8_t *record,
                                enum event_kind kind, uint32_t task, uint32_t block,
                                uint32_t *count, struct error *error)
{
    const struct wire *wire = decoder->state;

    if (kind != EVENT_CALL && (kind != EVENT_SAMPLE || !wire_has_paths(wire)))
        return add_event(decoder, record, kind, task, count, error);
    *count = wire_events_of(record);
    decoder->profile->task = whose(wire, task);
    return kind == EVENT_SAMPLE ? wire_count_path(decoder, record, block, error)
                                : count_call(decoder, record) || error_no_memory(error);
}

/* Keeps a record until the hello is sure. */
static bool hold(struct decoder *decoder, const uint8_t *record, size_t bytes,
                 struct error *error)
{
    struct wire *wire = decoder->state;
    struct pending *pending;

    if (wire->pending.used == PENDING_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset %" PRIu64 ": expected a hello record, but %d events "
                         "came without one",
                         decoder->path, decoder->offset, PENDING_MAX);
    if (!wire->pending.items)
        wire->pending.items = malloc(PENDING_MAX * sizeof *wire->pending.items);
    if (!wire->pending.items)
        return error_no_memory(error);
    pending = &wire->pending.items[wire->pending.used++];
    pending->task = wire->task;
    pending->block = wire->blocks;
    memcpy(pending->record, record, bytes);
    return true;
}

/* ---- Records ---- */

bool wire_take_event(struct decoder *decoder, const uint8_t *record, size_t bytes,
                     struct error *error)
{
    struct wire *wire = decoder->state;

    enum event_kind kind = event_kind(record);
    uint32_t count = 0;
    bool done;

    wire->run.flushed = false;
    if (wire->greeted) {
        done =
            count_record(decoder, record, kind, wire->task, wire->blocks, &count, error);
    } else {
        count = wire_events_of(record);
        done = hold(decoder, record, bytes, error);
    }
    wire->account.since.sent[kind] += count;
    wire->account.after.sent[kind] += count;
    wire->repeats.between.sent[kind] += count;
    return done;
}

bool wire_count_pending(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;

    for (size_t i = 0; i < wire->pending.used; i++) {
        const struct pending *pending = &wire->pending.items[i];
        uint32_t count;

        if (wire->excluded[pending->record[0] & 0x7F])
            decoder->profile->damaged++;
        else if (!count_record(decoder, pending->record, event_kind(pending->record),
                               pending->task, pending->block, &count, error))
            return false;
    }
    wire->pending.used = 0;
    return true;
}

bool wire_take_task(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    struct wire *wire = decoder->state;
    unsigned length = record[0] & 15u;
    const uint8_t *at = record + 1;
    uint32_t number = record_take(&at, MCUPROF_WIRE_TASK_GROUPS);
    char name[16];
    bool idle = number & MCUPROF_WIRE_TASK_IDLE;

    if (length == 0)
        wire->task = number;
    number &= ~(uint32_t)MCUPROF_WIRE_TASK_IDLE;
    for (unsigned i = 0; i < length; i++)
        name[i] = at[i] != '\0' ? (char)at[i] : '?'; /* whoever shows it escapes it */
    name[length] = '\0';
    return profile_task(decoder->profile, number, length ? name : NULL, idle) ||
           error_no_memory(error);
}
