/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on an RP2040: mcuprof_config.h explains them. The link is UART1 on GPIO
 * MCUPROF_PICO_TX; alarm 2 of the timer samples, in microseconds. */
#define MCUPROF_TIMER_HZ       1000000
#define MCUPROF_TIMER_RESTARTS 1
#define MCUPROF_TIMER_SINCE()  (*(volatile uint32_t *)0x40054028 - mcuprof_pico_due)
#define MCUPROF_AUTO_START     1

#ifndef MCUPROF_PICO_TX
#define MCUPROF_PICO_TX 4
#endif
#ifndef MCUPROF_PICO_BAUD
#define MCUPROF_PICO_BAUD 921600
#endif

#ifndef __ASSEMBLER__
#include <stdint.h>
#ifdef __cplusplus
extern "C"
#else
extern
#endif
    uint32_t mcuprof_pico_due; /* when the sampling interrupt is due, or was */
#endif
