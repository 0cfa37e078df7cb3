/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ       16000000
#define MCUPROF_TIMER_RESTARTS 1
#ifdef BOARD_LINK_CYCLES
#define MCUPROF_LINK_IRQ (-1) /* SysTick */
#else
#define MCUPROF_LINK_IRQ 2
#endif
#define MCUPROF_LINK_ADDRESS 0x40002000u
#define MCUPROF_TIME_HZ      16000000
#if !MCUPROF_TIMELINE         /* else the timer that is read runs on: see board.c */
#define MCUPROF_TIMER_SINCE() /* if calls are not timed: what is beyond CC0 */           \
    (MCUPROF_TIME() - *(volatile uint32_t *)0x40008540u)
#endif
#define MCUPROF_TIME() /* TIMER0's counter, captured into CC2 */                         \
    (*(volatile uint32_t *)0x40008048u = 1, *(volatile uint32_t *)0x40008548u)
