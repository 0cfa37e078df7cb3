/* SPDX-License-Identifier: MIT */
#define CMSDK_TIMER0        0x40000000u
#define CMSDK_TIMER1        0x40001000u
#define CMSDK_TIMER1_IRQ    9
#define CMSDK_DUALTIMER_IRQ 10
void board_tick_entry(void);
#ifdef BOARD_WEAK_VECTORS /* as a vendor's start-up file has it, for a test */
void UARTTX0_Handler(void);
void DUALTIMER_HANDLER(void);
#define BOARD_IRQS [1] = UARTTX0_Handler, [10] = DUALTIMER_HANDLER, [9] = board_tick_entry
#else
#define BOARD_IRQS                                                                       \
    [1] = mcuprof_link_entry, [10] = mcuprof_sample_isr, [9] = board_tick_entry
#endif
