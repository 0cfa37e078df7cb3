/* SPDX-License-Identifier: MIT */
/*
 * The processor sleeps until a tick, works for TURNS turns, and sleeps again, as an
 * operating system's idle loop does. Its two states are told apart as docs/porting.md
 * describes. If TICK_US is twice the time of the work, half of the time between ticks is
 * work, as it is by default on a microbit.
 */
#include <stdbool.h>

#include "board.h"
#include "burn.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone, noipa))

#ifndef TICK_US
#define TICK_US 2000
#endif
#ifndef TURNS
#define TURNS 7812
#endif

enum { ROUNDS = 1000 };

static volatile bool ticked;

static MCUPROF_NOT_PROFILED void on_tick(void)
{
    ticked = true;
}

static ALONE void work(void)
{
    BURN(TURNS);
}

/* Says that the processor sleeps, or that it is awake. */
static MCUPROF_NOT_PROFILED void tell(bool sleeps)
{
#if MCUPROF_TASKS
    static const char awake, asleep;

    mcuprof_task_switch(sleeps ? &asleep : &awake, sleeps ? "sleep" : "main", sleeps);
#endif
    (void)sleeps;
}

/* Interrupts are masked, so that none comes between the check and the sleep, where it
 * would be missed; a pending interrupt wakes the processor. */
static ALONE void sleep(void)
{
    mcuprof_irq irq;

    tell(true);
    irq = mcuprof_irq_mask();
    while (!ticked) {
        __asm__ volatile("wfi" ::: "memory");
        mcuprof_irq_restore(irq);
        irq = mcuprof_irq_mask();
    }
    ticked = false;
    mcuprof_irq_restore(irq);
    tell(false);
}

MCUPROF_NOT_PROFILED int main(void)
{
    board_tick(TICK_US, on_tick);
    mcuprof_start();
    for (unsigned i = 0; i < ROUNDS; i++) {
        sleep();
        work();
    }
    board_tick(0, 0);
    mcuprof_end();
#ifdef BOARD_COUNT_SAMPLES
    board_printf("\nsamples %u\n", board_samples);
#endif
    return 0;
}
