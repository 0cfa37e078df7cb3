/* SPDX-License-Identifier: MIT */
/* Declarations of the Pico SDK, by its documentation, to compile against. */
#include <stdbool.h>
#include <stdint.h>
enum { TIMER_IRQ_0 = 0, UART1_IRQ = 21 };
void irq_set_exclusive_handler(unsigned number, void (*handler)(void));
void irq_set_priority(unsigned number, uint8_t priority);
void irq_set_enabled(unsigned number, bool enabled);
