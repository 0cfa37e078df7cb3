/* SPDX-License-Identifier: MIT */
/*
 * Deep recursion, with an interrupt that recurses as well and sampling over both: many
 * more frames than a processor with register windows has windows, and each frame's
 * registers are checked on the way back. Exits with 1 if one has changed.
 */
#include "board.h"
#include "mcuprof.h"

#define CALLED __attribute__((noinline, noclone, noipa))

#ifndef TICKS /* a test may want more */
#define TICKS 100
#endif

enum { ROUNDS = 150, DEPTH = 100, TICK_DEPTH = 30 };

static volatile unsigned ticks;
static unsigned failures;

/* Returns n; eight values are alive while it calls itself. */
#define RECURSIVE(name)                                                                  \
    static CALLED uint32_t name(uint32_t n, uint32_t x)                                  \
    {                                                                                    \
        uint32_t a = x + 1, b = x ^ 2, c = x * 3, d = x - 4, e = x + n, below;           \
                                                                                         \
        if (n == 0) {                                                                    \
            return 0;                                                                    \
        }                                                                                \
        below = name(n - 1, x + 7);                                                      \
        if (a != x + 1 || b != (x ^ 2) || c != x * 3 || d != x - 4 || e != x + n) {      \
            failures++;                                                                  \
        }                                                                                \
        return below + 1;                                                                \
    }
RECURSIVE(down)
RECURSIVE(down_in_tick)

static CALLED void on_tick(void)
{
    if (down_in_tick(TICK_DEPTH, ticks) != TICK_DEPTH) {
        failures++;
    }
    if (++ticks == TICKS) {
        board_tick(0, 0);
    }
}

static MCUPROF_NOT_PROFILED void on_timer(void)
{
    on_tick();
}

int main(void)
{
    unsigned rounds = 0;

    mcuprof_start();
    board_tick(700, on_timer);
    while (rounds < ROUNDS || ticks < TICKS) {
        if (down(DEPTH, rounds++) != DEPTH) {
            failures++;
        }
    }
    mcuprof_end();
    board_printf("rounds %u\nsamples %u\nfailures %u\n", rounds, board_samples, failures);
    return failures != 0;
}
