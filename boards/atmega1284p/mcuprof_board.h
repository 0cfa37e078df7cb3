/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ 1000000
#define MCUPROF_TIME_HZ  8000000
#define MCUPROF_TIME()   board_time()

#ifndef __ASSEMBLER__
#include <stdint.h>
uint32_t board_time(void);
#endif
