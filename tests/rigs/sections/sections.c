/* SPDX-License-Identifier: MIT */
/*
 * The profiler runs in sections alone that are shorter than a sampling period: early()
 * begins each of them, and late() ends it. Samples must come as often as if it had run
 * on: in each function as long as that takes.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 2000 };

static ALONE void early(void)
{
    BURN(2000);
}

static ALONE void late(void)
{
    BURN(3000);
}

static ALONE void not_profiled(void)
{
    BURN(500);
}

int main(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        mcuprof_start();
        early();
        late();
        mcuprof_stop();
        not_profiled();
    }
    mcuprof_end();
    return 0;
}
