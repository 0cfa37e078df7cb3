/* SPDX-License-Identifier: MIT */
/*
 * The timeline: what began to run when. Each event is a step, or a few, of 4 bytes; when
 * there are 8 of them, they become a record. All of this runs with interrupts masked.
 */
#include "mcuprof_port.h"

#define FN MCUPROF_NOT_PROFILED

#if MCUPROF_TIMELINE
enum {
    STEP_BITS = MCUPROF_WIRE_STEP_BITS,
    STEP_MASK = (1 << STEP_BITS) - 1,
    WORD_STEPS = 3, /* steps that hold a word */
    TASKS = 1 << MCUPROF_WIRE_STATE_TASK,
    HANDLER = 1 << MCUPROF_WIRE_STATE_TASK /* one handler more, in the state */
};

static inline __attribute__((always_inline)) FN struct mcuprof_timeline *timeline(void)
{
    struct mcuprof_timeline *t = &mcuprof_state.timeline;

    __asm__("" : "+r"(t)); /* one address for all of it */
    return t;
}

/* ---- Steps ---- */

/* How many steps hold a number; 0 for 0. */
static FN unsigned parts_of(uint32_t number)
{
    unsigned parts = 0;

    for (; number; number >>= STEP_BITS) {
        parts++;
    }
    return parts;
}

static FN void put_parts(struct mcuprof_timeline *t, unsigned code, uint32_t number)
{
    unsigned parts = parts_of(number);

    t->extra = (uint8_t)(t->extra + parts);
    while (parts--) {
        uint32_t bits = number;

        for (unsigned i = parts; i; i--) {
            bits >>= STEP_BITS;
        }
        *t->next++ = MCUPROF_WIRE_STEP(code, bits & STEP_MASK);
    }
}

static FN void lose(struct mcuprof_timeline *t)
{
    t->lost += t->limit != NULL; /* else it is stopped */
}

/* Sends the steps that wait; false: the event of now is lost, or the timeline stopped. */
static __attribute__((noinline)) FN bool make_room(struct mcuprof_timeline *t,
                                                   uint32_t now)
{
    if (t->limit && !mcuprof_put_steps()) {
        t->last = now;
        t->dropped = true;
        t->limit = t->next; /* no step may follow these */
        return false;
    }
    return t->limit != NULL;
}

static FN bool fits(struct mcuprof_timeline *t, unsigned steps, uint32_t now)
{
    return t->next + steps <= t->limit || make_room(t, now);
}

/* Notes an event whose ticks since the event before are too many for one step; false: the
 * event is lost. */
static __attribute__((noinline)) FN bool step_late(struct mcuprof_timeline *t,
                                                   unsigned code, uint32_t now)
{
    uint32_t ticks;

    if (!fits(t, WORD_STEPS, now)) {
        return false;
    }
    ticks = now - t->last;
    put_parts(t, MCUPROF_WIRE_STEP_LATER, ticks >> STEP_BITS);
    *t->next++ = MCUPROF_WIRE_STEP(code, ticks & STEP_MASK);
    t->last = now;
    return true;
}

/* Notes that time has passed until now; false: there is no room for that. */
static FN bool pass(struct mcuprof_timeline *t, uint32_t now)
{
    if (!step_late(t, MCUPROF_WIRE_STEP_NOTHING, now)) {
        return false;
    }
    t->extra++;
    return true;
}

/* Notes an event of now. */
static inline __attribute__((always_inline)) FN void step(struct mcuprof_timeline *t,
                                                          unsigned code)
{
    uint32_t now = MCUPROF_TIME(), ticks = now - t->last, *next = t->next;

    if (ticks >> STEP_BITS) {
        if (!step_late(t, code, now)) {
            lose(t);
        }
        return;
    }
    if (next >= t->limit) {
        if (!make_room(t, now)) {
            lose(t);
            return;
        }
        next = t->next;
    }
    t->last = now;
    *next++ = MCUPROF_WIRE_STEP(code, ticks);
    t->next = next;
}

_Static_assert(2 * WORD_STEPS + 1 <= MCUPROF_WIRE_STEPS, "a mark fits");

