/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ      25000000
#define MCUPROF_TIMER_SINCE() /* the period, less what is left of it */                  \
    __extension__({                                                                      \
        volatile uint32_t *timer_words = (volatile uint32_t *)0x40002020u;               \
        __asm__("" : "+r"(timer_words)); /* one address, not two */                      \
        timer_words[0] - timer_words[1];                                                 \
    })
#ifdef BOARD_LINK_CYCLES
#define MCUPROF_LINK_IRQ (-1) /* SysTick */
#else
#define MCUPROF_LINK_IRQ 1
#endif
#define MCUPROF_TIME_HZ MCUPROF_TIMER_HZ
#define MCUPROF_TIME()  (~*(volatile uint32_t *)0x40002004u) /* it counts down */
