/* SPDX-License-Identifier: MIT */
#define CMSDK_TIMER0        0x50000000u
#define CMSDK_TIMER1        0x50001000u
#define CMSDK_TIMER1_IRQ    4
#define CMSDK_DUALTIMER_IRQ 5
#ifdef BOARD_DMA_CYCLES /* paced.c */
#define BOARD_DMA_ISR board_dma_isr
void board_dma_isr(void);
#else
#define BOARD_DMA_ISR mcuprof_link_entry
#endif
#define BOARD_IRQS                                                                       \
    [33] = mcuprof_link_entry, [57] = BOARD_DMA_ISR, [5] = mcuprof_sample_isr,           \
    [4] = board_tick_entry
void board_tick_entry(void);
