/* SPDX-License-Identifier: MIT */
/* ARMv6-M, ARMv7-M, ARMv8-M. */
#ifndef MCUPROF_ARCH_H
#define MCUPROF_ARCH_H

#include "mcuprof_config.h"

#define MCUPROF_S_LETS_IN 1 /* mcuprof_layout.h looks at it */
#include "mcuprof_layout.h"
#if MCUPROF_SHORT_LAYOUT
#define MCUPROF_S_PUT 1
#endif
#if MCUPROF_LETS_IN && !MCUPROF_CALLS
#define MCUPROF_S_COUNT 1
#endif
/* In firmware that has few counters hardly any sample finds its own, and one that took a
 * counter would take it from calls. So a sample that is in neither of its own two entries
 * is sent at once. Each 32nd such sample, and each that finds one of the two free, goes
 * to mcuprof_count(), so that addresses that come often get counters. */
#if MCUPROF_S_COUNT && MCUPROF_SAMPLES && !MCUPROF_PATHS && MCUPROF_ENTRIES <= 16
#define MCUPROF_SENDS_AT_ONCE 1
#endif
#define MCUPROF_S_WALK 1
/* sites.S has the room for MCUPROF_SITES. */
#define MCUPROF_S_SITES 1
#define MCUPROF_S_SAY   1
/* For MCUPROF_THROUGH_INTERRUPTS: an exception's frame says what it interrupted. */
#define MCUPROF_KNOWS_WHAT_IT_HIT 1

/* The value of hooks_on while counting is on. The hooks compare with it, so any other
 * value, as RAM has before start-up code clears it, is "off". Where a comparison can hold
 * it, it is the mask that turns a sum of addresses into 16 times their pair's number. */
#if MCUPROF_ENTRIES > 2 && MCUPROF_ENTRIES <= 32
#define MCUPROF_ARCS_ON ((MCUPROF_ENTRIES / 2 - 1) * 16)
#else
#define MCUPROF_ARCS_ON 1
#endif

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#define MCUPROF_HASH(from, to) (((from) + (to)) / 16)

#define MCUPROF_ARCH      MCUPROF_WIRE_ARCH_CORTEX_M
#define MCUPROF_ARCH_UNIT 1 /* code is aligned to 2 bytes */

/* For timed calls: the first says whether a stack pointer, as calls.S passes it, is an
 * interrupt's; the second whether a return address is that of an interrupt's handler. */
#define MCUPROF_IN_INTERRUPT(stack) (((stack)&1) != 0)
#define MCUPROF_IS_INTERRUPT(site)  ((site) >= 0xFFFFFF00u)

#if MCUPROF_TASKS || MCUPROF_TIMELINE
/* The number of the interrupt that is being handled; 0: none, a task runs. */
#define MCUPROF_INTERRUPT mcuprof_interrupt
static inline __attribute__((always_inline)) uint32_t mcuprof_interrupt(void)
{
    uint32_t number;

    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number;
}
#endif

#if MCUPROF_PATHS
/* The first word of the vector table is the address where the main stack begins; process
 * stacks are below it, or are not walked. */
#ifndef MCUPROF_STACK_TOP
#define MCUPROF_STACK_TOP (**(const uintptr_t *const volatile *)0xE000ED08u)
#endif

#define MCUPROF_IS_EXCEPTION_RETURN(address) ((address) >= 0xFFFFFF00u)

/* Whether an address in the code is behind a call: bl, or blx with a register. */
static inline __attribute__((always_inline)) bool mcuprof_behind_call(uint32_t address)
{
    const uint16_t *code = (const uint16_t *)(address & ~(uint32_t)1);

    return address & 1 && ((code[-2] >> 11 == 0x1E && code[-1] >> 14 == 3) ||
                           (code[-1] & 0xFF80) == 0x4780);
}
#endif

typedef uint32_t mcuprof_irq; /* PRIMASK as it was */
#define MCUPROF_IRQ_MASKED 1u
#define MCUPROF_IRQ_OPEN   0u

static inline __attribute__((always_inline, no_instrument_function)) mcuprof_irq
mcuprof_irq_mask(void)
{
    mcuprof_irq irq;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(irq)::"memory");
    return irq;
}

static inline __attribute__((always_inline, no_instrument_function)) void
mcuprof_irq_restore(mcuprof_irq irq)
{
    __asm__ volatile("msr primask, %0" ::"r"(irq) : "memory");
}

static inline __attribute__((always_inline, no_instrument_function)) void
mcuprof_irq_let_in(mcuprof_irq irq)
{ /* with the barrier what waits comes before the next mask */
    __asm__ volatile("msr primask, %0\n\tisb\n\tcpsid i" ::"r"(irq) : "memory");
}

#if MCUPROF_WAIT && MCUPROF_RTT
/* The probe needs no interrupt: all but faults and NMI may wait for it. */
static inline bool mcuprof_may_wait(void)
{
    uint32_t number;

    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number == 0 || number > 3;
}
#elif MCUPROF_WAIT
#ifndef MCUPROF_LINK_IRQ
#error "MCUPROF_WAIT needs MCUPROF_LINK_IRQ: the number of the link's interrupt"
#endif

/* For `mcuprof lint`: a symbol whose value is the link's exception. It takes no memory.
 */
#define MCUPROF_TELL_LINT()                                                              \
    __asm__ volatile(".weak mcuprof_link_exception\n\t"                                  \
                     ".set mcuprof_link_exception, %c0"                                  \
                     :                                                                   \
                     : "i"(16 + (MCUPROF_LINK_IRQ)))

/* The priority of exception `number`, in the form of the byte that sets it. ARMv6-M reads
 * these registers by words only. */
static inline uint32_t mcuprof_priority(uint32_t number)
{
    uint32_t at = number >= 16 ? 0xE000E400u - 16u + number : 0xE000ED14u + number;

    return *(volatile uint32_t *)(at & ~3u) >> (at & 3u) * 8u & 0xFFu;
}

/* Whether the code running now may wait for the link: a task, or an interrupt that the
 * link's would preempt or follow at once. */
static inline bool mcuprof_may_wait(void)
{
    uint32_t number;

    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number == 0 || (number > 3 && mcuprof_priority(number) >=
                                             mcuprof_priority(16u + MCUPROF_LINK_IRQ));
}
#endif

#endif
#endif
