/* SPDX-License-Identifier: MIT */
/*
 * A handler that stands still, so that most of its samples are repeats: one program
 * counter in two, no return address on the stack. Text fills the small ring, so that
 * there are blocks whose first sample is lost, and the next one is like it.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define FN    MCUPROF_NOT_PROFILED
#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 4000, TURNS = 5000, LEVELS = 5 };

static volatile unsigned sink;

static FN ALONE void handler(void)
{
    unsigned turns = TURNS;

    __asm__ volatile(".syntax unified\n1:\tsubs %0, #1\n\tbne 1b" : "+l"(turns)::"cc");
}

static FN ALONE void deep(unsigned levels)
{
    if (levels) {
        deep(levels - 1);
    }
    for (unsigned i = 0; i < 40; i++) {
        sink += i;
    }
}

FN int main(void)
{
    mcuprof_start();
    board_tick(2 * BOARD_TICK_US, handler);
    for (unsigned i = 0; i < ROUNDS; i++) {
        deep(i % LEVELS);
        if (i % LEVELS == 0) {
            (void)mcuprof_write("text that fills the ring\n", 25);
        }
    }
    board_tick(0, 0);
    mcuprof_end();
    board_printf("\nsamples %u\n", board_samples);
    return 0;
}
