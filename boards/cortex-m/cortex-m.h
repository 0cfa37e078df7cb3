/* SPDX-License-Identifier: MIT */
/* The registers that all Cortex-M have, and the board's own list of interrupts. */
#ifndef BOARDS_CORTEX_M_H
#define BOARDS_CORTEX_M_H

#include <stdint.h>

#include "board_irqs.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* Sampling's priority: 0, the highest, samples all interrupts; 3, the link's, delays only
 * the link's. */
#ifndef BOARD_SAMPLING_PRIORITY
#define BOARD_SAMPLING_PRIORITY 0
#endif

/* Enables interrupt `irq` at `priority`: 0 is the highest, 3 the lowest; every Cortex-M
 * has these two bits. */
static inline void irq_enable(unsigned irq, unsigned priority)
{
    uintptr_t at = 0xE000E400u + (irq & ~3u);
    unsigned shift = (irq & 3u) * 8u;

    REGISTER(at) = (REGISTER(at) & ~(0xFFu << shift)) | priority << 6 << shift;
    REGISTER(0xE000E100u + irq / 32u * 4u) = 1u << irq % 32u;
}

/* Clears the interrupt if it is pending. */
static inline void irq_clear(unsigned irq)
{
    REGISTER(0xE000E280u + irq / 32u * 4u) = 1u << irq % 32u;
}

/* With BOARD_PROBE_CYCLES: starts what stands in for a debug probe; see paced.c. */
void board_probe_start(void);

#endif
