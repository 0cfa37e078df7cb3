/* SPDX-License-Identifier: MIT */
/* The recursive Fibonacci function, the worst case for a profiler of calls: it does
 * little else than call. bench/ measures what counting adds to it. */
#include "board.h"
#include "mcuprof.h"

#ifndef FIB_N
#define FIB_N 15
#endif

__attribute__((noinline, noclone, noipa)) static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline, noclone, noipa)) static unsigned run(void)
{
    return fib(FIB_N);
}

int main(void)
{
    unsigned result;

    mcuprof_start();
    result = run();
    mcuprof_end();
    board_printf("samples %u\n", board_samples);
    return result == 610 ? 0 : 1;
}
