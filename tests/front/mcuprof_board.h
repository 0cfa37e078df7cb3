/* SPDX-License-Identifier: MIT */
/* target/template/mcuprof_board.h, filled in. */
#define MCUPROF_TIMER_HZ       16000000
#define MCUPROF_TIMER_RESTARTS 1
