/* SPDX-License-Identifier: MIT */
/*
 * ATmega1284P: USART0 as the link, timer 1 for sampling (its interrupt is
 * mcuprof_sample_isr itself: board.mk), timer 0 for the examples' tick, timer 3 as the
 * time base.
 *
 * An AVR's interrupts wait for one another; of those that wait, the one whose vector
 * comes first comes first: sampling. The tick's handler enables them all but its own and
 * the link's, and so is of a lower priority than sampling and of a higher one than the
 * link.
 */
#include "board.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "mcuprof_port.h"

#define CLOCK_HZ 8000000ul
#define FN       MCUPROF_NOT_PROFILED

/* U2X: 8 cycles a bit at least, 1 Mbaud. simavr takes 11 bits a byte. */
#ifdef BOARD_LINK_CYCLES
#define UART_DIVISOR ((BOARD_LINK_CYCLES) / (8 * 11) - 1)
#elif MCUPROF_CALLS /* simavr forgets interrupts where a byte takes less than its own */
#define UART_DIVISOR 1
#else
#define UART_DIVISOR 0
#endif

static volatile bool in_handler;
volatile uint16_t board_time_high;

FN void board_init(void)
{
    UCSR0A = 1 << U2X0; /* simavr looks at it when the divisor is written */
    UBRR0 = UART_DIVISOR;
    UCSR0B = 1 << TXEN0;
    TCCR3B = 1 << CS30; /* run freely by the processor's clock */
    TIMSK3 = 1 << TOIE3;
    sei();
}

FN void board_put(uint8_t byte)
{
    UDR0 = byte;
}

FN void mcuprof_link_start(void)
{
    if (!in_handler) { /* else when it ends */
        UCSR0B |= 1 << UDRIE0;
    }
}

FN void mcuprof_link_isr(void)
{
    if (UCSR0A & 1 << UDRE0) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            UDR0 = (uint8_t)byte;
        }
    }
}

FN void mcuprof_link_idle(void)
{
    UCSR0B &= (uint8_t) ~(1 << UDRIE0);
}

/* Not mcuprof_link_entry(): what that needs around the time it measures takes longer than
 * this whole interrupt, whose cycles are always about the same. */
enum { LINK_CYCLES = MCUPROF_INDEX_BYTES == 2 ? 164 : 157 };

FN ISR(USART0_UDRE_vect)
{
    mcuprof_link_isr();
    mcuprof_hide_ticks(LINK_CYCLES);
}

FN bool mcuprof_may_wait(void)
{
    return !in_handler;
}

FN void mcuprof_timer_start(uint32_t ticks)
{
    OCR1A = (uint16_t)(ticks - 1);
    TCNT1 = 0;
    TIFR1 = 1 << OCF1A;
    TIMSK1 = 1 << OCIE1A;
    TCCR1B = 1 << WGM12 | 1 << CS11; /* to OCR1A and over again; 8 cycles a tick */
}

volatile unsigned board_samples;

FN void mcuprof_timer_set(uint32_t ticks)
{
#ifdef BOARD_COUNT_SAMPLES
    board_samples++;
#endif
    OCR1A = (uint16_t)(ticks - 1);
    if (TCNT1 >= (uint16_t)(ticks - 1)) { /* interrupts were masked for long */
        TCNT1 = 0;
    }
}

FN void mcuprof_timer_stop(void)
{
    TIMSK1 = 0;
    TCCR1B = 0;
}

static void (*tick_handler)(void);

FN void board_tick(uint32_t microseconds, void (*handler)(void))
{
    TCCR0B = 0;
    TIMSK0 = 0;
    if (microseconds == 0) {
        return;
    }
    tick_handler = handler;
    OCR0A = (uint8_t)(microseconds / 8 - 1);
    TCNT0 = 0;
    TCCR0A = 1 << WGM01; /* to OCR0A and over again */
    TIFR0 = 1 << OCF0A;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = 1 << CS01 | 1 << CS00; /* 64 cycles a tick, 8 us */
}

FN ISR(TIMER0_COMPA_vect)
{
    uint8_t link = UCSR0B & 1 << UDRIE0;
    uint8_t tick = TIMSK0;

    in_handler = true;
    mcuprof_link_idle();
    TIMSK0 = 0;
    sei();
    tick_handler();
    cli();
    if (TCCR0B) { /* it was not stopped */
        TIMSK0 = tick;
    }
    in_handler = false;
    if (link || mcuprof_state.busy) {
        mcuprof_link_start();
    }
}

FN ISR(TIMER3_OVF_vect)
{
    board_time_high++;
}

FN uint32_t board_time(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t time = MCUPROF_TIMER_32(TCNT3, TIFR3, 1 << TOV3, board_time_high);

    mcuprof_irq_restore(irq);
    return time;
}

FN _Noreturn void board_exit(int status)
{
    while (mcuprof_state.busy) {
    }
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    GPIOR0 = (uint8_t)status;
    for (;;) { /* where the simulator ends */
        cli();
        __asm__ volatile("sleep");
    }
}

/* What main() returns comes here. */
__attribute__((used, noreturn)) FN void exit(int status)
{
    board_exit(status);
}

/* Before main(), once memory is set up. */
__attribute__((used, naked, section(".init8"))) FN static void init(void)
{
    SMCR = 1 << SE;
    board_init();
}
