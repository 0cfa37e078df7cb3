/* SPDX-License-Identifier: MIT */
/* AVR with up to 128 KiB of code; 256 KiB where only samples are wanted. */
#ifndef MCUPROF_ARCH_H
#define MCUPROF_ARCH_H

#include "mcuprof_config.h"

#define MCUPROF_ARCS_ON 1
#define MCUPROF_C_HOOK
#define MCUPROF_C_SAMPLE

#if MCUPROF_BLOCKS
#error "MCUPROF_BLOCKS: avr-gcc 5 has no hook of basic blocks"
#endif

#if MCUPROF_CALLS
#define MCUPROF_SHORT_COUNTERS
/* calls.S does all the work of timed calls where the board describes its clock (see
 * MCUPROF_TIMER_32): MCUPROF_TIMER_COUNT is the counter's address, MCUPROF_TIMER_FLAGS
 * the address in I/O space of the flags, whose bit 0 is the overflow, and
 * MCUPROF_TIMER_HIGH the name of `high`. */
#if defined(MCUPROF_TIMER_COUNT) && MCUPROF_ENTRIES >= 2 && MCUPROF_ENTRIES <= 256 &&    \
    !MCUPROF_TASKS
#define MCUPROF_S_CALLS
#endif
#endif

#if MCUPROF_PATHS
#define MCUPROF_S_TABLE
#endif

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#if MCUPROF_PATHS
/* A return address on the stack. Its size is a power of two, so that no division is
 * needed. */
struct mcuprof_slot {
    uintptr_t at;
#ifdef __AVR_3_BYTE_PC__
    uint32_t words;
    uint16_t unused;
#else
    uint16_t words;
#endif
};
#endif

#define MCUPROF_ARCH      MCUPROF_WIRE_ARCH_AVR
#define MCUPROF_ARCH_UNIT 1 /* code is aligned to 2 bytes */
#define MCUPROF_BASE      ((uint32_t)0)
/* The ELF has data from 0x800000 on. */
#define MCUPROF_TEXT(text) ((uint32_t)(uintptr_t)(text) | 0x800000)
#if MCUPROF_CALLS
/* Counters are short: their keys are in words, as pointers to code are, so no bit is
 * left to tell a sample from a call. Instead, a sample's two keys are equal, and not 0.
 */
typedef uint16_t mcuprof_key, mcuprof_events;
typedef __uint24 mcuprof_ticks;
#define MCUPROF_EVENTS_MAX             0xFFFFu
#define MCUPROF_KEY(address)           ((mcuprof_key)((address) >> 1))
#define MCUPROF_FROM(entry)            ((uint32_t)(entry)->from << 1)
#define MCUPROF_TO(entry)              ((uint32_t)(entry)->to << 1 | !MCUPROF_IS_SAMPLE(entry))
#define MCUPROF_IS_SAMPLE(entry)       ((entry)->from == (entry)->to && (entry)->to != 0)
#define MCUPROF_TOO_LONG(total)        ((uint8_t)((total) >> 24) != 0)
#define MCUPROF_SENT_IF_FULL(from, to) (!MCUPROF_SAMPLES || (from) != (to)) /* calls */
#define MCUPROF_HASH(from, to)         ((mcuprof_key)((from) + (to)) / 2)
#define MCUPROF_CALLEE(function)       ((mcuprof_key)(uintptr_t)(function))
#define MCUPROF_SITE(site)             ((mcuprof_key)(uintptr_t)(site))
#endif

/* Constants stay in flash, where no pointer finds them. */
#define MCUPROF_FLASH                __attribute__((progmem))
#define MCUPROF_CONSTANT(copy, from) mcuprof_flash_read(copy, from, sizeof *(copy))
void *mcuprof_flash_read(void *to, const void *from, uint8_t bytes); /* `to` */

typedef uint8_t mcuprof_irq; /* SREG as it was */

/* Assembly that must follow the unmasking of interrupts. A chip needs none. */
#ifndef MCUPROF_IRQ_RESTORED
#define MCUPROF_IRQ_RESTORED
#endif

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
    __asm__ volatile("out __SREG__, %0" MCUPROF_IRQ_RESTORED ::"r"(irq) : "memory");
}

/* The board provides this: see mcuprof_port.h. */
bool mcuprof_may_wait(void);

/* Measures the cost of a pair of hooks: it does all that GCC adds to a function that
 * returns nothing. GCC's code takes the call site from the stack, in 7 cycles; three
 * jumps and a movw take as long. */
#define MCUPROF_PAIR(site)                                                               \
    __asm__ volatile("push r28\n\tpush r29\n\trjmp .\n\trjmp ." MCUPROF_HOOK("enter")    \
                         MCUPROF_HOOK("exit") "\n\tpop r29\n\tpop r28" ::"r"(site)       \
                     : "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26",    \
                       "r27", "r30", "r31", "memory")
#define MCUPROF_HOOK(which)                                                              \
    "\n\trjmp .\n\trjmp .\n\trjmp .\n\tmovw r22, %0"                                     \
    "\n\tldi r24, lo8(gs(mcuprof_calls_start))"                                          \
    "\n\tldi r25, hi8(gs(mcuprof_calls_start))"                                          \
    "\n\tcall __cyg_profile_func_" which

/*
 * A clock of 32 bits from a timer of 16 bits, which runs freely and whose overflow
 * interrupt adds 1 to `high`. `timer` is the timer's counter. The bit `overflow` of the
 * register `flags` says that this interrupt is pending: then its work is done here, for
 * others may keep it waiting. Context: interrupts masked; read it in each turn of the
 * timer.
 */
#define MCUPROF_TIMER_32(timer, flags, overflow, high)                                   \
    __extension__({                                                                      \
        uint16_t mcuprof_low = (timer);                                                  \
                                                                                         \
        if ((flags) & (overflow)) {                                                      \
            (flags) = (overflow);                                                        \
            (high)++;                                                                    \
            mcuprof_low = (timer);                                                       \
        }                                                                                \
        (uint32_t)(high) << 16 | mcuprof_low;                                            \
    })

#endif
#endif
