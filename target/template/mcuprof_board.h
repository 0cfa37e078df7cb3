/* SPDX-License-Identifier: MIT */
/*
 * mcuprof on my board: the knobs of mcuprof_config.h that are not at their defaults. Copy
 * it into your firmware and compile with -DMCUPROF_CONFIG='"mcuprof_board.h"' and -I with
 * the folder that it is in.
 */

#error "mcuprof port, step 1: set the clock of the sampling timer"
#define MCUPROF_TIMER_HZ       0 /* e.g. 48000000 */
#define MCUPROF_TIMER_RESTARTS 1 /* 0 if mcuprof_timer_set() cannot start it over */

/* Ticks since the sampling interrupt was due, if the timer can be read. Assembly includes
 * this file, too: what is C, a vendor's header, must be hidden from it.
 * #define MCUPROF_TIMER_SINCE()  (TIM2->CNT)
 * #ifndef __ASSEMBLER__
 * #include "stm32f4xx.h"
 * #endif */

/* The link's interrupt number, where you want MCUPROF_WAIT:
 * #define MCUPROF_LINK_IRQ 12 */
