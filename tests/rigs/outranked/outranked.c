/* SPDX-License-Identifier: MIT */
/*
 * An interrupt outranks sampling. The program stands still, so that each sample equals
 * the one before, and the handler hits each instruction of a sampling interrupt in turn.
 * The handler's calls close a block of records. The program knows what was sampled and
 * called.
 *
 * OUTRANKED_PLACES: the program stands in two places by turns, for so many samples, so
 * that those which were equal are sent at the next one; and the handler calls from eight
 * sites, whose counters change places.
 */
#include "board.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

#ifndef OUTRANKED_PLACES
#define OUTRANKED_PLACES 0
#endif

enum {
    CALLS = 100,
    TICKS = OUTRANKED_PLACES ? 6000 : 600,
    TICK_US = OUTRANKED_PLACES ? 509 : 5003
};

static volatile unsigned ticks, calls;

static ALONE void called(void)
{
    calls++;
}

#if OUTRANKED_PLACES
static MCUPROF_NOT_PROFILED void on_tick(void)
{
    called();
    called();
    called();
    called();
    called();
    called();
    called();
    called();
    ticks++;
}

static ALONE MCUPROF_NOT_PROFILED void stand_here(unsigned first)
{
    while (board_samples - first < OUTRANKED_PLACES && ticks < TICKS) {
    }
}

static ALONE MCUPROF_NOT_PROFILED void stand_there(unsigned first)
{
    while (board_samples - first < OUTRANKED_PLACES && ticks < TICKS) {
    }
}

static MCUPROF_NOT_PROFILED void stand_still(void)
{
    while (ticks < TICKS) {
        stand_here(board_samples);
        stand_there(board_samples);
    }
}
#else
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
#endif

MCUPROF_NOT_PROFILED int main(void)
{
    mcuprof_start();
    board_tick(TICK_US, on_tick);
    stand_still();
    mcuprof_stop();
    board_tick(0, 0);
    mcuprof_end();
    board_printf("\nsamples %u\ncalls %u\n", board_samples, calls);
    return 0;
}
