/* SPDX-License-Identifier: MIT */
/*
 * Arm Versatile/PB: UART0 is the link, timer 0 samples, timer 2 is the examples' tick.
 * Sampling is an FIQ; the tick may interrupt the link.
 */
#include <stdbool.h>

#include "board.h"
#include "mcuprof_port.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define VIC_IRQSTATUS    REGISTER(0x10140000)
#define VIC_INTSELECT    REGISTER(0x1014000C)
#define VIC_INTENABLE    REGISTER(0x10140010)
#define VIC_INTENCLEAR   REGISTER(0x10140014)
#define VIC_SOFTINT      REGISTER(0x10140018)
#define VIC_SOFTINTCLEAR REGISTER(0x1014001C)

enum { SOFT_IRQ = 1 << 1, SAMPLE_IRQ = 1 << 4, TICK_IRQ = 1 << 5, UART_IRQ = 1 << 12 };

#define SAMPLE_TIMER         0x101E2000u
#define TICK_TIMER           0x101E3000u
#define PACE_TIMER           0x101E3020u /* shares the tick's interrupt */
#define TIMER_LOAD(timer)    REGISTER((timer) + 0x00)
#define TIMER_CTRL(timer)    REGISTER((timer) + 0x08)
#define TIMER_INTCLR(timer)  REGISTER((timer) + 0x0C)
#define TIMER_PENDING(timer) REGISTER((timer) + 0x14)

enum { TIMER_RUN = 0xE2 /* periodic, of 32 bits, with interrupt */ };

#define UART_DR   REGISTER(MCUPROF_LINK_ADDRESS + 0x00)
#define UART_LCRH REGISTER(MCUPROF_LINK_ADDRESS + 0x2C)
#define UART_CR   REGISTER(MCUPROF_LINK_ADDRESS + 0x30)
#define UART_IMSC REGISTER(MCUPROF_LINK_ADDRESS + 0x38)

enum { TX = 1 << 5 }; /* in IMSC */

#ifdef BOARD_LINK_CYCLES
#define LINK_IRQ SOFT_IRQ
#else
#define LINK_IRQ UART_IRQ
#endif

extern char __bss_start[], __bss_end[];

int main(void);
void reset_handler(void);
void board_irq(void);
void run_open(void (*handler)(void));

/* Runs in system mode, with interrupts masked. */
void reset_handler(void)
{
    int status;

    for (char *byte = __bss_start; byte < __bss_end; byte++) {
        *byte = 0;
    }
    board_init();
    mcuprof_irq_restore(0x1F); /* system mode, nothing masked */
    status = main();
    while (mcuprof_state.busy) { /* while the last bytes are being sent */
    }
    board_exit(status);
}

/* ---- Interrupts ---- */

static volatile bool in_tick;

bool mcuprof_may_wait(void)
{
    return !in_tick;
}

static void (*tick_handler)(void);

static __attribute__((noipa)) void board_tick_entry(void)
{
    TIMER_INTCLR(TICK_TIMER) = 1;
    in_tick = true;
    tick_handler();
    in_tick = false;
}

#ifdef BOARD_LINK_CYCLES
/* A slow link for tests: the emulated UART takes any number of bytes at once, so here a
 * timer lets one byte out every BOARD_LINK_CYCLES cycles of 32 ns. */
static volatile bool byte_due;

/* Notes when the time for a byte has come. */
static void pace(void)
{
    if (TIMER_PENDING(PACE_TIMER)) {
        TIMER_INTCLR(PACE_TIMER) = 1;
        byte_due = true;
        VIC_SOFTINT = SOFT_IRQ;
    }
}

void mcuprof_link_start(void)
{
    TIMER_LOAD(PACE_TIMER) =
        BOARD_LINK_CYCLES * 32ull * (MCUPROF_TIMER_HZ / 1000000) / 1000 + 1;
    TIMER_CTRL(PACE_TIMER) = TIMER_RUN;
}

void mcuprof_link_isr(void)
{
    pace();
    VIC_SOFTINTCLEAR = SOFT_IRQ;
    if (byte_due) {
        int byte = mcuprof_tx_next();

        byte_due = false;
        if (byte >= 0) {
            board_put((uint8_t)byte);
        }
    }
}

void mcuprof_link_idle(void)
{
    TIMER_CTRL(PACE_TIMER) = 0;
}
#else
static void pace(void)
{
}
#endif

/* Handles all interrupts but the FIQ, also those that come meanwhile: it saves an entry
 * for each byte. Runs in IRQ mode, with interrupts masked. */
void board_irq(void)
{
    uint32_t irqs;

    while ((irqs = VIC_IRQSTATUS) != 0) {
        if (irqs & TICK_IRQ) {
            pace();
            if (TIMER_PENDING(TICK_TIMER)) {
                board_tick_entry();
            }
        } else {
            VIC_INTENCLEAR = LINK_IRQ;
            run_open(mcuprof_link_entry);
            VIC_INTENABLE = LINK_IRQ;
        }
    }
}

/* ---- The link, timers ---- */

void board_init(void)
{
    UART_LCRH = 3 << 5; /* 8 bits */
    UART_IMSC = TX;
    UART_CR = 1 << 8 | 1; /* transmit */
    VIC_INTSELECT = SAMPLE_IRQ;
    VIC_INTENABLE = SAMPLE_IRQ | TICK_IRQ | LINK_IRQ;
}

void board_put(uint8_t byte)
{
    UART_DR = byte;
}

static void timer_start(uintptr_t timer, uint32_t ticks)
{
    TIMER_CTRL(timer) = 0;
    TIMER_LOAD(timer) = ticks;
    TIMER_INTCLR(timer) = 1;
    TIMER_CTRL(timer) = TIMER_RUN;
}

volatile unsigned board_samples; /* mcuprof_timer_set(), in start.S, counts them */

void mcuprof_timer_start(uint32_t ticks)
{
    timer_start(SAMPLE_TIMER, ticks);
}

void mcuprof_timer_stop(void)
{
    TIMER_CTRL(SAMPLE_TIMER) = 0;
}

void board_tick(uint32_t microseconds, void (*handler)(void))
{
    if (microseconds == 0) {
        TIMER_CTRL(TICK_TIMER) = 0;
        TIMER_INTCLR(TICK_TIMER) = 1;
        return;
    }
    tick_handler = handler;
    timer_start(TICK_TIMER, microseconds * (MCUPROF_TIMER_HZ / 1000000u));
}
