/* SPDX-License-Identifier: MIT */
/* AVR with up to 128 KiB of code. */
#ifndef MCUPROF_ARCH_H
#define MCUPROF_ARCH_H

#include "mcuprof_config.h"

#define MCUPROF_ARCS_ON 1
#define MCUPROF_C_HOOK
#define MCUPROF_C_SAMPLE

#if MCUPROF_BLOCKS
#error "MCUPROF_BLOCKS: avr-gcc 5 has no hook of basic blocks"
#endif

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#define MCUPROF_ARCH      MCUPROF_WIRE_ARCH_AVR
#define MCUPROF_ARCH_UNIT 1 /* code is aligned to 2 bytes */
#define MCUPROF_BASE      ((uint32_t)0)

/* Constants stay in flash, where no pointer finds them. */
#define MCUPROF_FLASH                __attribute__((progmem))
#define MCUPROF_CONSTANT(copy, from) mcuprof_flash_read(copy, from, sizeof *(copy))
void *mcuprof_flash_read(void *to, const void *from, uint8_t bytes); /* `to` */

typedef uint8_t mcuprof_irq; /* SREG as it was */

static inline __attribute__((always_inline, no_instrument_function)) mcuprof_irq
mcuprof_irq_mask(void)
{
    mcuprof_irq irq;

    __asm__ volatile("in %0, __SREG__\n\tcli" : "=r"(irq)::"memory");
    return irq;
}

static inline __attribute__((always_inline, no_instrument_function)) void
mcuprof_irq_restore(mcuprof_irq irq)
{
    __asm__ volatile("out __SREG__, %0" ::"r"(irq) : "memory");
}

/* The board's: see mcuprof_port.h. */
bool mcuprof_may_wait(void);

/*
 * A clock of 32 bits from a timer of 16, which runs freely and whose overflow interrupt
 * adds 1 to `high`. `timer` is its counter, `overflown` whether that interrupt is
 * pending: read in this order, for it may overflow between. Context: interrupts masked
 * for less than half a turn of the timer.
 */
#define MCUPROF_TIMER_32(timer, overflown, high)                                         \
    __extension__({                                                                      \
        uint16_t mcuprof_low = (timer), mcuprof_high = (high);                           \
                                                                                         \
        if ((overflown) && mcuprof_low < 0x8000) {                                       \
            mcuprof_high++;                                                              \
        }                                                                                \
        (uint32_t) mcuprof_high << 16 | mcuprof_low;                                     \
    })

#endif
#endif
