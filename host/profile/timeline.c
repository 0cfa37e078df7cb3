/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include <stdlib.h>

#include "../base/vector.h"
#include "profile.h"

/* An event is a byte that says what it is, then numbers: seven bits in a byte, lowest
 * first, with the top bit set where more follow. */
static bool put_byte(struct timeline *timeline, uint8_t byte)
{
    if (!vector_grow(&timeline->bytes, timeline->used, &timeline->allocated, 1))
        return false;
    timeline->bytes[timeline->used++] = byte;
    return true;
}

static bool put_number(struct timeline *timeline, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        if (!put_byte(timeline, (uint8_t)(number | 0x80)))
            return false;
    return put_byte(timeline, (uint8_t)number);
}

static uint64_t take_number(struct timeline_cursor *cursor)
{
    const struct timeline *timeline = cursor->timeline;
    uint64_t number = 0;
    unsigned shift = 0;
    while (cursor->at < timeline->used) {
        uint8_t byte = timeline->bytes[cursor->at++];
        number |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
        if (byte < 0x80 || shift > 63)
            break;
    }
    return number;
}

/* Bits that say what an event has beside its time. */
enum has { NUMBER = 1, HANDLERS = 2, NAME = 4, VALUE = 8 };
static const uint8_t has[TIMELINE_WHATS] = {
    [TIMELINE_STATE] = NUMBER | HANDLERS,
    [TIMELINE_TASK] = NUMBER,
    [TIMELINE_ENTER] = NUMBER,
    [TIMELINE_READY] = NUMBER,
    [TIMELINE_MARK] = NAME | VALUE,
    [TIMELINE_BEGIN] = NAME,
    [TIMELINE_END] = NAME,
};

void timeline_release(struct timeline *timeline)
{
    free(timeline->bytes);
    *timeline = (struct timeline){.bytes = NULL};
}

bool timeline_add(struct timeline *timeline, const struct timeline_event *event)
{
    uint8_t with = has[event->what];
    return put_byte(timeline, (uint8_t)event->what) &&
           put_number(timeline, event->ticks) &&
           (!(with & NUMBER) || put_number(timeline, event->number)) &&
           (!(with & HANDLERS) || put_number(timeline, event->handlers)) &&
           (!(with & NAME) || put_number(timeline, event->name)) &&
           (!(with & VALUE) || put_number(timeline, (uint32_t)event->value));
}

void timeline_begin(struct timeline_cursor *cursor, const struct timeline *timeline)
{
    *cursor = (struct timeline_cursor){
        .before = TASK_UNKNOWN, .running = TASK_UNKNOWN, .timeline = timeline};
}

static struct timeline_event take_event(struct timeline_cursor *cursor)
{
    struct timeline_event event = {.what = (enum timeline_what)take_number(cursor)};
    uint8_t with = has[event.what];
    event.ticks = take_number(cursor);
    if (with & NUMBER)
        event.number = (uint32_t)take_number(cursor);
    if (with & HANDLERS)
        event.handlers = (uint32_t)take_number(cursor);
    if (with & NAME)
        event.name = (uint32_t)take_number(cursor);
    if (with & VALUE)
        event.value = (int32_t)take_number(cursor);
    return event;
}

static void enter(struct timeline_cursor *cursor, uint32_t handler)
{
    if (cursor->handlers < TIMELINE_NESTED)
        cursor->handler[cursor->handlers] = handler;
    cursor->handlers++;
}

static void change(struct timeline_cursor *cursor, const struct timeline_event *event)
{
    switch (event->what) {
    case TIMELINE_RUN:
    case TIMELINE_LOST:
        cursor->known = false;
        break;
    case TIMELINE_STATE:
        cursor->known = true;
        cursor->task = event->number;
        cursor->handlers = event->handlers;
        for (size_t i = 0; i < TIMELINE_NESTED; i++)
            cursor->handler[i] = TASK_UNKNOWN;
        break;
    case TIMELINE_TASK:
        cursor->task = event->number;
        break;
    case TIMELINE_ENTER:
        enter(cursor, event->number);
        break;
    case TIMELINE_RETURN:
        cursor->handlers -= cursor->handlers > 0;
        break;
    default:
        break;
    }
}

static uint32_t runs(const struct timeline_cursor *cursor)
{
    if (!cursor->known || cursor->handlers > TIMELINE_NESTED)
        return TASK_UNKNOWN;
    return cursor->handlers > 0 ? cursor->handler[cursor->handlers - 1] : cursor->task;
}

bool timeline_next(struct timeline_cursor *cursor)
{
    if (cursor->at >= cursor->timeline->used)
        return false;
    cursor->event = take_event(cursor);
    cursor->since = cursor->time;
    cursor->time += cursor->event.ticks;
    if (cursor->event.what == TIMELINE_RUN)
        cursor->since = cursor->time = cursor->event.ticks;
    cursor->before =
        cursor->event.what == TIMELINE_STATE ? TASK_UNKNOWN : cursor->running;
    change(cursor, &cursor->event);
    cursor->running = runs(cursor);
    return true;
}
