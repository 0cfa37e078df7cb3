/* SPDX-License-Identifier: MIT */
/*
 * Timed calls: what -finstrument-functions calls at each function's entry and exit comes
 * here through the port's assembly. The calls that are not over are on a shadow stack; a
 * call that ends is added to the counter of its call site and callee.
 *
 * A shadow stack has a clock: the time base less all that is no time of its calls. An
 * interrupt's timed calls go on top of the shadow stack that it interrupted, whose
 * clock stands still meanwhile. The clock also stands still for the hooks: what a pair
 * of them costs is measured at the start and taken off; the time to search or send a
 * counter is measured each time.
 */
#include "mcuprof_port.h"

#if MCUPROF_CALLS
#define FN MCUPROF_NOT_PROFILED

_Static_assert(MCUPROF_DEPTH >= 1 && MCUPROF_DEPTH <= 4096, "MCUPROF_DEPTH: 1 to 4096");

/* The stack pointer of the frame below all calls. */
#define BASE (UINTPTR_MAX & ~(uintptr_t)3)

#ifndef MCUPROF_S_CALLS
FN void mcuprof_hide(uint32_t clock)
{
    mcuprof_hide_ticks(mcuprof_clock() - clock);
}

/* Forgets the calls that were left by longjmp: those whose stack is gone. A call with
 * the same stack pointer stays: it may be the caller of a function that was expanded
 * inline. */
static __attribute__((noinline)) FN struct mcuprof_frame *
forget_left(struct mcuprof_stack *s, uintptr_t stack)
{
    struct mcuprof_frame *top = s->top;
    uint32_t clock = mcuprof_clock();

    while ((top->stack & ~MCUPROF_ROOT) < stack) {
        uint32_t children = top->children;

        mcuprof_call_lost();
        s->beyond = 0;
        top--;
        top->children += children;
    }
    s->top = top;
    mcuprof_hide(clock);
    return top;
}

/* Whether this is an interrupt's first timed call. The call below it was interrupted,
 * and is not its caller. A function that is expanded inline in such a call has the same
 * site, but is told from it by having the same stack pointer, too. */
static inline __attribute__((always_inline)) FN bool is_root(uintptr_t below,
                                                             uintptr_t stack, void *site)
{
    return MCUPROF_IN_INTERRUPT(stack) &&
           (!MCUPROF_IN_INTERRUPT(below) ||
            (MCUPROF_IS_INTERRUPT((uintptr_t)site) && (below & ~MCUPROF_ROOT) != stack));
}

FN void mcuprof_enter(void *callee, void *site, uintptr_t stack)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t clock = mcuprof_clock();
    struct mcuprof_frame *top = s->top;

    (void)callee;
    if (is_root(top->stack, stack, site)) {
        stack |= MCUPROF_ROOT;
    } else if (top->stack < stack) {
        top = forget_left(s, stack);
    }
    if (top == s->limit) {
        s->beyond += s->beyond != ~0u;
        mcuprof_call_lost();
        mcuprof_hide(clock);
    } else {
        top++;
        top->stack = stack;
        top->entered = clock;
        top->children = 0;
        s->top = top;
        s->hidden += mcuprof_state.time.inside;
    }
    mcuprof_irq_restore(irq);
}

/* The frame of a call that ends, where that may not be the top one; NULL: the call has
 * none. Calls without a frame are above all that have one, so they end first, if they
 * end at all. */
static __attribute__((noinline)) FN struct mcuprof_frame *
frame_of(struct mcuprof_stack *s, uintptr_t stack)
{
    struct mcuprof_frame *top = s->top;
    bool interrupt = MCUPROF_IN_INTERRUPT(stack),
         before = MCUPROF_IN_INTERRUPT(top->stack);

    if (s->beyond && (interrupt != before || (top->stack & ~MCUPROF_ROOT) >= stack)) {
        s->beyond--;
        return NULL;
    }
    if (interrupt && !before) {
        return NULL; /* it began in another task */
    }
    top = forget_left(s, stack);
    /* if only the base is left, the call began before the profiler; else it has lowered
     * its stack pointer since, as a function with an array of variable length does */
    return top->stack == BASE ? NULL : top;
}

/* Adds a call whose counter is not at its own place. */
static __attribute__((noinline)) FN void
add(mcuprof_key from, mcuprof_key to, uint32_t total, uint32_t self, mcuprof_irq irq)
{
    uint32_t clock = mcuprof_clock();

    if (MCUPROF_ENTRIES == 0 && mcuprof_state.time.hz == 0) { /* in measure() */
        mcuprof_state.time.inside += total; /* 0 once `inside` is taken off */
        return;
    }
    mcuprof_add_call(from, to, total, self, irq);
    mcuprof_hide(clock);
}

