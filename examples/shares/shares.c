/* SPDX-License-Identifier: MIT */
/*
 * Functions that take known shares of all instructions, one of them in an interrupt: what
 * sampling must find. One burn() is 1000 turns of a loop of 2 instructions, so the shares
 * are in the ratio of the numbers of burns: 4 : 2 : 1, and the interrupt's own.
 */
#include "board.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

static volatile unsigned interrupts;

#define BURN(turns)                                                                      \
    do {                                                                                 \
        unsigned n = (turns);                                                            \
        __asm__ volatile(".syntax unified\n1: subs %0, %0, #1\n\tbne 1b"                 \
                         : "+l"(n)                                                       \
                         :                                                               \
                         : "cc");                                                        \
    } while (0)

static ALONE void four(void)
{
    BURN(4000);
}

static ALONE void two(void)
{
    BURN(2000);
}

static ALONE void one(void)
{
    BURN(1000);
}

/* A critical section: on ARMv6-M sampling can only wait for its end, which is in here
 * too. */
static ALONE void masked(void)
{
    uint32_t primask;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask));
    BURN(1000);
    __asm__ volatile("msr primask, %0" ::"r"(primask));
}

static void on_timer(void)
{
    interrupts++;
    BURN(1000);
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
