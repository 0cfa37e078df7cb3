/* SPDX-License-Identifier: MIT */
/*
 * The parts of a board that avr.c needs. A board's "avr_board.h" includes this file and
 * defines
 *   UART_DIVISOR  UBRR0, with U2X
 *   AVR_LINK_START()  optional: sets up a link that is not the UART
 *   TICK_VECTOR, TICK_MASK, TICK_CONTROL  the tick's timer: the vector of its compare
 *                 match, TIMSKn, TCCRnB
 */
#ifndef AVR_H
#define AVR_H

#include <avr/interrupt.h>
#include <avr/io.h>

#include "board.h"
#include "mcuprof_port.h"

#define FN MCUPROF_NOT_PROFILED

/* Starts the clock of timed calls. */
void avr_clock_start(void);

/* Starts the tick's timer, which interrupts every `microseconds`. */
void avr_tick_start(uint32_t microseconds);

/* Tells the emulator or simulator the program's exit status. Context: interrupts masked.
 */
void avr_say_status(uint8_t status);

#endif
