/* SPDX-License-Identifier: MIT */
/*
 * Each register has a known value while interrupts sample and count, and during a call of
 * the profiler's hook that is made as compiled code makes it: afterwards all must be
 * unchanged. For ARM and RISC-V; abi is for Cortex-M. Exits with 1 if one has
 * changed.
 */
#include "board.h"
#include "hold.h"
#include "mcuprof.h"
#include "xorshift.h"

#define FN MCUPROF_NOT_PROFILED

enum { ROUNDS = 4000 };

static FN uint32_t next_random(void)
{
    static uint32_t x = 0x12345678;

    return xorshift(&x);
}

/* The flags are in the last word; its other bits have no meaning. */
static FN unsigned differences(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < HELD; i++) {
        uint32_t mask = i == HELD - 1 ? FLAGS : 0xFFFFFFFFu;

        if ((hold_in[i] ^ hold_out[i]) & mask) {
            board_printf("register %u is %x, was %x\n", i, (unsigned)hold_out[i],
                         (unsigned)hold_in[i]);
            count++;
        }
    }
    return count;
}

FN int main(void)
{
    unsigned failures = 0;

    mcuprof_start();
    for (unsigned i = 0; i < ROUNDS && failures < 20; i++) {
        for (unsigned r = 0; r < HELD; r++) {
            hold_in[r] = next_random() % (i % 4 ? 0x100 : UINT32_MAX);
        }
        hold();
        failures += differences();
    }
    mcuprof_end();
    board_printf("\nsamples %u\nfailures %u\n", board_samples, failures);
    return failures != 0;
}
