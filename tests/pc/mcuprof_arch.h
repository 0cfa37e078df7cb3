/* SPDX-License-Identifier: MIT */
/* The PC as a port, for tests and bench/. It has one thread, so there is nothing to mask.
 */
#ifndef MCUPROF_ARCH_H
#define MCUPROF_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "mcuprof_config.h"

#define MCUPROF_ARCH      MCUPROF_WIRE_ARCH_PC
#define MCUPROF_ARCH_UNIT 1 /* tests use addresses of Thumb code */
#define MCUPROF_BASE      0u

#define MCUPROF_ARCS_ON           1
#define MCUPROF_S_WALK            1 /* a test says what is on the stack */
#define MCUPROF_KNOWS_WHAT_IT_HIT 1

#define MCUPROF_STACK_TOP 0u

typedef uint32_t mcuprof_irq;

static inline mcuprof_irq mcuprof_irq_mask(void)
{
    return 0;
}

static inline void mcuprof_irq_restore(mcuprof_irq irq)
{
    (void)irq;
}

static inline bool mcuprof_may_wait(void)
{
    return true;
}

#endif
