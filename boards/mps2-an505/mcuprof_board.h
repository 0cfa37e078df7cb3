/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define BOARD_CLOCK_HZ  20000000
#define BOARD_DUALTIMER 0x50002000u
#define BOARD_LINK_IRQ  33
#include "cmsdk_board.h"
