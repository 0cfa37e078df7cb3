/* SPDX-License-Identifier: MIT */
/* Declarations of the Pico SDK, by its documentation, to compile against. */
#include <stdint.h>
typedef struct {
    volatile uint32_t timerawl, alarm[4], armed, intr, inte;
} timer_hw_t;
extern timer_hw_t *const timer_hw;
void hw_set_bits(volatile uint32_t *at, uint32_t bits);
void hw_clear_bits(volatile uint32_t *at, uint32_t bits);
