/* SPDX-License-Identifier: MIT */
/*
 * ATmega2560: adds to boards/avr timer 3 for the examples' tick and timer 4 as the time
 * base. QEMU has no 8-bit timers, and no interrupt whose vector is above 33. Define
 * BOARD_CHIP for a real chip, which differs from QEMU.
 */
#include "avr_board.h"

FN ISR(USART0_UDRE_vect)
{
    mcuprof_link_entry();
}

FN void avr_tick_start(uint32_t microseconds)
{
    OCR3A = (uint16_t)(microseconds * 2 - 1);
    TCNT3 = 0;
    TIFR3 = 1 << OCF3A;
    TIMSK3 = 1 << OCIE3A;
    TCCR3B =
        1 << WGM32 | 1 << CS31; /* counts to OCR3A and starts over; 8 cycles a tick */
}

#ifdef BOARD_CHIP
volatile uint16_t board_time_high;

FN void avr_clock_start(void)
{
    TCCR4B = 1 << CS40; /* runs freely with the processor's clock */
    TIMSK4 = 1 << TOIE4;
}

FN ISR(TIMER4_OVF_vect)
{
    board_time_high++;
}

FN uint32_t board_time(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t time = MCUPROF_TIMER_32(TCNT4, TIFR4, 1 << TOV4, board_time_high);

    mcuprof_irq_restore(irq);
    return time;
}
#else
static uint16_t time_low, time_high;

FN void avr_clock_start(void)
{
    /* The timer counts to OCR4A and starts over, as it would if it ran freely. But if it
     * did, QEMU would set the counter to 0 whenever QEMU comes round to it. */
    OCR4A = 0xFFFF;
    TCCR4A = 1 << WGM41 | 1 << WGM40;
    TIMSK4 = 1 << TOIE4;
    TCCR4B = 1 << WGM43 | 1 << WGM42 | 1 << CS41; /* 8 cycles a tick */
}

/* This replaces MCUPROF_TIMER_32(), since QEMU cannot clear the overflow's flag. It must
 * be called at least once in each turn of the counter. */
FN uint32_t board_time(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    uint16_t low = TCNT4;
    uint32_t time;

    if (low < time_low) {
        time_high++;
    }
    time_low = low;
    time = (uint32_t)time_high << 16 | low;
    mcuprof_irq_restore(irq);
    return time;
}

FN ISR(TIMER4_OVF_vect)
{
    (void)board_time();
}
#endif

/* Tells run.sh, for which QEMU writes the second UART to a file. */
FN void avr_say_status(uint8_t status)
{
    UCSR1B = 1 << TXEN1;
    UDR1 = status;
}
