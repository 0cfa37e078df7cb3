/* SPDX-License-Identifier: MIT */
/*
 * ATmega: USART0 is the link, timer 1 samples (its interrupt is mcuprof_sample_isr
 * itself: board.mk), and the board's timers are the examples' tick and the time base.
 *
 * An AVR's interrupts wait for each other; the one with the first vector, sampling,
 * comes first. The tick's handler enables all interrupts but its own and the link's, so
 * that its priority is below sampling's and above the link's.
 */
#include "avr_board.h"

#ifndef AVR_LINK_START
#define AVR_LINK_START() (void)0
#endif

volatile bool board_in_handler;

FN void board_init(void)
{
    AVR_LINK_START();
    UCSR0A = 1 << U2X0; /* simavr reads it when the divisor is written */
    UBRR0 = UART_DIVISOR;
    UCSR0B = 1 << TXEN0;
    avr_clock_start();
    sei();
}

FN void board_put(uint8_t byte)
{
    UDR0 = byte;
}

FN bool mcuprof_may_wait(void)
{
    return !board_in_handler;
}

FN void mcuprof_timer_start(uint32_t ticks)
{
    OCR1A = (uint16_t)(ticks - 1);
    TCNT1 = 0;
    TIFR1 = 1 << OCF1A;
    TIMSK1 = 1 << OCIE1A;
    TCCR1B =
        1 << WGM12 | 1 << CS11; /* counts to OCR1A and starts over; 8 cycles a tick */
}

volatile unsigned board_samples;

FN void mcuprof_timer_set(uint32_t ticks)
{
#ifdef BOARD_COUNT_SAMPLES
    board_samples++;
#endif
    OCR1A = (uint16_t)(ticks - 1);
    TCNT1 = 0;
}

FN void mcuprof_timer_stop(void)
{
    TIMSK1 = 0;
    TCCR1B = 0;
}

static void (*tick_handler)(void);

FN void board_tick(uint32_t microseconds, void (*handler)(void))
{
    TICK_CONTROL = 0;
    TICK_MASK = 0;
    if (microseconds != 0) {
        tick_handler = handler;
        avr_tick_start(microseconds);
    }
}

FN ISR(TICK_VECTOR)
{
    uint8_t link = UCSR0B & 1 << UDRIE0;
    uint8_t tick = TICK_MASK;

    board_in_handler = true;
    mcuprof_link_idle();
    TICK_MASK = 0;
    mcuprof_irq_restore(1 << SREG_I);
    tick_handler();
    cli();
    if (TICK_CONTROL) { /* unless the handler has stopped it */
        TICK_MASK = tick;
    }
    board_in_handler = false;
    if (link || mcuprof_state.busy) {
        mcuprof_link_start();
    }
}

FN _Noreturn void board_exit(int status)
{
    while (mcuprof_state.busy) {
    }
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    cli();
    avr_say_status((uint8_t)status);
    for (;;) {
        __asm__ volatile("sleep");
    }
}

/* The start-up code calls this when main() returns. */
__attribute__((used, noreturn)) FN void exit(int status)
{
    board_exit(status);
}

/* Runs before main(), after memory is set up. (Constructors run in .init6.) */
#if MCUPROF_AUTO_START
FN void mcuprof_setup(void)
#else
__attribute__((used, naked, section(".init8"))) FN static void init(void)
#endif
{
    SMCR = 1 << SE;
    board_init();
}
