/* SPDX-License-Identifier: MIT */
/*
 * A program in step with the mean sampling period: a timer of the same rate starts each
 * round, in which early() runs, then late(), then the program waits. Sampling at even
 * distances would always see the same point of a round; with dither it sees all of them.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"
#include "mcuprof_config.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 2000 };

static volatile unsigned started;

static ALONE void early(void)
{
    BURN(2000);
}

static ALONE void late(void)
{
    BURN(1000);
}

static ALONE void wait_for(unsigned round)
{
    while (started == round) {
    }
}

static void on_timer(void)
{
    started++;
}

int main(void)
{
    mcuprof_start();
    board_tick(1000000 / MCUPROF_SAMPLE_HZ, on_timer);
    for (unsigned round = 0; round < ROUNDS; round++) {
        wait_for(round);
        early();
        late();
    }
    board_tick(0, 0);
    mcuprof_end();
    return 0;
}
