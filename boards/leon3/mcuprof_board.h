/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ 10000000
#define MCUPROF_LINK_IRQ 3
/* There are two timers: the time base is sampling's, where that does not need it. It
 * counts down. */
#if defined(MCUPROF_SAMPLES) && !MCUPROF_SAMPLES
#define MCUPROF_TIME_HZ 10000000
#define MCUPROF_TIME()  (~*(volatile uint32_t *)0x80000320u)
#endif
