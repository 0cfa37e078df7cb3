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

/* Of timed calls: see hooks.S. Nested IRQs are taken for calls. */
#define MCUPROF_IN_INTERRUPT(stack) (((stack)&1) != 0)
#define MCUPROF_IS_INTERRUPT(site)  ((void)(site), false)

typedef uint32_t mcuprof_irq; /* CPSR as it was */

/* IRQ and FIQ. In hooks.S: T32 code cannot; the names are so in C++ too. */
mcuprof_irq mcuprof_irq_mask(void) __asm__("mcuprof_irq_mask");
void mcuprof_irq_restore(mcuprof_irq irq) __asm__("mcuprof_irq_restore");
#endif
#endif
