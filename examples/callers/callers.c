/* SPDX-License-Identifier: MIT */
/*
 * One function has two callers, which call it equally often but with different arguments.
 * By the number of calls each would get half of its time, but one takes nine tenths.
 * Timed calls show that.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"

#define CALLED __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 100 };

/* For tests. */
#ifndef TIMES
#define TIMES 1
#endif
#ifndef TURNS_BEFORE
#define TURNS_BEFORE 1
#endif
#ifndef STARTED
#define STARTED 1
#endif
#ifndef PAUSED
#define PAUSED 0
#endif
#ifndef ENDED_AGAIN
#define ENDED_AGAIN 0
#endif

static CALLED void filter(unsigned turns)
{
    BURN(turns);
}

static CALLED void fast(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        filter(1000);
    }
}

static CALLED void slow(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        filter(9000);
    }
}

int main(void)
{
    BURN(TURNS_BEFORE);
    if (STARTED) {
        mcuprof_start();
    }
    for (unsigned i = 0; i < TIMES; i++) {
        fast();
    }
    if (PAUSED) {
        mcuprof_stop();
        slow();
        mcuprof_flush();
        mcuprof_stop();
        mcuprof_start();
    }
    slow();
    mcuprof_end();
    if (ENDED_AGAIN) {
        slow();
        mcuprof_flush();
        slow();
        mcuprof_end();
        mcuprof_flush();
    }
    return 0;
}
