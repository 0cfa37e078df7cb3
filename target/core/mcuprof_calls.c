/* SPDX-License-Identifier: MIT */
/*
 * Timed calls: what -finstrument-functions calls at each function's entry and exit comes
 * here through the port's assembly. The calls that are not over are on a shadow stack; a
 * call that ends is added to the counter of its call site and callee.
 *
 * A shadow stack has a clock: the time base less all time that is not its calls'. An
 * interrupt's timed calls go on top of the shadow stack that it interrupted, whose
 * clock stands still meanwhile. The clock also stands still for the hooks: the cost of a
 * pair of them is measured at the start and taken off. The time to search or send a
 * counter is measured each time. So is the link's interrupt, except the part before and
 * after its readings of the clock, which is measured at the start.
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

/* Does the same where interrupts were let in, unless one of them has started the profiler
 * anew: `starts` is the number of starts before that. */
static inline FN void hide_of_start(uint32_t clock, uint16_t starts)
{
    if (!MCUPROF_LETS_IN || mcuprof_state.starts == starts) {
        mcuprof_hide(clock);
    }
}

/* Forgets the calls that were left by longjmp: those whose stack is gone. A call with
 * the same stack pointer stays: it may be the caller of a function that was expanded
 * inline. Lets interrupts in after each; these may leave calls so, or forget some. */
static __attribute__((noinline)) FN struct mcuprof_frame *
forget_left(struct mcuprof_stack *s, uintptr_t stack, mcuprof_irq irq)
{
    struct mcuprof_frame *top = s->top;
    uint32_t clock = mcuprof_clock();
    uint16_t starts = mcuprof_state.starts;

    while ((top->stack & ~MCUPROF_ROOT) < stack) {
        uint32_t children = top->children;

        mcuprof_call_lost();
        s->beyond = 0;
        top--;
        top->children += children;
#if MCUPROF_LETS_IN
        s->top = top;
        mcuprof_irq_let_in(irq);
        top = s->top;
#endif
    }
    s->top = top;
    (void)irq;
    hide_of_start(clock, starts);
    return top;
}

/* Whether this is an interrupt's first timed call. The call below it was interrupted,
 * and is not its caller. A function that is expanded inline in such a call has the same
 * site as the call, but also the same stack pointer, which tells the two apart. */
static inline __attribute__((always_inline)) FN bool is_root(uintptr_t below,
                                                             uintptr_t stack, void *site)
{
    return MCUPROF_IN_INTERRUPT(stack) &&
           (!MCUPROF_IN_INTERRUPT(below) ||
            (MCUPROF_IS_INTERRUPT((uintptr_t)site) && (below & ~MCUPROF_ROOT) != stack));
}

/* Sends the record of time, for the PC must have one in every 2^32 ticks; the next call
 * tries again where there is no room. */
static __attribute__((noinline)) FN void tell_time(mcuprof_irq irq)
{
    uint32_t clock = mcuprof_clock();
    uint16_t starts = mcuprof_state.starts;

    if (mcuprof_put_words(MCUPROF_PUT_TIME, irq)) {
        mcuprof_link_push();
    }
    hide_of_start(clock, starts);
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
        top = forget_left(s, stack, irq);
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
        uint32_t hidden = s->hidden;

        s->hidden = hidden + mcuprof_state.time.inside;
        if ((int32_t)(clock + hidden - mcuprof_state.time.told) < 0) {
            tell_time(irq);
        }
    }
    mcuprof_irq_restore(irq);
}

/* The frame of a call that ends, where that may not be the top one; NULL: the call has
 * none. Calls without a frame are above all that have one, so they end first, if they
 * end at all. */
static __attribute__((noinline)) FN struct mcuprof_frame *
frame_of(struct mcuprof_stack *s, uintptr_t stack, mcuprof_irq irq)
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
    top = forget_left(s, stack, irq);
    /* if only the base is left, the call began before the profiler; else it has lowered
     * its stack pointer since, as a function with an array of variable length does */
    return top->stack == BASE ? NULL : top;
}

