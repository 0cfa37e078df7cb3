/* SPDX-License-Identifier: MIT */
#ifndef AVR_BOARD_H
#define AVR_BOARD_H

#include "avr.h"

/* U2X: 8 cycles a bit at least, 1 Mbaud. simavr takes 11 bits a byte. */
#ifdef BOARD_LINK_CYCLES
#define UART_DIVISOR ((BOARD_LINK_CYCLES) / (8 * 11) - 1)
#elif MCUPROF_CALLS /* simavr forgets interrupts where a byte takes less than its own */
#define UART_DIVISOR 1
#else
#define UART_DIVISOR 0
#endif

#define TICK_VECTOR  TIMER0_COMPA_vect
#define TICK_MASK    TIMSK0
#define TICK_CONTROL TCCR0B

#endif
