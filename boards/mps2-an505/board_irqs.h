/* SPDX-License-Identifier: MIT */
#define CMSDK_UART0      0x50200000u
#define CMSDK_UART0_IRQ  33
#define CMSDK_TIMER0     0x50000000u
#define CMSDK_TIMER0_IRQ 3
#define CMSDK_TIMER1     0x50001000u
#define CMSDK_TIMER1_IRQ 4
#define CMSDK_DUALTIMER  0x50002000u
#define BOARD_IRQS                                                                       \
    [33] = mcuprof_link_entry, [3] = mcuprof_sample_isr, [4] = board_tick_entry
void board_tick_entry(void);
