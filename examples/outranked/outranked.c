/* SPDX-License-Identifier: MIT */
/*
 * An interrupt outranks sampling. The program stands still, so that each sample equals
 * the one before, and the handler hits each instruction of a sampling interrupt in turn.
 * The handler's calls close a block of records. The program knows what was sampled and
 * called.
 */
#include "board.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { CALLS = 100, TICKS = 600 };

static volatile unsigned ticks, calls;

static ALONE void called(void)
{
    calls++;
}

static MCUPROF_NOT_PROFILED void on_tick(void)
{
    for (unsigned i = 0; i < CALLS; i++) {
        called();
    }
    ticks++;
}

static ALONE MCUPROF_NOT_PROFILED void stand_still(void)
{
    while (ticks < TICKS) {
    }
}

MCUPROF_NOT_PROFILED int main(void)
{
    mcuprof_start();
    board_tick(5003, on_tick);
    stand_still();
    mcuprof_stop();
    board_tick(0, 0);
    mcuprof_end();
    board_printf("\nsamples %u\ncalls %u\n", board_samples, calls);
    return 0;
}
