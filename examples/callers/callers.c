/* SPDX-License-Identifier: MIT */
/*
 * One function called as often by a caller that gives it little work as by one that gives
 * it much: counting calls splits its time evenly between them, timing them does not. What
 * the two callers' calls take without the profiler is measured here, by the same clock.
 * Build with MCUPROF_CALLS=1.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_config.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { CALLS = 50, LITTLE = 200, MUCH = 2000 };

static volatile uint32_t result;

/* The same loop, with and without hooks. */
#define WORK                                                                             \
    for (; turns; turns--) {                                                             \
        result = result * 3 + turns;                                                     \
    }

static ALONE void work(uint32_t turns)
{
    WORK
}

static ALONE void fast_caller(void)
{
    for (unsigned i = 0; i < CALLS; i++) {
        work(LITTLE);
    }
}

static ALONE void slow_caller(void)
{
    for (unsigned i = 0; i < CALLS; i++) {
        work(MUCH);
    }
}

#if MCUPROF_CALLS
static ALONE MCUPROF_NOT_PROFILED void plain_work(uint32_t turns)
{
    WORK
}

/* Ticks of CALLS calls, reading the clock taken off. */
static ALONE MCUPROF_NOT_PROFILED uint32_t ticks(uint32_t turns)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < CALLS; i++) {
        uint32_t before = MCUPROF_TIME(), between = MCUPROF_TIME();

        plain_work(turns);
        sum += MCUPROF_TIME() - between - (between - before);
    }
    return sum;
}
#endif

int main(void)
{
    mcuprof_start();
    fast_caller();
    slow_caller();
    mcuprof_end();
#if MCUPROF_CALLS
    board_printf("fast %u\nslow %u\n", (unsigned)ticks(LITTLE), (unsigned)ticks(MUCH));
#endif
    return 0;
}
