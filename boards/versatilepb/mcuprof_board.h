/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ 1000000
#define MCUPROF_TIME_HZ  24000000
#define MCUPROF_TIME()   (*(volatile uint32_t *)0x1000005Cu) /* SYS_24MHZ */
