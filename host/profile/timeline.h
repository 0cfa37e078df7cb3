/* SPDX-License-Identifier: MIT */
/*
 * The timeline: what ran when, and the user's marks. It is kept as a string of bytes,
 * about 4 for each event, so that 10^7 events take as much memory as their capture;
 * timeline_next() reads it from the beginning on. What was lost leaves a gap in which
 * nobody knows what ran.
 */
#ifndef MCUPROF_HOST_TIMELINE_H
#define MCUPROF_HOST_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum timeline_what {
    TIMELINE_RUN,     /* a run of the firmware begins, at `ticks` of its clock */
    TIMELINE_STATE,   /* what ran since the last event is not known; what runs now is */
    TIMELINE_TASK,    /* a task runs from now on, beneath the interrupts */
    TIMELINE_ENTER,   /* an interrupt's handler begins */
    TIMELINE_RETURN,  /* the last handler that began returns */
    TIMELINE_READY,   /* a task may run */
    TIMELINE_MARK,    /* the user's: a value */
    TIMELINE_BEGIN,   /* the user's: a span begins */
    TIMELINE_END,     /* the user's: the span ends */
    TIMELINE_NOTHING, /* time passes */
    TIMELINE_LOST,    /* nobody knows what runs from now on */
    TIMELINE_WHATS
};

struct timeline_event {
    enum timeline_what what;
    uint64_t ticks;    /* since the event before */
    uint32_t number;   /* STATE, TASK, READY: of the task; ENTER: TASK_INTERRUPT + that of
                          the interrupt */
    uint32_t handlers; /* STATE: how many have begun, nobody knows which */
    uint32_t name;     /* MARK, BEGIN, END: the address of its text */
    int32_t value;     /* MARK */
};

struct timeline {
    double hz; /* of the ticks; 0: there is no timeline */
    uint64_t received;
    uint64_t lost;    /* dropped by the firmware or on the line */
    uint64_t earlier; /* before the recording began, where that began late */
    uint8_t *bytes;   /* private, as are the next two */
    size_t used, allocated;
};

void timeline_release(struct timeline *timeline);

/* false: out of memory. */
bool timeline_add(struct timeline *timeline, const struct timeline_event *event);

/* How deep handlers are followed that interrupt one another; deeper ones are not known.
 */
enum { TIMELINE_NESTED = 32 };

/* A place in the timeline, and what holds there. */
struct timeline_cursor {
    struct timeline_event event; /* the last one */
    uint64_t time;               /* of the event, by its run's clock */
    uint32_t before;             /* what ran from `since` until the event */
    uint32_t running;  /* what runs now: a task's number, TASK_INTERRUPT + an interrupt's,
                          or TASK_UNKNOWN */
    uint64_t since;    /* when the event before was */
    bool known;        /* the next two are known: */
    uint32_t task;     /* what runs beneath the interrupts */
    uint32_t handlers; /* how many have begun */
    /* private: */
    const struct timeline *timeline;
    size_t at;
    uint32_t handler[TIMELINE_NESTED]; /* TASK_UNKNOWN: which is not known */
};

/* Puts the cursor before the first event. */
void timeline_begin(struct timeline_cursor *cursor, const struct timeline *timeline);

/* Goes on to the next event; false: there is none. */
bool timeline_next(struct timeline_cursor *cursor);

#endif
