/* SPDX-License-Identifier: MIT */
#ifndef AVR_BOARD_H
#define AVR_BOARD_H

#include "avr.h"

/* With U2X a bit takes at least 8 cycles: 1 Mbaud. simavr sends 11 bits for each byte. */
#ifdef BOARD_LINK_CYCLES
#define UART_DIVISOR ((BOARD_LINK_CYCLES) / (8 * 11) - 1)
#elif MCUPROF_CALLS /* simavr forgets interrupts if a byte takes less time than its      \
                       interrupt */
#define UART_DIVISOR 1
#else
#define UART_DIVISOR 0
#endif

#define TICK_VECTOR  TIMER0_COMPA_vect
#define TICK_MASK    TIMSK0
#define TICK_CONTROL TCCR0B

#endif
