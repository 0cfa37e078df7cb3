/* SPDX-License-Identifier: MIT */
/* ATmega1284P: adds to boards/avr timer 0 for the examples' tick and timer 3 as the time
 * base. */
#include "avr_board.h"

/* This replaces mcuprof_link_entry(), whose measuring would take longer than this whole
 * interrupt; the interrupt always takes about the same number of cycles. */
enum { LINK_CYCLES = MCUPROF_INDEX_BYTES == 2 ? 164 : 157 };

FN ISR(USART0_UDRE_vect)
{
    mcuprof_link_isr();
    mcuprof_hide_ticks(LINK_CYCLES);
}

#if defined(BOARD_SPI)
void mcuprof_spi_sent(void);

FN ISR(SPI_STC_vect)
{
    mcuprof_spi_sent();
    mcuprof_link_entry();
}
#elif defined(BOARD_TWI)
FN ISR(TWI_vect)
{
    mcuprof_link_entry();
}
#endif

FN void avr_tick_start(uint32_t microseconds)
{
    OCR0A = (uint8_t)(microseconds / 8 - 1);
    TCNT0 = 0;
    TCCR0A = 1 << WGM01; /* counts to OCR0A and starts over */
    TIFR0 = 1 << OCF0A;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = 1 << CS01 | 1 << CS00; /* 64 cycles a tick, 8 us */
}

volatile uint16_t board_time_high;

FN void avr_clock_start(void)
{
    TCCR3B = 1 << CS30; /* runs freely with the processor's clock */
    TIMSK3 = 1 << TOIE3;
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

FN void avr_say_status(uint8_t status)
{
    GPIOR0 = status; /* the simulator ends when the processor sleeps */
}
