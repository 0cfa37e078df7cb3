/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define BOARD_CLOCK_HZ       20000000
#define BOARD_DUALTIMER      0x50002000u
#define BOARD_LINK_IRQ       33
#define MCUPROF_LINK_ADDRESS 0x50200000u
#include "cmsdk_board.h"
