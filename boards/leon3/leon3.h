/* SPDX-License-Identifier: MIT */
/* GRLIB's peripherals at the addresses of QEMU's leon3_generic. */
#ifndef BOARDS_LEON3_H
#define BOARDS_LEON3_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define UART_DATA    REGISTER(MCUPROF_LINK_ADDRESS + 0u)
#define UART_CONTROL REGISTER(MCUPROF_LINK_ADDRESS + 8u)
enum { UART_TRANSMIT = 2, UART_TRANSMIT_IRQ = 8 }; /* in UART_CONTROL */

#define IRQ_MASK  REGISTER(0x80000240u)
#define IRQ_FORCE REGISTER(0x80000280u)
enum { LINK_IRQ = 3, TICK_IRQ = 6, SAMPLE_IRQ = 7 }; /* these are also their levels */

#define TIMER_SCALER         REGISTER(0x80000300u)
#define TIMER_SCALER_RELOAD  REGISTER(0x80000304u)
#define CLOCK_TIMER          0x80000310u
#define SAMPLE_TIMER         0x80000320u
#define TIMER_COUNTER(timer) REGISTER(timer)
#define TIMER_RELOAD(timer)  REGISTER((timer) + 4u)
#define TIMER_CONTROL(timer) REGISTER((timer) + 8u)
/* Bits of TIMER_CONTROL: run, start over and interrupt; load now; an interrupt is pending
 * (1 clears it). */
enum { TIMER_RUN = 1 | 2 | 8, TIMER_LOAD = 4, TIMER_PENDING = 16 };
enum { CLOCK_HZ = 40000000 };

static inline void timer_start(uintptr_t timer, uint32_t ticks)
{
    TIMER_RELOAD(timer) = ticks - 1;
    TIMER_CONTROL(timer) = TIMER_RUN | TIMER_LOAD | TIMER_PENDING;
}

/* The interrupt of CLOCK_TIMER. */
void board_tick_entry(void);

#endif
