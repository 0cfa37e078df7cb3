/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on the PC; -D sets the others. */
#define MCUPROF_TIMER_HZ 1000000
#define MCUPROF_LINK_IRQ 0
#ifndef MCUPROF_PATHS
#define MCUPROF_PATHS 0
#endif
