/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ 20000000
#ifdef BOARD_LINK_CYCLES
#define MCUPROF_LINK_IRQ (-1) /* SysTick */
#else
#define MCUPROF_LINK_IRQ 33
#endif
