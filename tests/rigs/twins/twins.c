/* SPDX-License-Identifier: MIT */
/*
 * Two files with functions of the same names: left.c has three times the load of right.c.
 * Who goes by names alone adds them up, or shows the source of the other.
 */
#include "twins.h"

#include "board.h"
#include "mcuprof.h"

int main(void)
{
    mcuprof_start();
    for (unsigned i = 0; i < 500; i++) {
        left();
        right();
    }
    mcuprof_end();
    board_printf("samples %u\n", board_samples);
    return 0;
}
