/* SPDX-License-Identifier: MIT */
/*
 * GPTIMER's first timer is the time base, the examples' tick and, with BOARD_LINK_CYCLES,
 * a slow link for tests (the emulated UART takes any number of bytes at once). It counts
 * down, modulo 2^32, and interrupts when it passes 0. So it is set to the time until the
 * next alarm, and board_time_base is changed by as much, so that MCUPROF_TIME() does not
 * jump.
 */
#include "board.h"
#include "leon3.h"
#include "mcuprof_port.h"

/* An alarm at a time of MCUPROF_TIME(). */
struct alarm {
    uint32_t period; /* 0: off */
    uint32_t at;
    bool come;
};

static struct alarm link, tick;
static void (*tick_handler)(void);
volatile uint32_t board_time_base;

static MCUPROF_NOT_PROFILED bool has_come(struct alarm *alarm, uint32_t now)
{
    if (alarm->period && (int32_t)(alarm->at - now) <= 0) {
        alarm->come = true;
    }
    return alarm->come;
}

static MCUPROF_NOT_PROFILED uint32_t time_left(const struct alarm *alarm, uint32_t now)
{
    uint32_t left = alarm->at - now;

    if (alarm->period == 0 || alarm->come) {
        return INT32_MAX;
    }
    return (int32_t)left > 0 ? left : 1;
}

/* Sets the timer to the time left until the next alarm. Context: interrupts masked. */
static MCUPROF_NOT_PROFILED void set_timer(uint32_t now)
{
    uint32_t to_tick = time_left(&tick, now), to_link = time_left(&link, now);
    uint32_t before = TIMER_COUNTER(CLOCK_TIMER);

    TIMER_COUNTER(CLOCK_TIMER) = to_tick < to_link ? to_tick : to_link;
    board_time_base += TIMER_COUNTER(CLOCK_TIMER) - before;
}

/* Context: interrupts masked. */
static MCUPROF_NOT_PROFILED void set_alarm(struct alarm *alarm, uint32_t ticks)
{
    uint32_t now = MCUPROF_TIME();

    alarm->period = ticks;
    alarm->at = now + ticks;
    alarm->come = false;
    set_timer(now);
}

void board_tick(uint32_t microseconds, void (*handler)(void))
{
    mcuprof_irq irq = mcuprof_irq_mask();

    tick_handler = handler;
    set_alarm(&tick, microseconds * (MCUPROF_TIMER_HZ / 1000000u));
    mcuprof_irq_restore(irq);
}

void board_tick_entry(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t now = MCUPROF_TIME();
    bool come = has_come(&tick, now);

    if (come) {
        tick.come = false;
        do {
            tick.at += tick.period;
        } while ((int32_t)(tick.at - now) <= 0);
    }
    if (has_come(&link, now)) {
        IRQ_FORCE = 1u << LINK_IRQ; /* its level is below this one */
    }
    set_timer(now);
    mcuprof_irq_restore(irq);
    if (come) {
        tick_handler();
    }
}

#ifdef BOARD_LINK_CYCLES
enum { LINK_TICKS = (BOARD_LINK_CYCLES) / (CLOCK_HZ / MCUPROF_TIMER_HZ) };

void mcuprof_link_start(void)
{
    set_alarm(&link, LINK_TICKS);
}

void mcuprof_link_isr(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    bool come = has_come(&link, MCUPROF_TIME());

    if (come) {
        set_alarm(&link, LINK_TICKS);
    }
    mcuprof_irq_restore(irq);
    if (come) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            board_put((uint8_t)byte);
        }
    }
}

void mcuprof_link_idle(void)
{
    set_alarm(&link, 0);
}
#endif
