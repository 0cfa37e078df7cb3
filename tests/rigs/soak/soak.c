/* SPDX-License-Identifier: MIT */
/*
 * Lives for ever, on a Cortex-M. In each life named tasks take turns, with calls and
 * samples. At its end the program sends the profiler's counters several times, because
 * the line may lose some, prints what it has counted, and resets the chip.
 */
#include "board.h"
#include "burn.h"
#include "cortex-m.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { TASKS = 3, ROUNDS = 2000, FLUSHES = 8, RESET = 0x05FA0004 };

static unsigned calls;

static ALONE uint32_t mix(uint32_t value, uint32_t by)
{
    calls++;
    BURN(200);
    return (value ^ by) * 16777619u;
}

static ALONE uint32_t work(uint32_t value, unsigned depth)
{
    calls++;
    value = mix(value, depth);
    return depth > 0 ? work(value, depth - 1) + 1 : value;
}

static const char *const names[TASKS] = {"red", "green", "blue"};

MCUPROF_NOT_PROFILED int main(void)
{
    uint32_t value = 1;

    mcuprof_start();
    for (unsigned i = 0; i < ROUNDS; i++) {
        mcuprof_task_switch(&names[i % TASKS], names[i % TASKS], false);
        value = work(value, i % 16);
    }
    mcuprof_stop();
    for (unsigned i = 0; i < FLUSHES; i++) {
        mcuprof_flush();
    }
    board_printf("\nlife of %u calls, %u samples\n", calls, board_samples);
    while (mcuprof_state.busy) {
    }
    REGISTER(0xE000ED0Cu) = RESET; /* AIRCR.SYSRESETREQ */
    return (int)value;
}
