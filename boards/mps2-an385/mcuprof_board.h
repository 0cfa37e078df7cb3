/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define BOARD_CLOCK_HZ       25000000
#define BOARD_DUALTIMER      0x40002000u
#define BOARD_LINK_IRQ       1
#define MCUPROF_LINK_ADDRESS 0x40004000u
#include "cmsdk_board.h"
