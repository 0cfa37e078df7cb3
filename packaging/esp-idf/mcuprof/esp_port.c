/* SPDX-License-Identifier: MIT */
/* The port to an ESP32-C3 with ESP-IDF: UART1 and alarm 1 of the system timer, which IDF
 * leaves to the second core of chips that have one. */
#include <stdbool.h>
#include <stdint.h>

#include "driver/uart.h"
#include "esp_intr_alloc.h"
#include "hal/systimer_ll.h"
#include "hal/uart_ll.h"
#include "mcuprof_esp_idf.h"
#include "mcuprof_port.h"
#include "soc/interrupts.h"

#if CONFIG_ESP_CONSOLE_UART_NUM == 1
#error "mcuprof sends by UART1: give the console UART0 or USB, under ESP System Settings"
#endif

#define FN MCUPROF_NOT_PROFILED

enum { COUNTER = 0, ALARM = 1 }; /* of the system timer; esp_timer's counter */
enum { FIFO_LOW = 16 };          /* bytes: fewer, and the UART interrupts */

/* The processor's number of the sampling interrupt, for entry.S; 0: none yet. */
uint32_t mcuprof_esp_interrupt;

static bool timer_runs;

/* ---- The link ---- */

FN void mcuprof_link_isr(void)
{
    if (mcuprof_state.busy && uart_ll_get_txfifo_len(&UART1) >= MCUPROF_SPAN_BYTES) {
        const uint8_t *bytes;
        unsigned count = mcuprof_tx_span(&bytes, MCUPROF_SPAN_BYTES);

        if (count) {
            uart_ll_write_txfifo(&UART1, bytes, count);
            uart_ll_clr_intsts_mask(&UART1, UART_INTR_TXFIFO_EMPTY);
            uart_ll_ena_intr_mask(&UART1, UART_INTR_TXFIFO_EMPTY);
        }
    }
}

FN void mcuprof_link_idle(void)
{
    uart_ll_disable_intr_mask(&UART1, UART_INTR_TXFIFO_EMPTY);
}

FN static void link_due(void *unused)
{
    (void)unused;
    mcuprof_link_entry();
}

FN static esp_err_t link_begin(void)
{
    const uart_config_t config = {.baud_rate = CONFIG_MCUPROF_BAUD,
                                  .data_bits = UART_DATA_8_BITS,
                                  .parity = UART_PARITY_DISABLE,
                                  .stop_bits = UART_STOP_BITS_1,
                                  .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
                                  .source_clk = UART_SCLK_DEFAULT};
    esp_err_t error = uart_param_config(UART_NUM_1, &config);

    if (error == ESP_OK) {
        error = uart_set_pin(UART_NUM_1, CONFIG_MCUPROF_TX_GPIO, UART_PIN_NO_CHANGE,
                             UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE);
    }
    uart_ll_disable_intr_mask(&UART1, UART_LL_INTR_MASK);
    uart_ll_set_txfifo_empty_thr(&UART1, FIFO_LOW);
    if (error == ESP_OK) {
        error = esp_intr_alloc(ETS_UART1_INTR_SOURCE, ESP_INTR_FLAG_LEVEL1, link_due,
                               NULL, NULL);
    }
    return error;
}

/* ---- The sampling timer ---- */

FN static uint64_t now(void)
{
    uint32_t low, high;

    systimer_ll_counter_snapshot(&SYSTIMER, COUNTER);
    while (!systimer_ll_is_counter_value_valid(&SYSTIMER, COUNTER)) {
    }
    do {
        low = systimer_ll_get_counter_value_low(&SYSTIMER, COUNTER);
        high = systimer_ll_get_counter_value_high(&SYSTIMER, COUNTER);
    } while (low != systimer_ll_get_counter_value_low(&SYSTIMER, COUNTER));
    return (uint64_t)high << 32 | low;
}

/* The register that enables alarms has those of others, too. Whoever is interrupted in
 * writing it back writes this alarm's bit as it leaves this function: set. */
FN void mcuprof_timer_set(uint32_t ticks)
{
    systimer_ll_clear_alarm_int(&SYSTIMER, ALARM);
    if (timer_runs) {
        systimer_ll_enable_alarm(&SYSTIMER, ALARM, false);
        systimer_ll_set_alarm_target(&SYSTIMER, ALARM, now() + ticks);
        systimer_ll_apply_alarm_value(&SYSTIMER, ALARM);
        systimer_ll_enable_alarm(&SYSTIMER, ALARM, true);
    }
}

FN void mcuprof_timer_start(uint32_t ticks)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    systimer_ll_connect_alarm_counter(&SYSTIMER, ALARM, COUNTER);
    systimer_ll_enable_alarm_oneshot(&SYSTIMER, ALARM);
    systimer_ll_enable_alarm_int(&SYSTIMER, ALARM, true);
    timer_runs = true;
    mcuprof_timer_set(ticks);
    mcuprof_irq_restore(irq);
}

FN void mcuprof_timer_stop(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    timer_runs = false;
    systimer_ll_enable_alarm(&SYSTIMER, ALARM, false);
    systimer_ll_enable_alarm_int(&SYSTIMER, ALARM, false);
    systimer_ll_clear_alarm_int(&SYSTIMER, ALARM);
    mcuprof_irq_restore(irq);
}

/* Of a level that IDF's critical sections do not mask, and therefore without a handler
 * in C. While flash is off IDF disables it, for it is not said to be in IRAM. */
FN esp_err_t esp_mcuprof_begin(void)
{
    intr_handle_t sampling;
    esp_err_t error = link_begin();

    if (error == ESP_OK) {
        error = esp_intr_alloc(ETS_SYSTIMER_TARGET1_INTR_SOURCE, ESP_INTR_FLAG_LEVEL5,
                               NULL, NULL, &sampling);
    }
    if (error == ESP_OK) {
        mcuprof_esp_interrupt = (uint32_t)esp_intr_get_intno(sampling);
        mcuprof_start();
    }
    return error;
}
