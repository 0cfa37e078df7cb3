/* SPDX-License-Identifier: MIT */
/*
 * A branch without a block of its own: where the compiler makes conditional instructions
 * of it, its lines share the block of the line before, and its count. The marks say how
 * often a line really runs.
 */
#include "board.h"
#include "mcuprof.h"

#define CALLED __attribute__((noinline, noclone, noipa))

static uint16_t values[2048];
static uint32_t most;

static CALLED void find_most(void)
{
    for (uint32_t i = 0; i < 2048; i++) { /* [2048] */
        if (values[i] > most)             /* [2048] */
            most = values[i];             /* [1024] */
    }
}

int main(void)
{
    for (uint32_t i = 1; i < 2048; i += 2)
        values[i] = (uint16_t)i;
    mcuprof_start();
    find_most();
    mcuprof_end();
    board_printf("most %u\n", (unsigned)most);
    return 0;
}
