/* SPDX-License-Identifier: MIT */
/* ARMv4T and ARMv5, A32 and T32 code, in a privileged mode. Sampling is by FIQ. */
#ifndef MCUPROF_ARCH_H
#define MCUPROF_ARCH_H

#include "mcuprof_config.h"

#define MCUPROF_ARCS_ON 12 /* bytes from the stopped hook's code to the running one's */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#define MCUPROF_ARCH      MCUPROF_WIRE_ARCH_ARM
#define MCUPROF_ARCH_UNIT 1 /* T32 code is aligned to 2 bytes */

/* hooks.S sets bit 0 of the stack pointer for timed calls in IRQ mode. Nested IRQs are
 * taken for calls. */
#define MCUPROF_IN_INTERRUPT(stack) (((stack)&1) != 0)
#define MCUPROF_IS_INTERRUPT(site)  ((void)(site), false)

#if MCUPROF_PATHS
#define MCUPROF_C_SAMPLE
#define MCUPROF_S_TIMER
#define MCUPROF_LINK_LEADS MCUPROF_UNWIND_LINK /* see MCUPROF_UNWIND_TARGET */

/* Whether an address in the code is behind a call. T32: bl, blx. A32: bl, blx, or a jump
 * after mov lr, pc. */
static inline __attribute__((always_inline)) bool mcuprof_behind_call(uint32_t address)
{
    if (address & 1) {
        const uint16_t *t32 = (const uint16_t *)(address - 1);

        return (t32[-2] >> 11 == 0x1E && t32[-1] >> 14 == 3) ||
               (t32[-1] & 0xFF80) == 0x4780;
    }
    const uint32_t *a32 = (const uint32_t *)(address & ~(uint32_t)3);

    return (a32[-1] & 0x0F000000) == 0x0B000000 || a32[-1] >> 25 == 0xFA >> 1 ||
           (a32[-1] & 0x0FFFFFF0) == 0x012FFF30 || a32[-2] == 0xE1A0E00F;
}
#endif

typedef uint32_t mcuprof_irq; /* CPSR as it was */

/* These mask and unmask IRQ and FIQ. They are in hooks.S, for T32 code cannot do it. C++
 * code gets the same symbols. */
mcuprof_irq mcuprof_irq_mask(void) __asm__("mcuprof_irq_mask");
void mcuprof_irq_restore(mcuprof_irq irq) __asm__("mcuprof_irq_restore");
#endif
#endif
