/* SPDX-License-Identifier: MIT */
/* Declarations of ESP-IDF 5.5, by its headers, to compile against. */
#include <stdint.h>
typedef struct uart_dev_s uart_dev_t;
extern uart_dev_t UART1;
enum { UART_INTR_TXFIFO_EMPTY = 1 << 1, UART_LL_INTR_MASK = 0x7ffff };
uint32_t uart_ll_get_txfifo_len(uart_dev_t *uart);
void uart_ll_write_txfifo(uart_dev_t *uart, const uint8_t *bytes, uint32_t count);
void uart_ll_set_txfifo_empty_thr(uart_dev_t *uart, uint16_t bytes);
void uart_ll_ena_intr_mask(uart_dev_t *uart, uint32_t mask);
void uart_ll_disable_intr_mask(uart_dev_t *uart, uint32_t mask);
void uart_ll_clr_intsts_mask(uart_dev_t *uart, uint32_t mask);
