/* SPDX-License-Identifier: MIT */
/* SPARC V8: LEON3 and its like. */
#ifndef MCUPROF_ARCH_H
#define MCUPROF_ARCH_H

#include "mcuprof_config.h"

#define MCUPROF_ARCS_ON 1
#define MCUPROF_C_HOOK
#define MCUPROF_C_SAMPLE
#define MCUPROF_PSR_PIL 0xF00
#define MCUPROF_PSR_ET  0x20

#ifndef MCUPROF_WINDOWS /* how many register windows the processor has */
#define MCUPROF_WINDOWS 8
#endif

/* 1: interrupts are masked by software traps 9 and 10, as RTEMS has them. 0: by writing
 * PSR. The traps are for systems where another task may run between the reading and the
 * writing of PSR: the task that reads may then go on in another window. */
#ifndef MCUPROF_IRQ_TRAPS
#define MCUPROF_IRQ_TRAPS 0
#endif

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#define MCUPROF_ARCH       MCUPROF_WIRE_ARCH_SPARC
#define MCUPROF_ARCH_UNIT  2 /* code is aligned to 4 bytes */
#define MCUPROF_SITE(call) ((uint32_t)(uintptr_t)(call) + 8)

#if MCUPROF_PATHS
/* %i6 and %i7 of a window that has been stored at its stack pointer. */
#define MCUPROF_WINDOW_SP(sp)   (*(const uint32_t *)((sp) + 56))
#define MCUPROF_WINDOW_SLOT(sp) ((sp) + 60)
/* The slot further out than that at `at`. */
#define MCUPROF_WINDOW_NEXT(at) MCUPROF_WINDOW_SLOT(((const uint32_t *)(at))[-1])
/* %o7 and %i7 are the address of the call, 8 bytes before that of the return. */
#define MCUPROF_AT(at)       (*(const uint32_t *)(at) + 8)
#define MCUPROF_WORD         4u
#define MCUPROF_RETURN(link) ((link) + 8)

/* Whether an address in the code is behind a call and its delay slot: call, or jmpl with
 * %o7. */
static inline __attribute__((always_inline)) bool mcuprof_behind_call(uint32_t address)
{
    uint32_t call = ((const uint32_t *)(address & ~(uint32_t)3))[-2];

    return call >> 30 == 1 || (call & 0xFFF80000) == 0x9FC00000;
}
#endif

typedef uint32_t mcuprof_irq; /* PSR as it was */

static inline __attribute__((always_inline, no_instrument_function)) mcuprof_irq
mcuprof_irq_mask(void)
{
#if MCUPROF_IRQ_TRAPS
    register mcuprof_irq irq __asm__("g1");

    __asm__ volatile("ta 9" : "=r"(irq)::"memory");
#else
    mcuprof_irq irq;

    __asm__ volatile("rd %%psr, %0" : "=r"(irq));
    __asm__ volatile("wr %0, 0, %%psr\n\tnop\n\tnop\n\tnop" ::"r"(irq | MCUPROF_PSR_PIL)
                     : "memory");
#endif
    return irq;
}

/* Sets only the level: the window may be another one than at mcuprof_irq_mask(). */
static inline __attribute__((always_inline, no_instrument_function)) void
mcuprof_irq_restore(mcuprof_irq irq)
{
#if MCUPROF_IRQ_TRAPS
    register mcuprof_irq psr __asm__("g1") = irq;

    __asm__ volatile("ta 10\n\tnop" ::"r"(psr) : "memory");
#else
    mcuprof_irq now;

    __asm__ volatile("rd %%psr, %0" : "=r"(now));
    irq = (now ^ irq) & MCUPROF_PSR_PIL; /* wr takes the exclusive or */
    __asm__ volatile("wr %0, %1, %%psr\n\tnop\n\tnop\n\tnop" ::"r"(now), "r"(irq)
                     : "memory");
#endif
}

extern volatile uint32_t mcuprof_handled_irq; /* see mcuprof_port.h */
#define MCUPROF_INTERRUPT() mcuprof_handled_irq

/* hooks.S sets bit 0 of the stack pointer for timed calls in an interrupt. A nested
 * interrupt is taken for a call, unless it has MCUPROF_INTERRUPT_ENTER(). */
#define MCUPROF_IN_INTERRUPT(stack) (((stack)&1) != 0)
#define MCUPROF_IS_INTERRUPT(site)  ((site) == UINTPTR_MAX)

/* The board provides this: see mcuprof_port.h. */
bool mcuprof_may_wait(void);

#endif
#endif
