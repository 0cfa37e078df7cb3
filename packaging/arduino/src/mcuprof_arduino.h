/* SPDX-License-Identifier: MIT */
/*
 * mcuprof in a sketch, on an ATmega with timer 1 to spare. What it counts goes out over a
 * Print, such as Serial, whose interrupt owns the UART; so nothing else may print there
 * but by mcuprof_write(), until mcuprof_arduino_end().
 *
 *     #include <mcuprof_arduino.h>
 *
 *     void setup() { Serial.begin(250000); mcuprof_arduino_begin(Serial); }
 *     void loop()  { mcuprof_arduino_send(); ... }
 *
 * With a second UART, and MCUPROF_ARDUINO_UART 1 in mcuprof_arduino_config.h, Serial
 * stays the sketch's, and sending takes no call: mcuprof_arduino_begin(250000) is all.
 *
 * It needs no flags: it samples, and counts no calls. Between two calls of
 * mcuprof_arduino_send() counters wait in MCUPROF_RING_BYTES; what does not fit is
 * counted as lost. PWM of timer 1 and libraries that use it (Servo) do not work beside.
 */
#ifndef MCUPROF_ARDUINO_H
#define MCUPROF_ARDUINO_H

#include <Print.h>

#include "mcuprof.h"
#include "mcuprof_config.h"

#if MCUPROF_ARDUINO_UART
/* Sets USART1 up, and starts sampling. Context: task. */
void mcuprof_arduino_begin(unsigned long baud);

/* Does nothing: the UART interrupts. */
static inline void mcuprof_arduino_send()
{
}
#else

/* Starts sampling. `out` says by availableForWrite() how much it takes without waiting,
 * as Serial does; one that always says 0 sends nothing before the end. Context: task. */
void mcuprof_arduino_begin(Print &out);

/* Sends what waits and fits into the Print's buffer. Context: task; does not block. */
void mcuprof_arduino_send();
#endif

/* Stops, and sends all that is left. Context: task; waits for the link. */
void mcuprof_arduino_end();

#endif
