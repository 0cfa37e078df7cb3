/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ       1000000
#define MCUPROF_TIMER_RESTARTS 1
#define MCUPROF_TIMER_SINCE()  /* the period less its remainder */                       \
    (*(volatile uint32_t *)0x101E2000u - *(volatile uint32_t *)0x101E2004u)
#define MCUPROF_TIME_HZ      24000000
#define MCUPROF_TIME()       (*(volatile uint32_t *)0x1000005Cu) /* SYS_24MHZ */
#define MCUPROF_LINK_ADDRESS 0x101F1000
