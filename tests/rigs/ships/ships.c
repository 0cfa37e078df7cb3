/* SPDX-License-Identifier: MIT */
/*
 * A loop that fills a Cortex-M0's registers. With hooks, whose arguments take some of
 * them, the compiler makes a longer one. The program says how long it took: without hooks
 * (HOOKS=0) that is what timed calls should say of it.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

enum { COUNT = 400, CALLS = 100 };

static int16_t left[COUNT], right[COUNT];

static __attribute__((noinline, noclone, noipa)) int32_t
product(const int16_t *a, const int16_t *b, unsigned count)
{
    int32_t sum = 0;

    count >>= 2;
    while (count--) {
        int32_t part = *a++ * *b++;

        part += *a++ * *b++;
        part += *a++ * *b++;
        part += *a++ * *b++;
        sum += part >> 6;
    }
    return sum;
}

int main(void)
{
    int32_t sum = 0;
    uint32_t began;

    for (int i = 0; i < COUNT; i++) {
        left[i] = (int16_t)(i * 7919);
        right[i] = (int16_t)(i * 104729);
    }
    mcuprof_start();
    began = MCUPROF_TIME();
    for (int i = 0; i < CALLS; i++) {
        sum += product(left, right, COUNT);
    }
    began = MCUPROF_TIME() - began;
    mcuprof_end();
    board_printf("sum %u\ntook %u\n", (unsigned)sum, (unsigned)began);
    return 0;
}
