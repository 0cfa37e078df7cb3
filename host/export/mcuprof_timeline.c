/* SPDX-License-Identifier: MIT */
/* Writes the timeline as firmware would send it. A new run begins with a state that has
 * fewer events sent than before; where none were, with a clock that is one tick back. */
#include <string.h>

#include "mcuprof_records.h"

/* The record of steps that is being made, and the state before its first step. */
struct steps {
    struct record_writer *writer;
    struct record record;
    unsigned count, events; /* steps in the record; and how many of them are events */
    uint64_t time;
    uint64_t shift; /* what this run's clock is set forward by */
    uint32_t task, handlers;
    uint32_t sent;
    uint64_t left; /* lost events that no state has told of yet */
    uint32_t lost; /* lost events that states have told of */
    bool first;    /* no state of this run was written so far */
};

static void put_state(struct steps *steps)
{
    struct record record;

    record_begin(&record, MCUPROF_WIRE_END, MCUPROF_WIRE_END_STATE);
    record_put_word(&record, (uint32_t)steps->writer->profile->timeline.hz);
    record_put_word(&record, (uint32_t)(steps->time + steps->shift));
    record_put_word(&record, steps->handlers << MCUPROF_WIRE_STATE_TASK | steps->task);
    record_put_word(&record, steps->sent);
    record_put_word(&record, steps->lost);
    steps->writer->stated = true; /* stays true unless this record closes the block */
    record_finish(steps->writer, &record);
}

static void put_step(struct steps *steps, uint32_t code, uint32_t bits)
{
    record_put(&steps->record, code, 1);
    record_put(&steps->record, bits, MCUPROF_WIRE_STEP_GROUPS - 1);
    steps->count++;
}

/* Writes the steps; from now on the state is that of the cursor behind them. */
static void flush(struct steps *steps, const struct timeline_cursor *behind)
{
    if (steps->count > 0) {
        while (steps->count < MCUPROF_WIRE_STEPS)
            put_step(steps, MCUPROF_WIRE_STEP_NOTHING, 0);
        while (!steps->writer->stated)
            put_state(steps);
        record_finish(steps->writer, &steps->record);
    }
    steps->sent += steps->events;
    steps->count = steps->events = 0;
    steps->time = behind->time;
    steps->task = behind->task;
    steps->handlers = behind->handlers;
    record_begin(&steps->record, MCUPROF_WIRE_END, MCUPROF_WIRE_END_STEPS);
}

/* How many steps a number takes; 0 takes none. */
static unsigned parts_of(uint64_t number)
{
    unsigned parts = 0;

    for (; number > 0; number >>= MCUPROF_WIRE_STEP_BITS)
        parts++;
    return parts;
}

static void put_parts(struct steps *steps, uint32_t code, uint64_t number)
{
    for (unsigned part = parts_of(number); part-- > 0;)
        put_step(steps, code,
                 (uint32_t)(number >> part * MCUPROF_WIRE_STEP_BITS) &
                     ((1u << MCUPROF_WIRE_STEP_BITS) - 1));
}

/* The code of an event; *value: the number that comes before it. */
static uint32_t code_of(const struct timeline_event *event, uint32_t *value)
{
    uint32_t number = event->number;

    *value = 0;
    switch (event->what) {
    case TIMELINE_RETURN:
        return MCUPROF_WIRE_STEP_RETURN;
    case TIMELINE_TASK:
        if (number >= 1 && number <= MCUPROF_WIRE_STEP_TASKS)
            return MCUPROF_WIRE_STEP_TASK + number;
        *value = number;
        return MCUPROF_WIRE_STEP_TASK_FAR;
    case TIMELINE_ENTER:
        number -= TASK_INTERRUPT;
        if (number <= MCUPROF_WIRE_STEP_IRQS)
            return MCUPROF_WIRE_STEP_IRQ + number;
        *value = number;
        return MCUPROF_WIRE_STEP_IRQ_FAR;
    case TIMELINE_READY:
        *value = number;
        return MCUPROF_WIRE_STEP_READY;
    case TIMELINE_MARK:
        *value = (uint32_t)event->value;
        return MCUPROF_WIRE_STEP_MARK;
    case TIMELINE_BEGIN:
        return MCUPROF_WIRE_STEP_BEGIN;
    case TIMELINE_END:
        return MCUPROF_WIRE_STEP_END;
    default:
        return MCUPROF_WIRE_STEP_NOTHING;
    }
}

/* Writes an event; `before` is the cursor before it. */
static void put_event(struct steps *steps, const struct timeline_event *event,
                      const struct timeline_cursor *before)
{
    uint32_t value, code = code_of(event, &value);
    uint64_t later = event->ticks >> MCUPROF_WIRE_STEP_BITS;
    unsigned parts = parts_of(event->name) + parts_of(value) + parts_of(later) + 1;

    if (steps->count + parts > MCUPROF_WIRE_STEPS)
        flush(steps, before);
    put_parts(steps, MCUPROF_WIRE_STEP_NAME, event->name);
    put_parts(steps, MCUPROF_WIRE_STEP_VALUE, value);
    put_parts(steps, MCUPROF_WIRE_STEP_LATER, later);
    put_step(steps, code, (uint32_t)event->ticks & ((1u << MCUPROF_WIRE_STEP_BITS) - 1));
    steps->events += code != MCUPROF_WIRE_STEP_NOTHING;
}

/* Writes a state that differs from the expected one, so that the reader sees the gap. */
static void put_gap(struct steps *steps, const struct timeline_cursor *cursor)
{
    steps->time = cursor->time;
    steps->task = cursor->task;
    steps->handlers = cursor->handlers;
    if (steps->left > 0 && !steps->first) {
        steps->left--;
        steps->lost++;
    }
    steps->first = false;
    put_state(steps);
}

static void begin_run(struct steps *steps, const struct timeline_cursor *cursor,
                      const struct timeline_cursor *before)
{
    bool first = before->event.what == TIMELINE_RUN; /* before it there is nothing */
    uint64_t last;

    flush(steps, before);
    last = steps->time + steps->shift;
    steps->shift = !first && steps->sent == 0 ? last - 1 - cursor->time : 0;
    steps->sent = first ? (uint32_t)steps->writer->profile->timeline.earlier : 0;
    steps->lost = 0;
    steps->first = true;
    flush(steps, cursor);
}

static void put_any(struct steps *steps, const struct timeline_cursor *cursor,
                    const struct timeline_cursor *before)
{
    static const uint64_t most = UINT64_C(1) << 32;

    switch (cursor->event.what) {
    case TIMELINE_RUN:
        begin_run(steps, cursor, before);
        break;
    case TIMELINE_STATE:
        flush(steps, before);
        put_gap(steps, cursor);
        break;
    case TIMELINE_LOST:
        break;
    default:
        if (cursor->event.ticks < most)
            put_event(steps, &cursor->event, before);
    }
}

void put_timeline(struct record_writer *writer)
{
    const struct timeline *timeline = &writer->profile->timeline;
    struct steps steps = {.writer = writer, .left = timeline->lost};
    struct timeline_cursor cursor, before;

    if (timeline->hz <= 0)
        return;
    timeline_begin(&cursor, timeline);
    flush(&steps, &cursor);
    for (before = cursor; timeline_next(&cursor); before = cursor)
        put_any(&steps, &cursor, &before);
    flush(&steps, &cursor);
    steps.lost += (uint32_t)steps.left;
    put_state(&steps);
}
