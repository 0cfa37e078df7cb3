/* SPDX-License-Identifier: MIT */
/* Declarations of ESP-IDF 5.5, by its headers, to compile against. */
#include "esp_err.h"
enum {
    UART_NUM_1 = 1,
    UART_DATA_8_BITS = 3,
    UART_PARITY_DISABLE = 0,
    UART_STOP_BITS_1 = 1
};
enum { UART_HW_FLOWCTRL_DISABLE = 0, UART_SCLK_DEFAULT = 1, UART_PIN_NO_CHANGE = -1 };
typedef struct {
    int baud_rate, data_bits, parity, stop_bits, flow_ctrl, source_clk;
} uart_config_t;
esp_err_t uart_param_config(int uart, const uart_config_t *config);
esp_err_t uart_set_pin(int uart, int tx, int rx, int rts, int cts);
