/* SPDX-License-Identifier: MIT */
/* The encoder of the timeline. It is a part of mcuprof.c alone. */
#ifndef MCUPROF_TIMELINE_ENCODER_H
#define MCUPROF_TIMELINE_ENCODER_H

#include "mcuprof_account.h"

#if MCUPROF_TIMELINE
/* A value of 3 groups for each step. */
#define STEPS_LAYOUT 0x1249249u
_Static_assert(STEPS_LAYOUT >> MCUPROF_WIRE_STEPS * MCUPROF_WIRE_STEP_GROUPS == 1, "");
enum { STEPS_BYTES = 2 + MCUPROF_WIRE_STEPS * MCUPROF_WIRE_STEP_GROUPS };
_Static_assert((int)STEPS_BYTES <= (int)MCUPROF_RECORD_BYTES_MAX, "");

#ifdef MCUPROF_S_PUT
/* Appends the record of these 8 steps, for which there is room. */
void mcuprof_put_timeline_steps(const uint32_t *step);
#endif

/* Appends a record of what runs before the steps that wait; false: no room now. */
static __attribute__((noinline)) FN bool put_state(struct mcuprof_timeline *t)
{
    if (!room(MCUPROF_RECORD_BYTES_MAX)) {
        return false;
    }
    t->told = true;
    put_record(MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STATE), &t->hz,
               WORDS_LAYOUT(MCUPROF_WIRE_STATE_WORDS), MCUPROF_IRQ_MASKED);
    return true;
}

static FN void put_steps(const struct mcuprof_timeline *t)
{
#ifdef MCUPROF_S_PUT
    if (mcuprof_state.head < MCUPROF_RING_BYTES - STEPS_BYTES) {
        mcuprof_put_timeline_steps(t->step);
        return;
    }
#endif
    put_record(MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STEPS), t->step,
               STEPS_LAYOUT, MCUPROF_IRQ_MASKED);
}

/* Sends the steps. Steps that fill up the record are no events. */
static FN void send_steps(struct mcuprof_timeline *t)
{
    uint32_t *end = t->step + MCUPROF_WIRE_STEPS;

    t->sent += (uint32_t)(t->next - t->step) - t->extra;
    while (t->next != end) {
        *t->next++ = MCUPROF_WIRE_STEP_NOTHING;
    }
    put_steps(t);
    t->next = t->step;
    t->extra = 0;
    t->time = t->last;
    t->sent_state = t->state;
    if (t->dropped) { /* what happened since the last step is lost */
        t->dropped = t->told = false;
        if (t->limit) {
            t->limit = end;
        }
    }
}

FN bool mcuprof_put_steps(void)
{
    struct mcuprof_timeline *t = &mcuprof_state.timeline;

    __asm__("" : "+r"(t)); /* one address for all of it */
    if (MCUPROF_SAYING() ||
        (!mcuprof_put_due(MCUPROF_IRQ_MASKED) && MCUPROF_STILL_DUE()) ||
        (!t->told && !put_state(t)) || !room(MCUPROF_RECORD_BYTES_MAX)) {
        return false;
    }
    send_steps(t);
    return true;
}

FN bool mcuprof_put_timeline(uintptr_t unused, mcuprof_irq irq)
{
    struct mcuprof_timeline *t = &mcuprof_state.timeline;

    (void)unused;
    (void)irq;
    return (t->next == t->step || mcuprof_put_steps()) && put_state(t);
}
#endif

#endif