/* Whether a pair of hooks whose counter is not at its own place can be measured: it can
 * if there are no counters, or if there is room for the counters of six pairs. */
#define MEASURES_MISSES (MCUPROF_ENTRIES == 0 || MCUPROF_ENTRIES >= 8)

/* Adds a call whose counter is not at its own place, and hides the time since the call
 * was over, at `now`, or at least the time that this function takes. Interrupts that it
 * lets in have hidden their timed calls by then. */
static __attribute__((noinline)) FN void add(mcuprof_key from, mcuprof_key to,
                                             uint32_t total, uint32_t self, uint32_t now,
                                             mcuprof_irq irq)
{
    uint32_t clock = MEASURES_MISSES ? now - mcuprof_state.costs.missed : mcuprof_clock();
    uint16_t starts = mcuprof_state.starts;

    if (MCUPROF_ENTRIES == 0 && mcuprof_state.time.hz == 0) { /* in measure() */
        mcuprof_state.time.inside += total; /* 0 once `inside` is taken off */
    } else {
        mcuprof_add_call(from, to, total, self, irq);
    }
#if MCUPROF_LETS_IN
    mcuprof_irq_let_in(irq);
#endif
    hide_of_start(clock, starts);
}

/* Takes a call that is over off the shadow stack, and counts it. */
static inline __attribute__((always_inline)) FN void
end_call(struct mcuprof_stack *s, struct mcuprof_frame *frame, mcuprof_key from,
         mcuprof_key to, uint32_t now, mcuprof_irq irq)
{
    uint32_t total = now - frame->entered, self = total - frame->children;

    if ((int32_t)self < 0) { /* ticks coarser than what is taken off: its caller pays */
        self = 0;
        total = frame->children;
    }
    s->top = frame - 1;
    if (frame->stack & MCUPROF_ROOT) {
        s->hidden += total;
        now -= total; /* by the clock as it is from here on */
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
    add(from, to, total, self, now, irq);
}

FN void mcuprof_exit(void *callee, void *site, uintptr_t stack)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t clock = mcuprof_clock();
    struct mcuprof_frame *frame = s->top;

    /* not the top one's? */
    if ((((frame->stack & ~MCUPROF_ROOT) ^ stack) | s->beyond) != 0) {
        frame = frame_of(s, stack, irq);
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
#ifndef MCUPROF_S_CALLS
    uint32_t cost = mcuprof_state.costs.link + mcuprof_state.costs.rest;

    mcuprof_state.costs.rest = cost % MCUPROF_LINK_PARTS;
    clock -= (uint32_t)((int32_t)cost >> MCUPROF_LINK_SHIFT);
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

/* Makes a pair at the next call site, which it computes before the two hooks. */
static inline __attribute__((always_inline)) FN char *next_pair(char *site, unsigned step)
{
    __asm__ volatile("" : "+r"(site) : : "memory");
    site += step;
    MCUPROF_PAIR(site);
    return site;
}

/* The time base, less what the profiler has hidden: that is measured each time. */
#ifdef MCUPROF_S_CALLS
#define NOT_HIDDEN() MCUPROF_TIME()
#else
#define NOT_HIDDEN() (MCUPROF_TIME() - mcuprof_state.time.other)
#endif

/* What four pairs took, beside what they have hidden: the time of one is taken off that
 * of five, so that reading the clock does not count. Their call sites are `step` bytes
 * apart. */
static __attribute__((noinline)) FN uint32_t four_pairs(char *site, unsigned step)
{
    uint32_t began = NOT_HIDDEN(), one;

    site = next_pair(site, step);
    one = NOT_HIDDEN();
    site = next_pair(site, step);
    site = next_pair(site, step);
    site = next_pair(site, step);
    site = next_pair(site, step);
    (void)next_pair(site, step);
    return NOT_HIDDEN() - one - (one - began);
}

#ifndef MCUPROF_S_CALLS
/* a / b, which is not large, because interrupts are masked. A Cortex-M0 has no
 * instruction for it, and the library's division would be another 276 bytes. */
static FN uint32_t quotient(uint32_t a, uint32_t b)
{
    uint32_t times = 0;

    for (; a >= 16 * b; a -= 16 * b) {
        times += 16;
        __asm__("" : "+r"(a)); /* else the compiler divides */
    }
    for (; a >= b; a -= b) {
        times++;
        __asm__("" : "+r"(a)); /* else the compiler divides */
    }
    return times;
}

/* Measures how much more a pair costs if its counter is not at its own place. Four pairs
 * whose counters are at their own places take `four`. */
static FN void measure_missed(char *site, uint32_t four)
{
#if MCUPROF_ENTRIES && MEASURES_MISSES
    struct mcuprof_entry *entry = mcuprof_state.entry;

    mcuprof_state.costs.missed =
        (uint32_t)((int32_t)(four_pairs(site, 16) - four + 2) >> 2);
    do {
        entry->count = 0;
        entry->to = 0;
    } while (++entry != mcuprof_state.entry + MCUPROF_ENTRIES);
#endif
    (void)site, (void)four;
    mcuprof_state.time.other = 0;
}

/* The clock goes on by so much for each interrupt that measure_link() lets in. */
#define LINK_MARK ((uint32_t)1 << 20)

/*
 * Measures the time that the link's interrupt takes beside the time that
 * mcuprof_link_entry() measures: its entry and its return, and the code around the two
 * readings of the clock. The link sends what is in the ring. The interrupts took the time
 * of the turns that had interrupts, less the time of as many turns that had none. Other
 * interrupts of the program make a turn long: a turn of more than twice the least does
 * not count. Called with interrupts masked; `irq` is the state before.
 */
static FN void measure_link(mcuprof_irq irq)
{
    uint32_t interrupts = 0, busy = 0, turns = 0, least = LINK_MARK;
    uint32_t idle = 0, idle_turns = 0, idle_least = LINK_MARK;
    uint32_t last = mcuprof_clock();

    mcuprof_state.costs.link = (uint32_t)0 - LINK_MARK * MCUPROF_LINK_PARTS;
    for (unsigned i = 0; i < 32 || (mcuprof_state.busy && interrupts < 16 && i < 0x8000);
         i++) {
        uint32_t took, count;

        mcuprof_irq_restore(irq);
        (void)mcuprof_irq_mask();
        took = mcuprof_clock() - last;
        last += took;
        count = took / LINK_MARK;
        if (count == 0) {
            idle_least = took < idle_least ? took : idle_least;
            if (took <= 2 * idle_least + 1) {
                idle += took;
                idle_turns++;
            }
            continue;
        }
        took %= LINK_MARK;
        if (took < least / 2) { /* the turns before were long */
            interrupts = busy = turns = 0;
        }
        least = took < least ? took : least;
        if (took <= (2 * least + 1) * count) {
            interrupts += count;
            busy += took;
            turns++;
        }
    }
    idle = idle_turns ? quotient(idle * turns, idle_turns) : 0;
    mcuprof_state.costs.link = /* 0 where the clock is too coarse to tell */
        busy > idle
            ? quotient(MCUPROF_LINK_PARTS * (busy - idle) + interrupts / 2, interrupts)
            : 0;
    mcuprof_state.costs.rest = 0;
    mcuprof_state.time.other = 0;
}
#endif

/* Measures what a pair of hooks costs if its counter is at its own place, the mean of
 * both if there are two: `inside` is the part that the pair takes for its call's time,
 * `outside` the rest. A first pair fills instruction caches. */
static FN void measure(char *site)
{
    struct mcuprof_time *time = &mcuprof_state.time;
    uint32_t took = 0;
#if MCUPROF_ENTRIES
    enum { PAIRS = 4 * MCUPROF_OWN };
    mcuprof_key from = MCUPROF_SITE(site), to = MCUPROF_CALLEE(mcuprof_calls_start);
    struct mcuprof_entry *counter = mcuprof_state.entry + mcuprof_own(from, to);
    uint32_t inside = 0;
#else
    enum { PAIRS = 4 };
#endif
    MCUPROF_PAIR(site);
    time->inside = time->other = 0;
#if MCUPROF_ENTRIES
    for (unsigned i = 0; i < MCUPROF_OWN; i++, counter++) {
        counter->from = from;
        counter->to = to;
        counter->count = 1;
        counter->total = 0;
        counter->shortest = (mcuprof_ticks)-1;
        counter->longest = 0;
#if MCUPROF_BY_TASK
        counter->task = mcuprof_what_runs();
#endif
        took += four_pairs(site, 0);
        inside += counter->total - counter->shortest - counter->longest;
        counter->count = 0;
        counter->from = 0; /* so that it is compared once, as most others there are */
        counter->to = 0;
    }
    time->inside = (inside + PAIRS / 2) / PAIRS;
#else
    took = four_pairs(site, 0);
#endif
    took -= PAIRS * time->inside;
    time->outside = (int32_t)took > 0 ? (took + PAIRS / 2) / PAIRS : 0;
#ifndef MCUPROF_S_CALLS
    time->other = 0;
    measure_missed(site, 4 * (time->inside + time->outside));
#endif
}

FN void mcuprof_set_now(void)
{
    struct mcuprof_time *time = &mcuprof_state.time;
    mcuprof_irq irq = mcuprof_irq_mask();

    if (mcuprof_state.hooks_on) {
        time->told = MCUPROF_TIME();
        time->now = time->told - time->started;
        time->hidden = time->other;
    } else {
        time->other = time->hidden;
    }
    mcuprof_irq_restore(irq);
}

FN void mcuprof_calls_stop(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    bool on = mcuprof_state.hooks_on != 0;

    mcuprof_set_now();
    mcuprof_state.hooks_on = 0;
#if MCUPROF_LETS_IN /* a hook that has let this in looks at its number alone */
    mcuprof_state.moves++;
#endif
#if MCUPROF_BY_TASK
    if (on) {
        mcuprof_tasks_stop(irq);
    }
#endif
    (void)on;
    mcuprof_irq_restore(irq);
}

FN void mcuprof_calls_go_on(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    if (!mcuprof_state.hooks_on) { /* another task may have started it meanwhile */
        mcuprof_set_now();
#if MCUPROF_BY_TASK
        mcuprof_tasks_start();
#endif
        mcuprof_state.time.told = MCUPROF_TIME();
        mcuprof_state.time.started = mcuprof_state.time.told - mcuprof_state.time.now;
        mcuprof_state.hooks_on = MCUPROF_ARCS_ON;
    }
    mcuprof_irq_restore(irq);
}

FN void mcuprof_new_stack(struct mcuprof_stack *s, struct mcuprof_frame *frames)
{
    frames[0].stack = BASE;
    s->top = frames;
    s->limit = frames + MCUPROF_DEPTH;
    s->hidden = 0;
    s->beyond = 0;
}

FN void mcuprof_calls_start(mcuprof_irq irq)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;

    mcuprof_state.starts++;
    mcuprof_new_stack(s, mcuprof_state.frame);
    if (mcuprof_state.time.hz == 0) {
        mcuprof_state.time.told = MCUPROF_TIME();
        mcuprof_state.hooks_on = MCUPROF_ARCS_ON;
        measure(__builtin_return_address(0));
        mcuprof_state.hooks_on = 0;
#ifndef MCUPROF_S_CALLS
        measure_link(irq);
#endif
        mcuprof_state.time.hz = MCUPROF_TIME_HZ;
    }
    mcuprof_irq_restore(irq);
}
#endif
