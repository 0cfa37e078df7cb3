/* SPDX-License-Identifier: MIT */
/* nRF51822: UART0 is the link, TIMER0 samples, TIMER1 is the examples' tick. If calls are
 * timed, or with a timeline, TIMER0, the only one of 32 bits, is their time base, and
 * TIMER2 samples. */
#include "board.h"

#include "cortex-m.h"
#include "mcuprof_port.h"

enum { UART_IRQ = 2, TIMER0_IRQ = 8, TIMER1_IRQ = 9, TIMER2_IRQ = 10 };

#define UART_STARTTX  REGISTER(MCUPROF_LINK_ADDRESS + 0x008)
#define UART_TXD      REGISTER(MCUPROF_LINK_ADDRESS + 0x51C)
#define UART_SETTINGS (&REGISTER(MCUPROF_LINK_ADDRESS + 0x500))

enum { ENABLE = 0, PSELTXD = 3, TXD = 7, BAUDRATE = 9 }; /* in UART_SETTINGS, by words */

#define TIMER0                 0x40008000u
#define TIMER1                 0x40009000u
#define TIMER2                 0x4000A000u
#define TIMER_START(timer)     REGISTER((timer) + 0x000)
#define TIMER_STOP(timer)      REGISTER((timer) + 0x004)
#define TIMER_CLEAR(timer)     REGISTER((timer) + 0x00C)
#define TIMER_COMPARE0(timer)  REGISTER((timer) + 0x140)
#define TIMER_SHORTS(timer)    REGISTER((timer) + 0x200)
#define TIMER_INTENSET(timer)  REGISTER((timer) + 0x304)
#define TIMER_BITMODE(timer)   REGISTER((timer) + 0x508)
#define TIMER_PRESCALER(timer) REGISTER((timer) + 0x510)
#define TIMER_CC0(timer)       REGISTER((timer) + 0x540)

enum { BITS_16 = 0, BITS_32 = 3 }; /* in BITMODE */
enum { COMPARE0_CLEAR = 1 };       /* in SHORTS */

#if MCUPROF_CALLS || MCUPROF_TIMELINE
enum { SAMPLING = TIMER2, SAMPLING_BITS = BITS_16, SAMPLING_IRQ = TIMER2_IRQ };
_Static_assert(MCUPROF_PERIOD * 2 < 65536,
               "with MCUPROF_CALLS or _TIMELINE: sample at 500 Hz or more");
#else
enum { SAMPLING = TIMER0, SAMPLING_BITS = BITS_32, SAMPLING_IRQ = TIMER0_IRQ };
#endif

/* Sets up a timer that counts up at 16 MHz >> prescaler and interrupts at CC0. */
static void timer_init(uintptr_t timer, uint32_t bitmode, uint32_t prescaler,
                       uint32_t shorts)
{
    TIMER_BITMODE(timer) = bitmode;
    TIMER_PRESCALER(timer) = prescaler;
    TIMER_SHORTS(timer) = shorts;
    TIMER_INTENSET(timer) = 1u << 16;
}

/* This is a function of its own so that `make bench` can count it to the link. */
static __attribute__((noinline)) void link_init(void)
{
    volatile uint32_t *settings = UART_SETTINGS;

    __asm__("" : "+r"(settings)); /* one address, not four */
    settings[PSELTXD] = 24;
    settings[BAUDRATE] = 0x10000000; /* 1 Mbaud */
    settings[ENABLE] = 4;
    UART_STARTTX = 1;
#ifndef BOARD_LINK_CYCLES
    settings[TXD] = '\n'; /* after this byte TXDRDY tells that the transmitter is free */
    irq_enable(UART_IRQ, 3);
#endif
}

void board_init(void)
{
    link_init();
    timer_init(SAMPLING, SAMPLING_BITS, 0, 0);      /* 16 MHz; started over when set */
    timer_init(TIMER1, BITS_16, 4, COMPARE0_CLEAR); /* 1 MHz */
#if MCUPROF_CALLS || MCUPROF_TIMELINE
    TIMER_BITMODE(TIMER0) = BITS_32;
    TIMER_PRESCALER(TIMER0) = 0;
    TIMER_START(TIMER0) = 1;
#endif
    irq_enable(SAMPLING_IRQ, BOARD_SAMPLING_PRIORITY);
    irq_enable(TIMER1_IRQ, 2);
}

void board_put(uint8_t byte)
{
    UART_TXD = byte;
}

static void timer_start(uintptr_t timer, uint32_t ticks)
{
    TIMER_CC0(timer) = ticks;
    TIMER_CLEAR(timer) = 1;
    TIMER_START(timer) = 1;
}

void mcuprof_timer_start(uint32_t ticks)
{
    timer_start(SAMPLING, ticks);
}

volatile unsigned board_samples;

void mcuprof_timer_set(uint32_t ticks)
{
#ifdef BOARD_COUNT_SAMPLES
    board_samples++;
#endif
    TIMER_CLEAR(SAMPLING) = 1;
    TIMER_COMPARE0(SAMPLING) = 0;
    TIMER_CC0(SAMPLING) = ticks;
}

void mcuprof_timer_stop(void)
{
    TIMER_STOP(SAMPLING) = 1;
}

static void (*tick_handler)(void);

void board_tick(uint32_t microseconds, void (*handler)(void))
{
    if (microseconds == 0) {
        TIMER_STOP(TIMER1) = 1;
        TIMER_COMPARE0(TIMER1) = 0;
        irq_clear(TIMER1_IRQ);
        return;
    }
    tick_handler = handler;
    timer_start(TIMER1, microseconds);
}

void board_tick_entry(void)
{
    TIMER_COMPARE0(TIMER1) = 0;
    tick_handler();
}
