/* SPDX-License-Identifier: MIT */
/* Timer 1's first compare match goes to the library with all registers as they were. */
#include <avr/io.h>

    .section .text.mcuprof_vector, "ax", @progbits
    .global TIMER1_COMPA_vect, mcuprof_arduino_vector
TIMER1_COMPA_vect:
mcuprof_arduino_vector:
    jmp mcuprof_sample_isr
