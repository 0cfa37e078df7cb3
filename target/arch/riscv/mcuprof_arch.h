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

/* For GCC 12 and later CSR instructions are an extension, which few -march= name. */
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

#if MCUPROF_PATHS
#define MCUPROF_LINKS      2 /* t0 is the second: libgcc calls __riscv_save_N by it */
#define MCUPROF_LINK_LEADS MCUPROF_UNWIND_R0 /* see MCUPROF_UNWIND_TARGET */

/* Whether an address in the code is behind a call: jal, jalr that link in ra or t0, c.jal
 * or c.jalr. */
static inline __attribute__((always_inline)) bool mcuprof_behind_call(uint32_t address)
{
    const uint16_t *code = (const uint16_t *)address;

    return (code[-2] & 0xDFF) == 0x0EF || (code[-2] & 0x7DFF) == 0x00E7 ||
           (code[-1] & 0xE003) == 0x2001 ||
           ((code[-1] & 0xF07F) == 0x9002 && code[-1] & 0x0F80);
}
#endif

/* hooks.S sets bit 0 of the stack pointer for timed calls in an interrupt. Nested
 * interrupts are taken for calls. */
#define MCUPROF_IN_INTERRUPT(stack) (((stack)&1) != 0)
#define MCUPROF_IS_INTERRUPT(site)  ((void)(site), false)
#endif
#endif
