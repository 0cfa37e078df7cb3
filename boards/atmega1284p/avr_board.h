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

/* The links beside the UART. simavr's SPI takes 100 us for a byte at any rate. */
#if defined(BOARD_SPI)
#define AVR_LINK_START()                                                                 \
    (DDRB |= 1 << DDB4 | 1 << DDB5 | 1 << DDB7,           /* SS, MOSI, SCK */            \
     SPCR = 1 << SPIE | 1 << SPE | 1 << MSTR | 1 << SPR0) /* 500 kHz */
#elif defined(BOARD_TWI)
#define AVR_LINK_START() (TWBR = 2) /* 400 kHz */
#endif

#define TICK_VECTOR  TIMER0_COMPA_vect
#define TICK_MASK    TIMSK0
#define TICK_CONTROL TCCR0B

#endif
