/* SPDX-License-Identifier: MIT */
/* The wire's records of events and of whose they are. */
#include <inttypes.h>
#include <stdlib.h>

#include "wire.h"

bool wire_no_memory(struct error *error)
{
    return error_set(error, EXIT_BAD_INPUT, "out of memory");
}

/* An address as the firmware had it, modulo 2^32. */
uint32_t wire_address(const struct wire *wire, uint32_t sent)
{
    return (uint32_t)(sent << wire->unit) + wire->base;
}

uint32_t wire_whose(const struct wire *wire, uint32_t task)
{
    return MCUPROF_WIRE_FLAGS(wire->hello.words[3]) & MCUPROF_WIRE_FLAG_TASKS ? task
                                                                              : TASK_NONE;
}

static bool count_event(struct decoder *decoder, const struct event *event,
                        struct error *error)
{
    const struct wire *wire = decoder->state;
    uint32_t from = event->kind == EVENT_ARC ? wire_address(wire, event->from) : 0;
    uint32_t to = wire_address(wire, event->to);

    decoder->profile->task = wire_whose(wire, event->task);
    if (event->kind == EVENT_CALL)
        return profile_call(decoder->profile, wire_address(wire, event->from), to,
                            event->count, &event->times) ||
               wire_no_memory(error);
    if (event->kind == EVENT_BLOCK)
        to -= (uint32_t)1 << wire->unit; /* into the hook's call: what follows may be
                                            another block's */
    return profile_count(decoder->profile, event->kind, from, to, event->count) ||
           wire_no_memory(error);
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
        return wire_no_memory(error);
    wire->pending[wire->pending_used++] = *event;
    return true;
}

static bool add_event(struct decoder *decoder, struct event *event, struct error *error)
{
    struct wire *wire = decoder->state;

    event->task = wire->task;
    wire->since.sent[event->kind] += event->count;
    wire->flushed = false;
    return wire->greeted ? count_event(decoder, event, error)
                         : hold_event(decoder, event, error);
}

bool wire_take_call(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    struct record_call call = record_take_call(record);
    struct event event = {
        .kind = EVENT_CALL,
        .from = call.from,
        .to = call.to,
        .count = call.count,
        .times = {call.total, call.self, call.shortest, call.longest},
    };

    return add_event(decoder, &event, error);
}

bool wire_take_event(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    unsigned parameters = record[0] & 15u, kind = record[0] >> 4 & 7u;
    unsigned count_groups = MCUPROF_WIRE_COUNT_GROUPS(parameters);
    const uint8_t *at = record + 1;
    struct event event = {.kind = EVENT_SAMPLE};

    if (kind == MCUPROF_WIRE_ARC) {
        event.kind = EVENT_ARC;
        event.from = record_take(&at, MCUPROF_WIRE_ADDRESS_GROUPS(parameters));
    } else if (kind == MCUPROF_WIRE_BLOCK) {
        event.kind = EVENT_BLOCK;
    }
    event.to = record_take(&at, MCUPROF_WIRE_ADDRESS_GROUPS(parameters));
    event.count = count_groups ? record_take(&at, count_groups) : 1;
    return add_event(decoder, &event, error);
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
        name[i] = at[i] >= ' ' && at[i] < 0x7F ? (char)at[i] : '?';
    name[length] = '\0';
    return profile_task(decoder->profile, number, length ? name : NULL, idle) ||
           wire_no_memory(error);
}

/* Whether the hello, which came later, has no such events. */
static bool is_excluded(const struct wire *wire, enum event_kind kind)
{
    static const uint8_t kinds[EVENT_KINDS] = {
        [EVENT_SAMPLE] = MCUPROF_WIRE_SAMPLE,
        [EVENT_ARC] = MCUPROF_WIRE_ARC,
        [EVENT_BLOCK] = MCUPROF_WIRE_BLOCK,
        [EVENT_CALL] = MCUPROF_WIRE_CALL,
    };

    return wire->lengths[MCUPROF_WIRE_START(kinds[kind], 0) & 0x7F] == 0;
}

bool wire_count_pending(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;

    for (size_t i = 0; i < wire->pending_used; i++) {
        if (is_excluded(wire, wire->pending[i].kind))
            decoder->profile->damaged++;
        else if (!count_event(decoder, &wire->pending[i], error))
            return false;
    }
    wire->pending_used = 0;
    return true;
}
