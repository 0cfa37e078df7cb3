/* SPDX-License-Identifier: MIT */
/* The load of selftest.h: three functions that take 4 : 2 : 1 of the program's time, a
 * handler that takes 5 %, 1000 calls, 2 s by the tick. */
#include "selftest.h"

#include <stdbool.h>
#include <stdint.h>

#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, used))

enum {
    RUN_TICKS = 2000,
    CALIBRATION_TICKS = 20,
    CHUNK = 64,          /* turns between two looks at the tick */
    PATIENCE = 200000,   /* chunks without a tick, after which there is none */
    PER_CENT = 5,        /* of the handler */
    ROUNDS_ALONE = 4000, /* where there is no tick */
    CALLS = 1000
};

static volatile uint32_t ticks, tick_turns;

/* Turns of the same length, wherever they are compiled. */
static inline __attribute__((always_inline)) void spin(uint32_t turns)
{
    while (turns-- > 0) {
        __asm__ volatile("" : "+r"(turns));
    }
}

/* An 8-bit processor reads a number of 32 bits in parts: until two readings agree. */
static uint32_t now(void)
{
    uint32_t before, after = ticks;

    do {
        before = after;
        after = ticks;
    } while (before != after);
    return after;
}

ALONE void selftest_tick(void)
{
    ticks++;
    spin(tick_turns);
}

/* The calls' only cost is the call. */
ALONE void selftest_called(void);
ALONE void selftest_called(void)
{
    __asm__ volatile("");
}

ALONE void selftest_four(void);
ALONE void selftest_four(void)
{
    spin(800);
}

ALONE void selftest_two(void);
ALONE void selftest_two(void)
{
    spin(400);
}

ALONE void selftest_one(void);
ALONE void selftest_one(void)
{
    spin(200);
}

/* Returns how many turns there are in a tick; 0: no tick comes. */
static ALONE uint32_t calibrate(void)
{
    uint32_t first = now(), chunks = 0;

    while (now() == first) {
        spin(CHUNK);
        if (++chunks > PATIENCE) {
            return 0;
        }
    }
    first = now();
    for (chunks = 0; now() - first < CALIBRATION_TICKS; chunks++) {
        spin(CHUNK);
    }
    return chunks * CHUNK / CALIBRATION_TICKS;
}

ALONE void selftest_run(bool ticking);
ALONE void selftest_run(bool ticking)
{
    uint32_t first = now(), round = 0;

    while (ticking ? now() - first < RUN_TICKS : round < ROUNDS_ALONE) {
        round++;
        selftest_four();
        selftest_two();
        selftest_one();
    }
}

void selftest(void)
{
    static const char no_tick[] = "selftest: selftest_tick() is not called\n";
    uint32_t turns = calibrate();

    tick_turns = turns * PER_CENT / 100;
    mcuprof_start();
    selftest_run(turns > 0);
    for (int i = 0; i < CALLS; i++) {
        selftest_called();
    }
    if (turns == 0) {
        (void)mcuprof_write(no_tick, sizeof no_tick - 1);
    }
    mcuprof_end();
}
