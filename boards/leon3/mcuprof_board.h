/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_LINK_ADDRESS 0x80000100u
#define MCUPROF_TIMER_HZ     10000000
#ifndef MCUPROF_TIMER_RESTARTS /* RTEMS has another timer */
#define MCUPROF_TIMER_RESTARTS 1
#endif
#define MCUPROF_TIMER_SINCE() /* the period less its remainder */                        \
    (*(volatile uint32_t *)0x80000324u + 1 - *(volatile uint32_t *)0x80000320u)
#define MCUPROF_LINK_IRQ 3
/* GPTIMER's first timer: see clock.c. The library reads it with interrupts masked. */
#define MCUPROF_TIME_HZ MCUPROF_TIMER_HZ
#define MCUPROF_TIME()  (board_time_base - *(volatile uint32_t *)0x80000310u)

#ifndef __ASSEMBLER__
#include <stdint.h>
extern volatile uint32_t board_time_base;
#endif
