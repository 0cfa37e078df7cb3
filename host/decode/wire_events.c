/* SPDX-License-Identifier: MIT */
/* The wire's records of events and of whose they are. */
#include <inttypes.h>
#include <stdlib.h>

#include "wire.h"

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
    uint32_t from = event->kind == EVENT_ARC ? address_of(wire, event->from) : 0;
    uint32_t to = address_of(wire, event->to);

    decoder->profile->task =
        MCUPROF_WIRE_FLAGS(wire->hello.words[3]) & MCUPROF_WIRE_FLAG_TASKS ? event->task
                                                                           : TASK_NONE;
    if (event->kind == EVENT_CALL)
        return profile_call(decoder->profile, address_of(wire, event->from), to,
                            event->count, &event->times) ||
               out_of_memory(error);
    if (event->kind == EVENT_BLOCK)
        to -= (uint32_t)1 << wire->unit; /* into the hook's call: what follows may be
                                            another block's */
    return profile_count(decoder->profile, event->kind, from, to, event->count) ||
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

static bool add_event(struct decoder *decoder, struct event *event, struct error *error)
{
    struct wire *wire = decoder->state;

    event->task = wire->task;
    wire->since.sent[event->kind] += event->count;
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
           out_of_memory(error);
}

bool wire_count_pending(struct decoder *decoder, struct error *error)
{
    struct wire *wire = decoder->state;

    for (size_t i = 0; i < wire->pending_used; i++) {
        if (!count_event(decoder, &wire->pending[i], error))
            return false;
    }
    wire->pending_used = 0;
    return true;
}
