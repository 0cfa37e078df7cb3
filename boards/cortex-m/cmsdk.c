/* SPDX-License-Identifier: MIT */
/* Boards with Arm's CMSDK peripherals: a UART as the link, the dual timer's first half as
 * the time base and its second for sampling (the plain timers start over where they are
 * set), TIMER1 for the examples' tick. board_irqs.h says where they are.
 * BOARD_SLEEPS: for a program that sleeps by WFI. QEMU 7.2 then takes the interrupts of a
 * timer late or loses them; it does not while another timer, TIMER0, runs at 10 kHz. */
#include "board.h"
#include "cortex-m.h"
#include "mcuprof_port.h"

#define UART_DATA    REGISTER(MCUPROF_LINK_ADDRESS + 0x00)
#define UART_CTRL    REGISTER(MCUPROF_LINK_ADDRESS + 0x08)
#define UART_BAUDDIV REGISTER(MCUPROF_LINK_ADDRESS + 0x10)

#define TIME_LOAD REGISTER(BOARD_DUALTIMER + 0x00)
#define TIME_CTRL REGISTER(BOARD_DUALTIMER + 0x08)

#define SAMPLE_LOAD     REGISTER(BOARD_DUALTIMER + 0x20)
#define SAMPLE_CTRL     REGISTER(BOARD_DUALTIMER + 0x28)
#define SAMPLE_INTCLEAR REGISTER(BOARD_DUALTIMER + 0x2C)
#define SAMPLE_NEXT     REGISTER(BOARD_DUALTIMER + 0x38) /* used at the next start */

#define TIMER_CTRL(timer)     REGISTER((timer) + 0x00)
#define TIMER_VALUE(timer)    REGISTER((timer) + 0x04)
#define TIMER_RELOAD(timer)   REGISTER((timer) + 0x08)
#define TIMER_INTCLEAR(timer) REGISTER((timer) + 0x0C)

/* The time base first wraps after one tick more than this, later after 2^32 ticks. */
#ifndef BOARD_TIME_LOAD
#define BOARD_TIME_LOAD UINT32_MAX
#endif

void board_init(void)
{
    TIME_LOAD = BOARD_TIME_LOAD;
    TIME_CTRL = 1 << 7 | 1 << 1; /* runs freely, 32 bits */
#ifdef BOARD_SLEEPS
    TIMER_RELOAD(CMSDK_TIMER0) = MCUPROF_TIMER_HZ / 10000u;
    TIMER_CTRL(CMSDK_TIMER0) = 1; /* runs, without an interrupt */
#endif
    UART_BAUDDIV = 16;
#if defined(BOARD_LINK_CYCLES) || MCUPROF_RTT
    UART_CTRL = 1; /* transmit */
#ifdef BOARD_PROBE_CYCLES
    board_probe_start();
#endif
#elif defined(BOARD_DMA)
    UART_CTRL = 1;
    REGISTER(0x50080084) = 1 << 5; /* AN505: UART0 is not secure from here on */
    irq_enable(MCUPROF_LINK_IRQ, 3);
#else
    UART_CTRL = 1 | 4; /* transmit, with its interrupt */
    irq_enable(MCUPROF_LINK_IRQ, 3);
#endif
}

void board_put(uint8_t byte)
{
    UART_DATA = byte;
}

static void timer_start(uintptr_t timer, uint32_t ticks)
{
    TIMER_CTRL(timer) = 0;
    TIMER_RELOAD(timer) = ticks;
    TIMER_VALUE(timer) = ticks;
    TIMER_INTCLEAR(timer) = 1;
    TIMER_CTRL(timer) = 1 | 8; /* run, interrupt */
}

void mcuprof_timer_start(uint32_t ticks)
{
    SAMPLE_CTRL = 0;
    SAMPLE_INTCLEAR = 1;
    SAMPLE_LOAD = ticks - 1;
    SAMPLE_CTRL = 1 << 7 | 1 << 6 | 1 << 5 | 1 << 1; /* periodic, 32 bits, interrupts */
    irq_enable(CMSDK_DUALTIMER_IRQ, BOARD_SAMPLING_PRIORITY);
}

volatile unsigned board_samples;

void mcuprof_timer_set(uint32_t ticks)
{
#ifdef BOARD_COUNT_SAMPLES
    board_samples++;
#endif
    SAMPLE_INTCLEAR = 1;
#if MCUPROF_TIMER_RESTARTS
    SAMPLE_LOAD = ticks - 1;   /* starts over */
    SAMPLE_CTRL = SAMPLE_CTRL; /* without this write QEMU's timer stops at 0 */
#else
    SAMPLE_NEXT = ticks - 1;
#endif
}

void mcuprof_timer_stop(void)
{
    SAMPLE_CTRL = 0;
}

static void (*tick_handler)(void);

void board_tick(uint32_t microseconds, void (*handler)(void))
{
    if (microseconds == 0) {
        TIMER_CTRL(CMSDK_TIMER1) = 0;
        TIMER_INTCLEAR(CMSDK_TIMER1) = 1;
        irq_clear(CMSDK_TIMER1_IRQ);
        return;
    }
    tick_handler = handler;
    timer_start(CMSDK_TIMER1, microseconds * (MCUPROF_TIMER_HZ / 1000000u));
    irq_enable(CMSDK_TIMER1_IRQ, 2);
}

void board_tick_entry(void)
{
    TIMER_INTCLEAR(CMSDK_TIMER1) = 1;
    tick_handler();
}
