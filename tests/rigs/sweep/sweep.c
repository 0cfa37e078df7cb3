/* SPDX-License-Identifier: MIT */
/*
 * An interrupt comes at each instruction that the profiler executes. A timer is set to a
 * fixed time; the program waits some instructions and begins; the next time it waits one
 * instruction more. So the interrupt comes behind the end at first, then at each
 * instruction from the last to the first (where interrupts are masked, it waits), then
 * before the beginning. The program knows what was counted, and whether its registers
 * have changed. The tick outranks the link, so this needs MCUPROF_LINK_MASKED.
 *
 * STRIDE: 1 hits each instruction; n hits, beyond the last 64, each n-th. HANDLERS: the
 * interrupt does only the first so many of its actions. OPERATION: only this one, by its
 * number, is interrupted.
 */
#include "board.h"
#include "delay.h"
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "victim.h"

#ifndef STRIDE
#define STRIDE 1
#endif

/* What was counted or lost. Each call of the C functions is an event of a block. */
struct truth {
    unsigned calls, blocks;
};

static struct truth in_main, in_tick;
static volatile unsigned ticks;
static unsigned shots, within_all, incomplete, changed;
static unsigned exposed; /* ticks that found a record in the ring of an idle link */

/* Each is a call site of its own. */
static inline __attribute__((always_inline)) FN void call(struct truth *truth, uint32_t x)
{
#if MCUPROF_HOOKS
    unsigned counts = mcuprof_state.hooks_on != 0;

    truth->calls += counts;
    truth->blocks += counts;
#endif
    (void)truth;
    victim_mix(x, x);
}

/* ---- What the interrupt does ---- */

static FN void tick_calls(void)
{
    call(&in_tick, 1);
    call(&in_tick, 2);
}

static FN void tick_writes(void)
{
    call(&in_tick, 3);
    (void)mcuprof_write("i", 1);
}

static FN void tick_flushes(void)
{
    call(&in_tick, 4);
    mcuprof_flush();
}

#if !MCUPROF_CALLS && MCUPROF_HOOKS
/* Timed calls are left out: those that have not ended would be forgotten. */
static FN void tick_stops_and_starts(void)
{
    call(&in_tick, 5);
    if (mcuprof_state.hooks_on) {
        mcuprof_stop();
        call(&in_tick, 6);
        mcuprof_start();
    }
}
#endif

static void (*const handlers[])(void) = {
    tick_calls,
    tick_writes,
    tick_flushes,
#if !MCUPROF_CALLS && MCUPROF_HOOKS
    tick_stops_and_starts,
#endif
};
#ifndef HANDLERS /* an interrupt that outranks sampling must neither flush nor start */
#if defined(BOARD_SAMPLING_PRIORITY) && BOARD_SAMPLING_PRIORITY > 2
#define HANDLERS 2
#else
#define HANDLERS (sizeof handlers / sizeof handlers[0])
#endif
#endif

static unsigned handler;

/* A link's interrupt that comes for another reason must not find a record that the link
 * was not started for: sampling might send the same byte. Sampling itself, which outranks
 * the link, may append one. */
static FN void look_at_link(void)
{
#if !defined(BOARD_SAMPLING_PRIORITY) || BOARD_SAMPLING_PRIORITY <= 2
    mcuprof_irq irq = mcuprof_irq_mask();

    exposed += !mcuprof_state.busy && mcuprof_state.head != mcuprof_state.tail;
    mcuprof_irq_restore(irq);
#endif
}

static FN void on_tick(void)
{
    look_at_link();
    board_tick(0, 0);
    handlers[handler]();
    ticks++;
}

/* ---- What it interrupts ---- */

static FN void nothing(void)
{
}

static FN void victim(void)
{
    in_main.calls += VICTIM_CALLS;
    in_main.blocks += VICTIM_BLOCKS;
    changed += victim_changed();
}

static FN void write_text(void)
{
    (void)mcuprof_write("text", 4);
}

/* Two calls whose counters, and those of the tick's calls, make room for each other. */
static FN void other_calls(void)
{
    call(&in_main, 7);
    call(&in_main, 8);
}

#if MCUPROF_SAMPLES
/* Takes a sample. Where the tick outranks sampling, it interrupts this. */
static __attribute__((noinline, noclone, noipa)) FN unsigned sample(unsigned depth)
{
    if (depth > 0) {
        return sample(depth - 1) + 1;
    }
    unsigned before = board_samples;

    mcuprof_timer_start(MCUPROF_TIMER_HZ / 20000u);
    while (board_samples == before) {
    }
    return 0;
}

static FN void take_sample(void)
{
    (void)sample(4);
}

static FN void sample_seldom(void)
{
    mcuprof_timer_start(MCUPROF_PERIOD);
}

#if !MCUPROF_HOOKS
/* Takes samples at as many addresses, so that each counter has one. */
static FN void fill_counters(void)
{
    unsigned before = board_samples, turns = 0;

    mcuprof_timer_start(MCUPROF_TIMER_HZ / 50000u);
    while (board_samples - before < 4 * MCUPROF_ENTRIES) {
        delay(0, turns++ % DELAY_STEPS);
    }
    sample_seldom();
}
#endif
#endif

#if MCUPROF_TASKS
static FN void switch_task(void)
{
    static const char key[2];
    static unsigned number;

    number++;
    mcuprof_task_switch(&key[number % 2], number % 2 ? "odd" : "even", false);
}
#endif

