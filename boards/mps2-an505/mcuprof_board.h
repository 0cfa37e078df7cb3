/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define BOARD_CLOCK_HZ  20000000
#define BOARD_DUALTIMER 0x50002000u
#ifdef BOARD_DMA
/* With LINK=pl080 a DMA controller serves the UART. The UART is not secure then, because
 * QEMU's controller reaches no other. QEMU's UART makes no DMA requests either: the
 * controller moves the bytes as it would into memory. */
#define MCUPROF_LINK_ADDRESS    0x40200000u
#define MCUPROF_LINK_DMA        0x50110000u
#define MCUPROF_LINK_DMA_CONFIG 0
#define BOARD_LINK_IRQ          57
#else
#define BOARD_LINK_IRQ       33
#define MCUPROF_LINK_ADDRESS 0x50200000u
#endif
#include "cmsdk_board.h"
