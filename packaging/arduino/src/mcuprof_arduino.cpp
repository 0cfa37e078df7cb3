/* SPDX-License-Identifier: MIT */
/* The port: a Print as the link, which only tasks send over, or USART1; and timer 1. */
#include "mcuprof_arduino.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "mcuprof_port.h"

#if MCUPROF_ARDUINO_UART
extern "C" {
#include "avr_usart.inc"
}

ISR(USART1_UDRE_vect)
{
    mcuprof_link_entry();
}

void mcuprof_arduino_begin(unsigned long baud)
{
    UCSR1A = 1 << U2X1;
    UBRR1 = (uint16_t)((F_CPU / 4 / baud - 1) / 2);
    UCSR1B = 1 << TXEN1;
    mcuprof_start();
}

void mcuprof_arduino_end()
{
    mcuprof_end();
}
#else
static Print *link_out;

void mcuprof_arduino_begin(Print &out)
{
    link_out = &out;
    mcuprof_start();
}

void mcuprof_arduino_send()
{
    mcuprof_link_isr();
}

void mcuprof_arduino_end()
{
    mcuprof_end();
    if (link_out) {
        link_out->flush();
    }
}

extern "C" {
/* What waits in the ring is sent by mcuprof_arduino_send(), or by what waits for the link
 * and calls mcuprof_link_isr() with interrupts masked: write() does not need them. */
void mcuprof_link_start(void)
{
}

void mcuprof_link_idle(void)
{
}

void mcuprof_link_isr(void)
{
    bool masked = !(SREG & 1 << SREG_I);

    while (link_out && mcuprof_state.busy &&
           (masked || link_out->availableForWrite() > 0)) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            link_out->write((uint8_t)byte);
        }
        if (masked) {
            break; /* one byte, for interrupts wait */
        }
    }
}
}
#endif

extern "C" {
extern const char mcuprof_arduino_vector[];

void mcuprof_timer_start(uint32_t ticks)
{
    /* Takes vector.S out of an archive, as arduino-mk makes one of libraries. The section is
     * not loaded. */
    __asm__ volatile(".pushsection .mcuprof_vector,\"\",@progbits\n"
                     "    .word %0\n"
                     "    .popsection" ::"i"(mcuprof_arduino_vector));
    static_assert(MCUPROF_PERIOD + MCUPROF_PERIOD / 2 <= 65536,
                  "MCUPROF_SAMPLE_HZ: too low");
    TCCR1B = 0; /* Arduino's PWM would take OCR1A over later */
    TCCR1A = 0;
    OCR1A = (uint16_t)(ticks - 1);
    TCNT1 = 0;
    TIFR1 = 1 << OCF1A;
    TIMSK1 = 1 << OCIE1A;
    TCCR1B = 1 << WGM12 | 1 << CS11; /* counts to OCR1A, 8 cycles a tick */
}

void mcuprof_timer_set(uint32_t ticks)
{
    OCR1A = (uint16_t)(ticks - 1);
    TCNT1 = 0;
}

void mcuprof_timer_stop(void)
{
    TIMSK1 = 0;
    TCCR1B = 0;
}
}