#if MCUPROF_TIMELINE
static FN void mark(void)
{
    static const char name[] = "mark";

    mcuprof_mark(name, 1);
    mcuprof_span_begin(name);
    mcuprof_span_end(name);
}
#endif

static const struct {
    const char *name;
    void (*before)(void), (*run)(void), (*after)(void);
    unsigned handlers; /* only the first so many are used */
} operations[] = {
    {"victim", nothing, victim, nothing, HANDLERS},
    {"calls", nothing, other_calls, nothing, HANDLERS},
    {"write", nothing, write_text, nothing, HANDLERS},
    {"flush", nothing, mcuprof_flush, nothing, HANDLERS},
    {"start", mcuprof_stop, mcuprof_start, nothing, HANDLERS},
    {"stop", nothing, mcuprof_stop, mcuprof_start, HANDLERS},
#if MCUPROF_SAMPLES
    {"sample", nothing, take_sample, sample_seldom, HANDLERS < 2 ? 1 : 2},
#endif
#if MCUPROF_TASKS
    {"switch", nothing, switch_task, nothing, HANDLERS},
#endif
#if MCUPROF_TIMELINE
    {"mark", nothing, mark, nothing, HANDLERS},
#endif
#if !MCUPROF_HOOKS
    {"full flush", fill_counters, mcuprof_flush, nothing, 0}, /* nothing counts a tick */
#endif
};
enum {
#ifdef OPERATION
    FIRST_OPERATION = OPERATION,
    OPERATIONS = OPERATION + 1
#else
    OPERATIONS = sizeof operations / sizeof operations[0],
    FIRST_OPERATION = MCUPROF_HOOKS ? 0 : OPERATIONS - 1 /* what counts samples alone */
#endif
};

/* ---- One shot ---- */

enum { BEFORE, WITHIN, AFTER };

/* In simavr a timer 1 that is started anew sometimes interrupts at once. */
#if defined(__AVR__)
#define SAMPLE_SHOOTS 0
#else
#define SAMPLE_SHOOTS MCUPROF_SAMPLES
#endif

static unsigned shot_us;

/* The interrupt that shoots: the tick's, or the sampling interrupt. */
struct gun {
    volatile unsigned *fired;
    void (*load)(void);
};

static FN void load_tick(void)
{
    board_tick(shot_us, on_tick);
}

#if SAMPLE_SHOOTS
static FN void load_sample(void)
{
    mcuprof_timer_start(shot_us * (MCUPROF_TIMER_HZ / 1000000u));
}
#endif

static FN unsigned shoot(const struct gun *gun, unsigned operation, uint32_t instructions)
{
    unsigned fired, at_start, at_end;

    operations[operation].before();
    while (mcuprof_state.busy) { /* else the link's interrupts would move the shot */
    }
    fired = *gun->fired;
    gun->load();
    delay((unsigned)(instructions / DELAY_STEPS), instructions % DELAY_STEPS);
    at_start = *gun->fired;
    operations[operation].run();
    at_end = *gun->fired;
    /* a timer that was stopped will not fire */
    for (unsigned i = 0; i < shot_us && *gun->fired == fired; i++) {
        delay(1, 0);
    }
    operations[operation].after();
    shots++;
    return at_start != fired ? BEFORE : at_end != fired ? WITHIN : AFTER;
}

/* Shoots at an operation, from its end to its beginning. */
static FN void sweep(const struct gun *gun, unsigned operation)
{
    enum { FIRST_US = 64, LAST_US = 1024, SURE = DELAY_STEPS };
    unsigned within = 0, before = 0;
    uint32_t at = 0, limit;

    shot_us = FIRST_US;
    while (shot_us < LAST_US && shoot(gun, operation, 0) != AFTER) {
        shot_us *= 2;
    }
    shot_us *= 2; /* another time it may take longer */
    limit = (uint32_t)64 * shot_us;
    for (unsigned coarse = 1024; coarse >= DELAY_STEPS; coarse /= 4) {
        while (at < limit && shoot(gun, operation, at) == AFTER) {
            at += coarse;
        }
        at = at > 2 * coarse ? at - 2 * coarse : 0;
    }
    while (at < limit && before < SURE) {
        unsigned step = within > DELAY_STEPS ? STRIDE : 1;
        unsigned came = shoot(gun, operation, at);

        within += came == WITHIN;
        before = came == BEFORE ? before + step : 0;
        at += step;
    }
    within_all += within;
    if (within == 0 || before < SURE) {
        incomplete++;
    }
    board_printf("%s: %u within, %u us\n", operations[operation].name, within, shot_us);
}

FN int main(void)
{
    static const struct gun tick = {&ticks, load_tick};
#if SAMPLE_SHOOTS
    static const struct gun sample = {&board_samples, load_sample};
#endif
    mcuprof_start();
    for (unsigned each = FIRST_OPERATION; each < OPERATIONS; each++) {
        for (handler = 0; handler < operations[each].handlers; handler++) {
            sweep(&tick, each);
        }
#if SAMPLE_SHOOTS
        if (operations[each].run != take_sample) { /* take_sample sets the timer itself */
            sweep(&sample, each);
        }
#endif
    }
    mcuprof_end();
    board_printf("\nshots %u\nwithin %u\nincomplete %u\nchanged %u\ncalls %u\nblocks %u\n"
                 "samples %u\nexposed %u\n",
                 shots, within_all, incomplete, changed, in_main.calls + in_tick.calls,
                 in_main.blocks + in_tick.blocks, board_samples, exposed);
    return 0;
}
