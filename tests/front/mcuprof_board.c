/* SPDX-License-Identifier: MIT */
/* target/template/mcuprof_board.c, filled in for an nRF51: UART0, and TIMER0 to sample.
 * The vector table is a vendor's. */
#include "mcuprof_port.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define UART(offset)      REGISTER(0x40002000u + (offset))
#define TIMER(offset)     REGISTER(0x40008000u + (offset))
#define NVIC_ENABLE       REGISTER(0xE000E100u)

MCUPROF_VECTOR(TIMER0_IRQHandler, mcuprof_sample_isr)
MCUPROF_VECTOR(UART0_IRQHandler, mcuprof_link_entry)

void mcuprof_link_start(void)
{
    UART(0x304) = 1u << 7; /* INTENSET: TXDRDY */
}

void mcuprof_link_idle(void)
{
    UART(0x308) = 1u << 7;
}

void mcuprof_link_isr(void)
{
    if (UART(0x11C)) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            UART(0x11C) = 0;
            UART(0x51C) = (uint32_t)byte;
        }
    }
}

void mcuprof_timer_start(uint32_t ticks)
{
    TIMER(0x540) = ticks;
    TIMER(0x304) = 1u << 16; /* INTENSET: COMPARE0 */
    TIMER(0x00C) = 1;
    TIMER(0x000) = 1;
}

void mcuprof_timer_set(uint32_t ticks)
{
    TIMER(0x00C) = 1;
    TIMER(0x140) = 0;
    TIMER(0x540) = ticks;
}

void mcuprof_timer_stop(void)
{
    TIMER(0x004) = 1;
}

void uart_setup(void);
void uart_setup(void)
{
    UART(0x50C) = 24;         /* PSELTXD */
    UART(0x524) = 0x10000000; /* 1 Mbaud */
    UART(0x500) = 4;
    UART(0x008) = 1;
    UART(0x51C) = '\n';
    TIMER(0x508) = 3;                    /* 32 bits */
    TIMER(0x510) = 0;                    /* 16 MHz */
    REGISTER(0xE000E400u) = 0xC0u << 16; /* UART0: the lowest priority */
    NVIC_ENABLE = 1u << 2 | 1u << 8;
#if MCUPROF_CALLS
    TIMER(0x000) = 1; /* the time base of timed calls */
#endif
}
