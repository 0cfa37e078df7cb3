/* SPDX-License-Identifier: MIT */
/* RV32, with 32 or 16 registers, in machine mode. */
#ifndef MCUPROF_ARCH_H
#define MCUPROF_ARCH_H

#include "mcuprof_config.h"

#define MCUPROF_ARCS_ON     1 /* the hooks test for 0 */
#define MCUPROF_C_SAMPLE    1 /* the sampling interrupt is C but for its frame */
#define MCUPROF_MSTATUS_MIE 8

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#define MCUPROF_ARCH      MCUPROF_WIRE_ARCH_RISCV
#define MCUPROF_ARCH_UNIT 1 /* compressed code is aligned to 2 bytes */

/* GCC 12 and later take CSR instructions for an extension, which few name in -march=. */
#if defined(__riscv_zicsr) || defined(__clang__)
#define MCUPROF_CSR(instruction) instruction
#else
#define MCUPROF_CSR(instruction)                                                         \
    ".option push\n\t.option arch, +zicsr\n\t" instruction "\n\t.option pop"
#endif

typedef uint32_t mcuprof_irq; /* mstatus as it was */

static inline __attribute__((always_inline, no_instrument_function)) mcuprof_irq
mcuprof_irq_mask(void)
{
    mcuprof_irq irq;

    __asm__ volatile(MCUPROF_CSR("csrrci %0, mstatus, %1")
                     : "=r"(irq)
                     : "K"(MCUPROF_MSTATUS_MIE)
                     : "memory");
    return irq;
}

static inline __attribute__((always_inline, no_instrument_function)) void
mcuprof_irq_restore(mcuprof_irq irq)
{
    __asm__ volatile(MCUPROF_CSR("csrs mstatus, %0")::"r"(irq & MCUPROF_MSTATUS_MIE)
                     : "memory");
}

/* Of timed calls: see hooks.S. Nested interrupts are taken for calls. */
#define MCUPROF_IN_INTERRUPT(stack) (((stack)&1) != 0)
#define MCUPROF_IS_INTERRUPT(site)  ((void)(site), false)
#endif
#endif
