/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on the PC; -D sets the others. */
#define MCUPROF_TIMER_HZ 1000000
#define MCUPROF_LINK_IRQ 0
#ifndef MCUPROF_PATHS
#define MCUPROF_PATHS 0
#endif
#if MCUPROF_TIMELINE
#define MCUPROF_TIME_HZ 1000000
#define MCUPROF_TIME()  pc_time
#ifndef __ASSEMBLER__
#include <stdint.h>
extern uint32_t pc_time;
#endif
#endif
