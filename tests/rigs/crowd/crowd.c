/* SPDX-License-Identifier: MIT */
/*
 * A program and an interrupt over it, each with sixteen functions that are called at
 * random. There are more call sites than counters, so each takes the other's counters
 * while a record is made. The text at the end tells how often each function was called.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "xorshift.h"

#define ALONE __attribute__((noinline, noclone, noipa))
#define FN    MCUPROF_NOT_PROFILED

enum { TURNS = 20000, TICK_US = 60 };

static unsigned by_main[16], by_tick[16];

#define EACH(X)                                                                          \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define FUNCTIONS(n)                                                                     \
    static ALONE void main_##n(void)                                                     \
    {                                                                                    \
        by_main[n]++;                                                                    \
    }                                                                                    \
    static ALONE void tick_##n(void)                                                     \
    {                                                                                    \
        by_tick[n]++;                                                                    \
    }
EACH(FUNCTIONS)

#define CALL_OF_MAIN(n)                                                                  \
    case n:                                                                              \
        main_##n();                                                                      \
        break;
#define CALL_OF_TICK(n)                                                                  \
    case n:                                                                              \
        tick_##n();                                                                      \
        break;

static FN void on_tick(void)
{
    static uint32_t seed = 777;
    unsigned random = xorshift(&seed);

    for (unsigned i = 0; i < 2; i++, random >>= 4) {
        switch (random & random >> 8 & 15) {
            EACH(CALL_OF_TICK)
        }
    }
}

int FN main(void)
{
    uint32_t seed = 12345;

    mcuprof_start();
    board_tick(TICK_US, on_tick);
    for (unsigned i = 0; i < TURNS; i++) {
        unsigned random = xorshift(&seed);

        switch (random & random >> 7 & 15) {
            EACH(CALL_OF_MAIN)
        }
    }
    board_tick(0, 0);
    mcuprof_end();
    for (unsigned i = 0; i < 16; i++) {
        board_printf("main_%u %u\n", i, by_main[i]);
        board_printf("tick_%u %u\n", i, by_tick[i]);
    }
    return 0;
}
