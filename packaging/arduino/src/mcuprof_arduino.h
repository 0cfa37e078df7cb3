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
 * It needs no flags: it samples, and counts no calls. Between two calls of
 * mcuprof_arduino_send() counters wait in MCUPROF_RING_BYTES; what does not fit is
 * counted as lost. PWM of timer 1 and libraries that use it (Servo) do not work beside.
 */
#ifndef MCUPROF_ARDUINO_H
#define MCUPROF_ARDUINO_H

#include <Print.h>

#include "mcuprof.h"

/* Starts sampling. `out` says by availableForWrite() how much it takes without waiting,
 * as Serial does; one that always says 0 sends nothing before the end. Context: task. */
void mcuprof_arduino_begin(Print &out);

/* Sends what waits and fits into the Print's buffer. Context: task; does not block. */
void mcuprof_arduino_send();

/* Stops, and sends all that is left. Context: task; waits for the Print. */
void mcuprof_arduino_end();

#endif
