/* SPDX-License-Identifier: MIT */
/*
 * Functions that take known shares of all instructions, one of them in an interrupt:
 * sampling must find these shares. They are in the ratio of the turns, 4 : 2 : 1, and the
 * interrupt's own.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone, noipa))

static volatile unsigned interrupts;

static ALONE void four(void)
{
    BURN(4000);
}

static ALONE void two(void)
{
    BURN(2000);
}

/* Another build may make this function slower. */
#ifndef SHARES_ONE
#define SHARES_ONE 1000
#endif
static ALONE void one(void)
{
    BURN(SHARES_ONE);
}

/* A critical section also masks sampling, which waits for its end; the end is in this
 * function, too. */
static ALONE void masked(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    BURN(1000);
    mcuprof_irq_restore(irq);
    __asm__ volatile("nop"); /* an AVR runs one more instruction before an interrupt */
}

static inline __attribute__((always_inline)) void half(void)
{
    BURN(500);
}

static void on_timer(void)
{
    interrupts++;
    BURN(500);
    half(); /* if calls are timed, this call has its caller's stack pointer */
}

int main(void)
{
    unsigned rounds = 0;

    mcuprof_start();
    board_tick(1000, on_timer);
    for (; rounds < 2000; rounds++) {
        four();
        two();
        one();
        masked();
    }
    board_tick(0, 0);
    mcuprof_end();
    board_printf("interrupts %u\n", interrupts);
    return 0;
}