/* Takes a call that is over off the shadow stack, and counts it. */
static inline __attribute__((always_inline)) FN void
end_call(struct mcuprof_stack *s, struct mcuprof_frame *frame, mcuprof_key from,
         mcuprof_key to, uint32_t now, mcuprof_irq irq)
{
    uint32_t total = now - frame->entered, self = total - frame->children;

    if ((int32_t)self < 0) { /* ticks coarser than what is taken off */
        self = 0;
        total = (int32_t)total < 0 ? 0 : total;
    }
    s->top = frame - 1;
    if (frame->stack & MCUPROF_ROOT) {
        s->hidden += total;
    } else {
        frame[-1].children += total;
    }
#if MCUPROF_BY_TASK
    mcuprof_state.context = mcuprof_what_runs();
#endif
#if MCUPROF_ENTRIES
    struct mcuprof_entry *own = mcuprof_state.entry + mcuprof_own(from, to);

    for (unsigned i = 0; i < MCUPROF_OWN; i++, own++) {
        if (own->from == from && own->to == to && MCUPROF_OF_CONTEXT(own) &&
            mcuprof_call_fits(own, total)) {
            mcuprof_call_into(own, total, self);
            return;
        }
    }
#endif
    add(from, to, total, self, irq);
}

FN void mcuprof_exit(void *callee, void *site, uintptr_t stack)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t clock = mcuprof_clock();
    struct mcuprof_frame *frame = s->top;

    /* not the top one's? */
    if ((((frame->stack & ~MCUPROF_ROOT) ^ stack) | s->beyond) != 0) {
        frame = frame_of(s, stack);
    }
    if (frame) {
        end_call(s, frame, MCUPROF_SITE(site), MCUPROF_CALLEE(callee), clock, irq);
        s->hidden += mcuprof_state.time.outside;
    } else {
        mcuprof_hide(clock);
    }
    mcuprof_irq_restore(irq);
}
#endif

FN void mcuprof_link_entry(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t clock = mcuprof_clock();

#if MCUPROF_LINK_MASKED
    mcuprof_link_isr();
#else
    mcuprof_irq_restore(irq);
    mcuprof_link_isr();
    irq = mcuprof_irq_mask();
#endif
    mcuprof_hide(clock);
    mcuprof_irq_restore(irq);
}

/* ---- Start ---- */

#ifndef MCUPROF_PAIR
#define MCUPROF_PAIR(site) pair(site)
/* A call of a function that does nothing, as compiled with the hooks. */
static inline __attribute__((always_inline)) FN void pair(void *site)
{
    __cyg_profile_func_enter((void *)(uintptr_t)mcuprof_calls_start, site);
    __cyg_profile_func_exit((void *)(uintptr_t)mcuprof_calls_start, site);
}
#endif

/* Measures what a pair of hooks costs if its counter is at its own place: `inside` is
 * the part that the pair takes for its call's time, `outside` the rest. A first pair
 * fills instruction caches; then the time of one pair is taken off that of five, so
 * that reading the clock does not count. */
static FN void measure(void *site)
{
    uint32_t began, one, six;
    int32_t four;
#if MCUPROF_ENTRIES
    mcuprof_key from = MCUPROF_SITE(site), to = MCUPROF_CALLEE(mcuprof_calls_start);
    struct mcuprof_entry *counter = mcuprof_state.entry + mcuprof_own(from, to);
#endif
    mcuprof_state.hooks_on = MCUPROF_ARCS_ON;
    MCUPROF_PAIR(site);
    mcuprof_state.time.inside = mcuprof_state.time.other = 0;
#if MCUPROF_ENTRIES
    counter->from = from;
    counter->to = to;
    counter->count = 1;
    counter->total = 0;
    counter->shortest = (mcuprof_ticks)-1;
    counter->longest = 0;
#if MCUPROF_BY_TASK
    counter->task = mcuprof_what_runs();
#endif
#endif
    began = MCUPROF_TIME();
    MCUPROF_PAIR(site);
    one = MCUPROF_TIME();
    MCUPROF_PAIR(site);
    MCUPROF_PAIR(site);
    MCUPROF_PAIR(site);
    MCUPROF_PAIR(site);
    MCUPROF_PAIR(site);
    six = MCUPROF_TIME();
    mcuprof_state.hooks_on = 0;
#if MCUPROF_ENTRIES
    mcuprof_state.time.inside =
        (counter->total - counter->shortest - counter->longest + 2) / 4;
    counter->count = 0;
    counter->to = 0;
#endif
    four = (int32_t)(six - one - (one - began) - 4 * mcuprof_state.time.inside);
    mcuprof_state.time.outside = four > 0 ? (uint32_t)(four + 2) / 4 : 0;
}

FN void mcuprof_new_stack(struct mcuprof_stack *s, struct mcuprof_frame *frames)
{
    frames[0].stack = BASE;
    s->top = frames;
    s->limit = frames + MCUPROF_DEPTH;
    s->hidden = 0;
    s->beyond = 0;
}

FN void mcuprof_calls_start(void)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_state.starts++;
    mcuprof_new_stack(s, mcuprof_state.frame);
    if (mcuprof_state.time.hz == 0) {
        measure(__builtin_return_address(0));
        mcuprof_state.time.hz = MCUPROF_TIME_HZ;
        mcuprof_state.time.started = MCUPROF_TIME();
    }
#if MCUPROF_BY_TASK
    mcuprof_tasks_start();
#endif
    mcuprof_irq_restore(irq);
}
#endif