/* Notes an event that has an address and a number beside its code. */
static FN void step_of(struct mcuprof_timeline *t, unsigned code, uint32_t name,
                       uint32_t value)
{
    uint32_t now = MCUPROF_TIME();

    /* a long time is noted for itself, so that an event's steps always fit */
    if (((now - t->last) >> STEP_BITS && !pass(t, now)) ||
        !fits(t, parts_of(name) + parts_of(value) + 1, now)) {
        lose(t);
        return;
    }
    put_parts(t, MCUPROF_WIRE_STEP_NAME, name);
    put_parts(t, MCUPROF_WIRE_STEP_VALUE, value);
    *t->next++ = MCUPROF_WIRE_STEP(code, now - t->last);
    t->last = now;
}

/* ---- Events ---- */

FN void mcuprof_timeline_task(uint32_t number)
{
    struct mcuprof_timeline *t = timeline();

    if (number - 1 < MCUPROF_WIRE_STEP_TASKS) {
        step(t, MCUPROF_WIRE_STEP_TASK + number);
    } else {
        step_of(t, MCUPROF_WIRE_STEP_TASK_FAR, 0, number);
    }
    t->state = (t->state & ~(uint32_t)(TASKS - 1)) | number;
}

FN void mcuprof_timeline_ready(uint32_t number)
{
    step_of(timeline(), MCUPROF_WIRE_STEP_READY, 0, number);
}

#if !MCUPROF_BY_TASK
FN void mcuprof_task_ready(const void *key)
{
    (void)key;
}
#endif

FN void mcuprof_interrupt_enter(unsigned number)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    struct mcuprof_timeline *t = timeline();

    if (number == 0) {
        number = MCUPROF_INTERRUPT();
    }
    if (number <= MCUPROF_WIRE_STEP_IRQS) {
        step(t, MCUPROF_WIRE_STEP_IRQ + number);
    } else {
        step_of(t, MCUPROF_WIRE_STEP_IRQ_FAR, 0, number);
    }
    t->state += HANDLER;
    mcuprof_irq_restore(irq);
}

FN void mcuprof_interrupt_leave(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    struct mcuprof_timeline *t = timeline();

    if (t->state >= HANDLER) { /* else the handler began before mcuprof_start() */
        step(t, MCUPROF_WIRE_STEP_RETURN);
        t->state -= HANDLER;
    }
    mcuprof_irq_restore(irq);
}

static FN void mark(unsigned code, const char *name, uint32_t value)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    step_of(timeline(), code, MCUPROF_TEXT(name), value);
    mcuprof_irq_restore(irq);
}

FN void mcuprof_mark(const char *name, int32_t value)
{
    mark(MCUPROF_WIRE_STEP_MARK, name, (uint32_t)value);
}

FN void mcuprof_span_begin(const char *name)
{
    mark(MCUPROF_WIRE_STEP_BEGIN, name, 0);
}

FN void mcuprof_span_end(const char *name)
{
    mark(MCUPROF_WIRE_STEP_END, name, 0);
}

/* ---- Start ---- */

/* The steps that wait since the timeline was stopped are sent first. */
FN void mcuprof_timeline_start(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    struct mcuprof_timeline *t = timeline();

    t->hz = MCUPROF_TIME_HZ;
    t->last = MCUPROF_TIME();
    t->state = 0;
#if MCUPROF_BY_TASK
    t->state = mcuprof_state.task;
#endif
    t->told = false;
    if (t->next && t->next != t->step) {
        t->dropped = true;
        t->limit = t->next;
    } else {
        t->next = t->step;
        t->limit = t->step + MCUPROF_WIRE_STEPS;
        t->time = t->last;
        t->sent_state = t->state;
    }
    mcuprof_irq_restore(irq);
}

FN void mcuprof_timeline_stop(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    struct mcuprof_timeline *t = timeline();

    (void)pass(t, MCUPROF_TIME());
    t->limit = NULL;
    mcuprof_irq_restore(irq);
}
#else
FN void mcuprof_interrupt_enter(unsigned number)
{
    (void)number;
}

FN void mcuprof_interrupt_leave(void)
{
}

FN void mcuprof_mark(const char *name, int32_t value)
{
    (void)name;
    (void)value;
}

FN void mcuprof_span_begin(const char *name)
{
    (void)name;
}

FN void mcuprof_span_end(const char *name)
{
    (void)name;
}

FN void mcuprof_task_ready(const void *key)
{
    (void)key;
}
#endif
