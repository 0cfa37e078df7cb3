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

/* Acknowledges the sampling interrupt and starts the timer over: the next interrupt comes
 * after `ticks`. With MCUPROF_TIMER_RESTARTS at 0 the timer may run on; this then sets
 * the current period or, if the timer reloads by itself, the next one. It must not start
 * a stopped timer: a sample may still be pending then. Keep it to a few stores, because
 * each sample pays for it. Context: the sampling interrupt. */
void mcuprof_timer_set(uint32_t ticks);

/* Stops the timer. An interrupt already pending may still come.
 * Context: any. */
void mcuprof_timer_stop(void);

#if MCUPROF_AUTO_START
/* Sets up the link and the timer before main(), if no other code does: see
 * MCUPROF_AUTO_START. By default it does nothing. It may unmask interrupts.
 * Context: task. */
void mcuprof_setup(void);
#endif

#if MCUPROF_WAIT
/* Returns whether the code running now may wait for the link: a task may, and so may an
 * interrupt that the link's would preempt or follow at once. Where the processor itself
 * knows (Cortex-M), a board need not define it. Context: any. */
bool mcuprof_may_wait(void);
#endif

/* On RISC-V and SPARC the library has this variable: the number of the interrupt that is
 * being handled, which must not be 0; 0: none is. The board sets it before it calls a
 * handler, and sets it back afterwards. */
extern volatile uint32_t mcuprof_handled_irq;

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
/*
 * For a Cortex-M whose vector table is a vendor's: at file level, defines the handler
 * `name` as `handler`, mcuprof_sample_isr or mcuprof_link_entry:
 *
 *     MCUPROF_VECTOR(TIM2_IRQHandler, mcuprof_sample_isr)
 *
 * `name` jumps to `handler`, with the stack and lr as the hardware left them. Unlike
 * --defsym this works with -flto. Costs: 8 to 12 bytes of ROM; 6 cycles a time.
 */
#ifdef __cplusplus
#define MCUPROF_VECTOR_C extern "C"
#else
#define MCUPROF_VECTOR_C
#endif
#define MCUPROF_VECTOR(name, handler)                                                    \
    MCUPROF_VECTOR_C void name(void);                                                    \
    MCUPROF_VECTOR_C __attribute__((naked, used)) MCUPROF_NOT_PROFILED void name(void)   \
    {                                                                                    \
        MCUPROF_VECTOR_JUMP(handler)                                                     \
    }
#define MCUPROF_VECTOR_JUMP(handler) /* `handler` may be a macro */                      \
    __asm__("ldr r0, 1f\n\t"                                                             \
            "bx r0\n\t"                                                                  \
            ".balign 4\n"                                                                \
            "1: .word " #handler);
#endif

#ifdef __cplusplus
}
#endif

#endif
