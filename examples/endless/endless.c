/* SPDX-License-Identifier: MIT */
/*
 * Firmware that never flushes: it works, waits for twice MCUPROF_FLUSH_MS, and is then
 * ended as if its plug were pulled. What it did before it waited must be in the profile,
 * to the call. With MCUPROF_AUTO_START nothing in its code starts the profiler. The file
 * is valid C and C++.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone))

enum { ROUNDS = 300 };

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

static ALONE void waits(unsigned samples)
{
    unsigned begun = board_samples;

    while (board_samples - begun < samples) {
        BURN(400);
    }
}

int main(void)
{
#if !MCUPROF_AUTO_START
    mcuprof_start();
#endif
    for (int round = 0; round < ROUNDS; round++) {
        four();
        two();
        one();
    }
    board_printf("worked %u\n", board_samples);
    waits(2 * MCUPROF_FLUSH_SAMPLES + 50);
    board_printf("waited %u\n", board_samples);
    board_exit(0);
}
