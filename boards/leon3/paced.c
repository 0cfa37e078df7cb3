/* SPDX-License-Identifier: MIT */
/*
 * A slow link for tests: the emulated UART takes any number of bytes at once, so here one
 * byte goes out every BOARD_LINK_CYCLES. GPTIMER's first timer does for both, this and
 * the examples' tick, at the period of the shorter.
 */
#ifdef BOARD_LINK_CYCLES
#include "board.h"
#include "leon3.h"
#include "mcuprof_port.h"

enum { LINK_TICKS = (BOARD_LINK_CYCLES) / (CLOCK_HZ / MCUPROF_TIMER_HZ) };

/* What is to happen every `period` ticks: 0, not at all. */
static struct event {
    int32_t period, left;
    volatile bool due;
} link, tick;
static int32_t period;
static void (*tick_handler)(void);

static MCUPROF_NOT_PROFILED void elapse(struct event *event)
{
    event->left -= period;
    if (event->period && event->left <= 0) {
        event->left += event->period;
        event->due = true;
    }
}

/* Context: interrupts masked. */
static MCUPROF_NOT_PROFILED void look_at_timer(void)
{
    if (TIMER_CONTROL(TICK_TIMER) & TIMER_PENDING) {
        TIMER_CONTROL(TICK_TIMER) = TIMER_RUN | TIMER_PENDING;
        elapse(&link);
        elapse(&tick);
    }
}

/* Context: interrupts masked. */
static MCUPROF_NOT_PROFILED void set_period(struct event *event, uint32_t ticks)
{
    event->period = event->left = (int32_t)ticks;
    event->due = false;
    period = tick.period;
    if (link.period && (period == 0 || link.period < period)) {
        period = link.period;
    }
    if (period == 0) {
        TIMER_CONTROL(TICK_TIMER) = 0;
    } else {
        timer_start(TICK_TIMER, (uint32_t)period);
    }
}

void mcuprof_link_start(void)
{
    set_period(&link, LINK_TICKS);
}

void mcuprof_link_isr(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    bool due;

    look_at_timer();
    due = link.due;
    link.due = false;
    mcuprof_irq_restore(irq);
    if (due) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            board_put((uint8_t)byte);
        }
    }
}

void mcuprof_link_idle(void)
{
    set_period(&link, 0);
}

void board_tick(uint32_t microseconds, void (*handler)(void))
{
    mcuprof_irq irq = mcuprof_irq_mask();

    tick_handler = handler;
    set_period(&tick, microseconds * (MCUPROF_TIMER_HZ / 1000000u));
    mcuprof_irq_restore(irq);
}

void board_tick_entry(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    bool due;

    look_at_timer();
    due = tick.due;
    tick.due = false;
    if (link.due) {
        IRQ_FORCE = 1u << LINK_IRQ; /* of a lower level than this */
    }
    mcuprof_irq_restore(irq);
    if (due) {
        tick_handler();
    }
}
#endif
