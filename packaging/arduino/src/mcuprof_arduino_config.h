/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs in a sketch: mcuprof_config.h explains them. */
#define MCUPROF_ARCS     0 /* the IDE has no flags for single files */
#define MCUPROF_TIMER_HZ (F_CPU / 8)
