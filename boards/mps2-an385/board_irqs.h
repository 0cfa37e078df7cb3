/* SPDX-License-Identifier: MIT */
#define CMSDK_TIMER1        0x40001000u
#define CMSDK_TIMER1_IRQ    9
#define CMSDK_DUALTIMER_IRQ 10
#define BOARD_IRQS                                                                       \
    [1] = mcuprof_link_entry, [10] = mcuprof_sample_isr, [9] = board_tick_entry
void board_tick_entry(void);
