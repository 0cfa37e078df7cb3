/* SPDX-License-Identifier: MIT */
/*
 * Does what the header forbids: a tick's interrupt calls start, flush and write, also
 * while the program is in one of them, and its profiled functions nest DEPTH deep. The
 * tick outranks the link, so this needs MCUPROF_LINK_MASKED. With STRESS_STOPS it also
 * stops; without, the program knows what was counted. It checks that its own work, a
 * checksum, is right.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone, noipa))

#ifndef STRESS_STOPS
#define STRESS_STOPS 0
#endif
#ifndef TICK_US
#define TICK_US 300
#endif
#ifndef ROUNDS
#define ROUNDS 300
#endif
#ifndef DEPTH
#define DEPTH 12
#endif

static volatile unsigned main_calls, handler_calls, ticks;

static ALONE uint32_t mix(uint32_t value, uint32_t by)
{
    main_calls++;
    return (value ^ by) * 16777619u;
}

/* Values are kept in registers across the calls. */
static ALONE uint32_t work(uint32_t value, unsigned depth)
{
    uint32_t a = value + depth, b = value ^ 0x5A5A5A5Au, c = ~value;

    main_calls++;
    a = mix(a, depth);
    if (depth > 0) {
        b ^= work(a, depth - 1);
    }
    return mix(b, c) + a;
}

static ALONE unsigned nest(unsigned depth)
{
    handler_calls++;
    return depth > 0 ? nest(depth - 1) + 1 : 0;
}

static ALONE MCUPROF_NOT_PROFILED void handler(void)
{
    static unsigned depth;

    nest(depth++ % DEPTH);
    ticks++;
    if (STRESS_STOPS && ticks % 64 == 40) {
        mcuprof_stop();
    } else if (!STRESS_STOPS || ticks % 64 < 40) {
        mcuprof_start();
    }
    if (ticks % 64 == 20) {
        mcuprof_flush();
    } else if (ticks % 8 == 3) {
        (void)mcuprof_write("tick\n", 5);
    }
}

MCUPROF_NOT_PROFILED int main(void)
{
    uint32_t sum = 1;

    board_tick(TICK_US, handler);
#if STRESS_STOPS
    mcuprof_start();
#else /* the handler's calls before the start are not counted */
    {
        mcuprof_irq irq = mcuprof_irq_mask();

        mcuprof_start();
        handler_calls = 0;
        mcuprof_irq_restore(irq);
    }
#endif
    for (unsigned i = 0; i < ROUNDS; i++) {
        sum = work(sum, i % DEPTH);
        if (i % 50 == 0) {
            mcuprof_flush();
            (void)mcuprof_write("program\n", 8);
        }
    }
    board_tick(0, 0);
    mcuprof_end();
    board_printf("\nmain %u\nhandler %u\nsamples %u\nticks %u\nsum %u\n", main_calls,
                 handler_calls, board_samples, ticks, (unsigned)sum);
    return 0;
}
