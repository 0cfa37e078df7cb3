/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on a board with CMSDK's timers and UART. The board defines what
 * differs: BOARD_CLOCK_HZ, BOARD_DUALTIMER (its address), BOARD_LINK_IRQ. */
#define MCUPROF_TIMER_HZ BOARD_CLOCK_HZ
#ifndef MCUPROF_TIMER_RESTARTS /* tests set it to 0, too */
#define MCUPROF_TIMER_RESTARTS 1
#endif
#ifndef MCUPROF_TIMER_SINCE   /* tests set wrong ones */
#define MCUPROF_TIMER_SINCE() /* the period less its remainder */                        \
    __extension__({                                                                      \
        volatile uint32_t *timer_words = (volatile uint32_t *)(BOARD_DUALTIMER + 0x20);  \
        __asm__("" : "+r"(timer_words)); /* one address, not two */                      \
        timer_words[0] - timer_words[1];                                                 \
    })
#endif
#ifdef BOARD_LINK_CYCLES
#define MCUPROF_LINK_IRQ (-1) /* SysTick */
#else
#define MCUPROF_LINK_IRQ BOARD_LINK_IRQ
#endif
#define MCUPROF_TIME_HZ MCUPROF_TIMER_HZ
#ifndef MCUPROF_TIME
#define MCUPROF_TIME() (~*(volatile uint32_t *)(BOARD_DUALTIMER + 4)) /* counts down */
#endif
