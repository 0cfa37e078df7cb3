/* SPDX-License-Identifier: MIT */
/*
 * Code that is inlined, at two levels and in two functions, for `mcuprof annotate`:
 *
 *     make capture EXAMPLE=inlined
 *     mcuprof annotate -e inlined.elf inlined.mprof
 *
 * [5] marks a line that runs 5 times.
 */
#include "board.h"
#include "mcuprof.h"
#include "mix.h"

#define CALLED __attribute__((noinline, noclone, noipa))

static CALLED uint32_t sum(unsigned count)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < count; i++)
        total += mix(i, 4); /* [1000] */
    return total;           /* [10] */
}

static CALLED uint32_t hash(uint32_t value)
{
    return mix(value, 20) ^ 1; /* [100] */
}

int main(void)
{
    uint32_t result = 0;

    mcuprof_start();
    for (unsigned i = 0; i < 100; i++) {
        if (i % 10 == 0)
            result ^= sum(100);     /* [10] */
        result ^= hash(result + i); /* [100] */
        if (result == 0)
            result = sum(1); /* [0] */
    }
    mcuprof_end();
    board_printf("result %x\n", (unsigned)result);
    board_printf("samples %u\n", board_samples);
    return 0;
}
