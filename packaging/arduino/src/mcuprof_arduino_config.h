/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs in a sketch: mcuprof_config.h explains them. */
#define MCUPROF_ARCS           0 /* the IDE has no flags for single files */
#define MCUPROF_TIMER_HZ       (F_CPU / 8)
#define MCUPROF_TIMER_RESTARTS 1

/* 1: the link is USART1, of which no Serial1 may be used. Serial stays the sketch's. 0:
 * it is any Print. */
#ifndef MCUPROF_ARDUINO_UART
#define MCUPROF_ARDUINO_UART 0
#endif
#define MCUPROF_LINK_ADDRESS _SFR_ADDR(UCSR1A)
