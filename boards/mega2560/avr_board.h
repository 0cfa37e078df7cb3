/* SPDX-License-Identifier: MIT */
#ifndef AVR_BOARD_H
#define AVR_BOARD_H

#include "avr.h"

#define UART_DIVISOR 1 /* 1 Mbaud; QEMU sends at once */
#define TICK_VECTOR  TIMER3_COMPA_vect
#define TICK_MASK    TIMSK3
#define TICK_CONTROL TCCR3B

#endif
