/* SPDX-License-Identifier: MIT */
/*
 * A program whose run takes a known time: ROUNDS times 4000 turns of BURN(). One of
 * every MASKED rounds (0: none) runs with interrupts masked; its samples come late.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone, noipa))

#ifndef ROUNDS
#define ROUNDS 4000u
#endif
#ifndef MASKED
#define MASKED 0u
#endif

static ALONE void seen(void)
{
    BURN(4000);
}

static ALONE void hidden(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    BURN(4000);
    mcuprof_irq_restore(irq);
}

int main(void)
{
    unsigned round = 0, left = MASKED;

    mcuprof_start();
    for (; round < ROUNDS; round++) {
        if (MASKED && --left == 0) {
            left = MASKED;
            hidden();
        } else {
            seen();
        }
    }
    mcuprof_end();
    board_printf("rounds %u\n", round);
    return 0;
}
