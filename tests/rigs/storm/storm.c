/* SPDX-License-Identifier: MIT */
/*
 * Everything at once: two levels of code that are profiled and print, sampling over both
 * as fast as possible, a link that does not keep up, and start, stop and flush in
 * between, with interrupts masked or not. The program itself knows what was counted.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 1200 };

#ifndef TICK_US
#define TICK_US 150
#endif

static volatile unsigned counting, main_calls, handler_calls, sink;

/* The hook counted the call before this. Nothing starts or stops in between. */
#define COUNT(calls) ((calls) += counting)

static ALONE void leaf(unsigned x)
{
    COUNT(main_calls);
    sink = x;
}

static ALONE void twice(unsigned x)
{
    COUNT(main_calls);
    leaf(x);
    leaf(x + 1);
}

/* There are more callees than a small cache holds. */
#define CALLEE(n)                                                                        \
    static ALONE void callee##n(void)                                                    \
    {                                                                                    \
        COUNT(main_calls);                                                               \
        leaf(n);                                                                         \
    }
CALLEE(0)
CALLEE(1)
CALLEE(2)
CALLEE(3)
CALLEE(4)
CALLEE(5)
CALLEE(6)
CALLEE(7)

static void (*const callees[])(void) = {callee0, callee1, callee2, callee3,
                                        callee4, callee5, callee6, callee7};

static ALONE void handler_leaf(void)
{
    COUNT(handler_calls);
    if (sink % 16 == 0) {
        (void)mcuprof_write("handler\n", 8);
    }
}

static ALONE void handler(void)
{
    COUNT(handler_calls);
    handler_leaf();
}

static MCUPROF_NOT_PROFILED void start(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_start();
    counting = 1;
    mcuprof_irq_restore(irq);
}

static MCUPROF_NOT_PROFILED void stop(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_stop();
    counting = 0;
    mcuprof_irq_restore(irq);
}

static MCUPROF_NOT_PROFILED void masked_flush(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_flush();
    mcuprof_irq_restore(irq);
}

static MCUPROF_NOT_PROFILED void control(unsigned i)
{
    switch (i % 97) {
    case 10:
        stop();
        break;
    case 12:
    case 13:
        start();
        break;
    case 30:
        mcuprof_flush();
        break;
    case 50:
        masked_flush();
        break;
    case 70:
        stop();
        mcuprof_flush();
        break;
    case 72:
        start();
        break;
    default:
        if (i % 5 == 0) {
            (void)mcuprof_write("program\n", 8);
        }
    }
}

MCUPROF_NOT_PROFILED int main(void)
{
    start();
    board_tick(TICK_US, handler);
    for (unsigned i = 0; i < ROUNDS; i++) {
        control(i);
        twice(i);
        callees[i * 7 % 8]();
        callees[i % 3]();
    }
    stop();
    board_tick(0, 0);
    mcuprof_end();
    board_printf("\nmain %u\nhandler %u\nsamples %u\n", main_calls, handler_calls,
                 board_samples);
    return 0;
}
