/* SPDX-License-Identifier: MIT */
/* Declarations of the Pico SDK, by its documentation, to compile against. */
#include <stdbool.h>
#include <stdint.h>
typedef struct {
    volatile uint32_t dr, fr, imsc, icr;
} uart_hw_t;
typedef struct uart_inst uart_inst_t;
extern uart_inst_t *const uart1;
enum {
    UART_UARTIMSC_TXIM_BITS = 0x20,
    UART_UARTFR_TXFF_BITS = 0x20,
    UART_UARTICR_TXIC_BITS = 0x20
};
unsigned uart_init(uart_inst_t *uart, unsigned baud);
void uart_set_fifo_enabled(uart_inst_t *uart, bool enabled);
uart_hw_t *uart_get_hw(uart_inst_t *uart);
