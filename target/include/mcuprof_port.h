/* SPDX-License-Identifier: MIT */
/*
 * What a board provides: a link (mcuprof_link.h) and a timer, in three functions each.
 * target/template has them to fill in; boards/ has them filled in.
 */
#ifndef MCUPROF_PORT_H
#define MCUPROF_PORT_H

#include <stdbool.h>

#include "mcuprof_link.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the sampling timer; its interrupt comes after `ticks` of its clock.
 * Context: task. */
void mcuprof_timer_start(uint32_t ticks);

/* Acknowledges the sampling interrupt and sets the next period; where the timer reloads
 * by itself, it sets the one after, which is as good. It must not start a timer that
 * was stopped: a sample may be pending then. Keep it to a few stores, for each sample
 * pays for it. Context: the sampling interrupt. */
void mcuprof_timer_set(uint32_t ticks);

/* Stops the timer. An interrupt already pending may still come.
 * Context: any. */
void mcuprof_timer_stop(void);

#if MCUPROF_WAIT
/* Whether the code running now may wait for the link: a task, or an interrupt that the
 * link's would preempt or follow at once. Where the processor itself knows (Cortex-M), a
 * board need not say. Context: any. */
bool mcuprof_may_wait(void);
#endif

/* A variable of the library on RISC-V and SPARC: a number, not 0, of the interrupt that
 * is being handled; 0: none is. The board sets it before it calls a handler, and sets
 * it back afterwards. */
extern volatile uint32_t mcuprof_handled_irq;

#ifdef __cplusplus
}
#endif

#endif
