/* SPDX-License-Identifier: MIT */
/* The port to an RP2040 with the Pico SDK. */
#include "hardware/gpio.h"
#include "hardware/irq.h"
#include "hardware/structs/timer.h"
#include "hardware/timer.h"
#include "hardware/uart.h"
#include "mcuprof_port.h"

#if LIB_PICO_MULTICORE && !MCUPROF_PICO_CORE0
#error                                                                                   \
    "mcuprof counts on one core. Compile nothing that runs on core 1 with its flags, and say MCUPROF_PICO_CORE0=1"
#endif

#if LIB_PICO_STDIO_UART && PICO_DEFAULT_UART == 1
#error                                                                                   \
    "mcuprof sends by UART1: PICO_DEFAULT_UART must be 0, or pico_enable_stdio_uart() 0"
#endif
#if MCUPROF_PICO_TX != 4 && MCUPROF_PICO_TX != 8 && MCUPROF_PICO_TX != 20 &&             \
    MCUPROF_PICO_TX != 24
#error "MCUPROF_PICO_TX: UART1 sends by GPIO 4, 8, 20 or 24"
#endif

#define FN MCUPROF_NOT_PROFILED

enum { ALARM = 2, HIGHEST = 0x00, LOWEST = 0xC0 };

uint32_t mcuprof_pico_due;

/* As a constructor it comes when the SDK has set clocks and vectors up. */
FN void mcuprof_setup(void)
{
    hardware_alarm_claim(ALARM);
    uart_init(uart1, MCUPROF_PICO_BAUD);
    uart_set_fifo_enabled(uart1, false);
    gpio_set_function(MCUPROF_PICO_TX, GPIO_FUNC_UART);
    irq_set_exclusive_handler(UART1_IRQ, mcuprof_link_entry);
    irq_set_priority(UART1_IRQ, LOWEST);
    irq_set_enabled(UART1_IRQ, true);
    irq_set_exclusive_handler(TIMER_IRQ_0 + ALARM, mcuprof_sample_isr);
    irq_set_priority(TIMER_IRQ_0 + ALARM, HIGHEST);
    irq_set_enabled(TIMER_IRQ_0 + ALARM, true);
}

/* The transmitter interrupts when a byte has left it, so the first is sent here. */
FN void mcuprof_link_start(void)
{
    uart_get_hw(uart1)->imsc = UART_UARTIMSC_TXIM_BITS;
    mcuprof_link_isr();
}

FN void mcuprof_link_idle(void)
{
    uart_get_hw(uart1)->imsc = 0;
}

FN void mcuprof_link_isr(void)
{
    uart_hw_t *uart = uart_get_hw(uart1);

    if (mcuprof_state.busy && !(uart->fr & UART_UARTFR_TXFF_BITS)) {
        int byte;

        uart->icr = UART_UARTICR_TXIC_BITS;
        byte = mcuprof_tx_next();
        if (byte >= 0) {
            uart->dr = (uint32_t)byte;
        }
    }
}

FN void mcuprof_timer_start(uint32_t ticks)
{
    hw_set_bits(&timer_hw->inte, 1u << ALARM);
    mcuprof_timer_set(ticks);
}

FN void mcuprof_timer_set(uint32_t ticks)
{
    timer_hw->intr = 1u << ALARM;
    mcuprof_pico_due = timer_hw->timerawl + ticks;
    timer_hw->alarm[ALARM] = mcuprof_pico_due;
}

FN void mcuprof_timer_stop(void)
{
    hw_clear_bits(&timer_hw->inte, 1u << ALARM);
    timer_hw->armed = 1u << ALARM;
}
