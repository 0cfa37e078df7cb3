/* SPDX-License-Identifier: MIT */
/*
 * The timeline on the wire has states, each of which says what holds at a time, and steps
 * from there. A state comes before the first step of each block, so a lost block loses
 * only its own events; what ran meanwhile is not known.
 */
#include "wire.h"

static bool add(struct decoder *decoder, const struct timeline_event *event,
                struct error *error)
{
    return timeline_add(&decoder->profile->timeline, event) || error_no_memory(error);
}

void wire_timeline_run(struct decoder *decoder, bool power_on)
{
    struct wire *wire = decoder->state;

    wire->steps = (struct steps){.told = power_on};
}

/* ---- States ---- */

/* Adds up what the firmware says it sent and lost. */
static void account(struct decoder *decoder, uint32_t sent, uint32_t lost)
{
    struct timeline *timeline = &decoder->profile->timeline;
    struct steps *steps = &((struct wire *)decoder->state)->steps;

    if (!steps->told) {
        timeline->earlier += (uint64_t)sent + lost;
    } else {
        timeline->lost += (uint32_t)(lost - steps->lost);
        timeline->lost += (uint32_t)(sent - steps->sent - steps->since);
    }
    steps->told = true;
    steps->missing = false;
    steps->sent = sent;
    steps->lost = lost;
    steps->since = 0;
}

/* Whether the state is the one that the last step led to. */
static bool goes_on(const struct steps *steps, const uint32_t *words)
{
    return steps->known && words[1] == steps->time && words[3] == steps->sent &&
           words[4] == steps->lost &&
           words[2] == (steps->handlers << MCUPROF_WIRE_STATE_TASK | steps->task);
}

/* Whether the state says that fewer events were sent than came: then a reset of the
 * firmware went unnoticed. Where there were none, a clock that goes back by one tick
 * tells it, as merge writes it. */
static bool went_back(const struct steps *steps, const uint32_t *words)
{
    const uint32_t far = UINT32_MAX / 2;
    uint32_t came = steps->sent + steps->since, sent = words[3];
    bool none = came == 0 && sent == 0 && steps->block > 0;

    return steps->told && (sent - came > far || (none && steps->time - words[1] == 1));
}

static bool add_state(struct decoder *decoder, const uint32_t *words, struct error *error)
{
    struct steps *steps = &((struct wire *)decoder->state)->steps;
    struct timeline_event event = {.what = TIMELINE_STATE};
    struct timeline *timeline = &decoder->profile->timeline;

    event.number = words[2] & ((1u << MCUPROF_WIRE_STATE_TASK) - 1);
    event.handlers = words[2] >> MCUPROF_WIRE_STATE_TASK;
    event.ticks = (uint32_t)(words[1] - steps->time);
    if (timeline->hz == 0)
        timeline->hz = words[0];
    if (steps->block == 0) { /* the first of this run */
        event.ticks = 0;
        if (!add(decoder,
                 &(struct timeline_event){.what = TIMELINE_RUN, .ticks = words[1]},
                 error))
            return false;
    }
    steps->time = words[1];
    steps->task = event.number;
    steps->handlers = event.handlers;
    steps->known = true;
    return add(decoder, &event, error);
}

bool wire_take_state(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    const struct wire *wire = decoder->state;
    struct steps *steps = &((struct wire *)decoder->state)->steps;
    uint32_t words[MCUPROF_WIRE_STATE_WORDS];
    bool on;

    record_take_words(record, words, MCUPROF_WIRE_STATE_WORDS);
    if (words[0] == 0 ||
        (words[2] & ((1u << MCUPROF_WIRE_STATE_TASK) - 1)) >= TASK_INTERRUPT) {
        decoder->profile->damaged++;
        return true;
    }
    if (went_back(steps, words))
        wire_timeline_run(decoder, false);
    steps->sent += steps->since;
    steps->since = 0;
    on = goes_on(steps, words);
    account(decoder, words[3], words[4]);
    if (!on && !add_state(decoder, words, error))
        return false;
    steps->block = wire->blocks + 1;
    steps->later = steps->value = steps->name = 0;
    return true;
}

/* ---- Steps ---- */

