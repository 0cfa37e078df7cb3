/* SPDX-License-Identifier: MIT */
/*
 * Times qsort() of the C library, whose source is not there, by the linker's --wrap. The
 * function that qsort() calls back is its callee. Build with MCUPROF_CALLS=1.
 */
#include <stdlib.h>

#include "board.h"
#include "mcuprof.h"

enum { ROUNDS = 20, VALUES = 16 };

MCUPROF_WRAP_VOID(qsort,
                  (void *array, size_t count, size_t size,
                   int (*compare)(const void *, const void *)),
                  (array, count, size, compare))
MCUPROF_WRAP(int, abs, (int value), (value))

static volatile unsigned compared;

static int ascending(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    compared++;
    return (a > b) - (a < b);
}

__attribute__((noinline, noclone, noipa)) static int sort(unsigned seed)
{
    int values[VALUES], sorted = 1;

    for (unsigned i = 0; i < VALUES; i++) {
        values[i] = abs((int)((seed + i) * 7919 % 101) - 50);
    }
    qsort(values, VALUES, sizeof values[0], ascending);
    for (unsigned i = 1; i < VALUES; i++) {
        sorted &= values[i - 1] <= values[i];
    }
    return sorted;
}

int main(void)
{
    int sorted = 1;

    mcuprof_start();
    for (unsigned i = 0; i < ROUNDS; i++) {
        sorted &= sort(i);
    }
    mcuprof_end();
    board_printf("compared %u\n", compared);
    return sorted ? 0 : 1;
}
