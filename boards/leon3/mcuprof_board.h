/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ 10000000
#define MCUPROF_LINK_IRQ 3