static enum timeline_what what_is(uint32_t code)
{
    if (code == MCUPROF_WIRE_STEP_RETURN)
        return TIMELINE_RETURN;
    if (code <= MCUPROF_WIRE_STEP_TASKS)
        return TIMELINE_TASK;
    if (code <= MCUPROF_WIRE_STEP_IRQ + MCUPROF_WIRE_STEP_IRQS)
        return TIMELINE_ENTER;
    switch (code) {
    case MCUPROF_WIRE_STEP_TASK_FAR:
        return TIMELINE_TASK;
    case MCUPROF_WIRE_STEP_IRQ_FAR:
        return TIMELINE_ENTER;
    case MCUPROF_WIRE_STEP_READY:
        return TIMELINE_READY;
    case MCUPROF_WIRE_STEP_MARK:
        return TIMELINE_MARK;
    case MCUPROF_WIRE_STEP_BEGIN:
        return TIMELINE_BEGIN;
    case MCUPROF_WIRE_STEP_END:
        return TIMELINE_END;
    case MCUPROF_WIRE_STEP_NOTHING:
        return TIMELINE_NOTHING;
    default:
        return TIMELINE_LOST;
    }
}

/* The number of the task or the interrupt that a step names. */
static uint32_t number_of(uint32_t code, enum timeline_what what, uint32_t value)
{
    if (what == TIMELINE_TASK)
        return code <= MCUPROF_WIRE_STEP_TASKS ? code : value;
    if (what == TIMELINE_ENTER)
        return TASK_INTERRUPT +
               (code == MCUPROF_WIRE_STEP_IRQ_FAR ? value : code - MCUPROF_WIRE_STEP_IRQ);
    return value;
}

/* Applies an event to the state; false: firmware that keeps the rules cannot have sent
 * it. */
static bool follow(struct steps *steps, struct timeline_event *event)
{
    const uint32_t tasks = TASK_INTERRUPT;

    switch (event->what) {
    case TIMELINE_TASK:
        steps->task = event->number;
        return event->number < tasks;
    case TIMELINE_ENTER:
        steps->handlers++;
        return event->number - TASK_INTERRUPT < TASK_INTERRUPT;
    case TIMELINE_RETURN:
        return steps->handlers-- > 0;
    case TIMELINE_READY:
        return event->number < tasks;
    default:
        return event->what != TIMELINE_LOST;
    }
}

static bool take_step(struct decoder *decoder, uint32_t code, uint32_t bits,
                      struct error *error)
{
    struct steps *steps = &((struct wire *)decoder->state)->steps;
    struct timeline_event event = {.what = what_is(code)};

    event.number = number_of(code, event.what, steps->value);
    event.ticks = (uint32_t)(steps->later << MCUPROF_WIRE_STEP_BITS | bits);
    event.name = steps->name;
    event.value = (int32_t)steps->value;
    steps->later = steps->value = steps->name = 0;
    if (!follow(steps, &event)) {
        decoder->profile->damaged++;
        steps->known = false;
        event = (struct timeline_event){.what = TIMELINE_LOST};
        return add(decoder, &event, error);
    }
    steps->time += (uint32_t)event.ticks;
    if (event.what != TIMELINE_NOTHING) {
        steps->since++;
        decoder->profile->timeline.received++;
    }
    return (event.what == TIMELINE_NOTHING && event.ticks == 0) ||
           add(decoder, &event, error);
}

/* Takes a part of the next event from a step; false: the step has no such part. */
static bool take_part(struct steps *steps, uint32_t code, uint32_t bits)
{
    uint32_t *part = code == MCUPROF_WIRE_STEP_LATER   ? &steps->later
                     : code == MCUPROF_WIRE_STEP_VALUE ? &steps->value
                     : code == MCUPROF_WIRE_STEP_NAME  ? &steps->name
                                                       : NULL;

    if (part)
        *part = *part << MCUPROF_WIRE_STEP_BITS | bits;
    return part != NULL;
}

bool wire_take_steps(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    const struct wire *wire = decoder->state;
    struct steps *steps = &((struct wire *)decoder->state)->steps;
    const uint8_t *at = record + 1;

    if (steps->block != wire->blocks + 1 || !steps->known) {
        decoder->profile->damaged++;
        return true;
    }
    for (unsigned i = 0; i < MCUPROF_WIRE_STEPS && steps->known; i++) {
        uint32_t code = record_take(&at, 1);
        uint32_t bits = record_take(&at, MCUPROF_WIRE_STEP_GROUPS - 1);

        if (!take_part(steps, code, bits) && !take_step(decoder, code, bits, error))
            return false;
    }
    return true;
}
