/* SPDX-License-Identifier: MIT */
/* Declarations of the Pico SDK, by its documentation, to compile against. */
enum { GPIO_FUNC_UART = 2 };
void gpio_set_function(unsigned gpio, int function);
