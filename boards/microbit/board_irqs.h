/* SPDX-License-Identifier: MIT */
#define BOARD_IRQS                                                                       \
    [2] = mcuprof_link_entry, [8] = mcuprof_sample_isr, [9] = board_tick_entry,          \
    [10] = mcuprof_sample_isr
void board_tick_entry(void);
