/* SPDX-License-Identifier: MIT */
/*
 * All that a port to an architecture provides in arch/NAME/mcuprof_arch.h. It must
 * define:
 *
 *   MCUPROF_ARCH       its number on the wire: a MCUPROF_WIRE_ARCH_...
 *   MCUPROF_ARCH_UNIT  log2 of the alignment of code, in bytes
 *   MCUPROF_ARCS_ON    the value of mcuprof_state.hooks_on while counting is on
 *   mcuprof_irq        a type; mcuprof_irq_mask() masks interrupts and returns the state
 *                      before, mcuprof_irq_restore() sets it
 *
 * It defines these to say what it has in assembly, or wants in C:
 *
 *   MCUPROF_C_HOOK     the hooks of calls and blocks are C (mcuprof_hook())
 *   MCUPROF_C_SAMPLE   the sampling interrupt is C but for its frame
 *   MCUPROF_S_CALLS    the hooks of timed calls are in assembly
 *   MCUPROF_S_PUT      the encoder of records and of paths is in assembly
 *   MCUPROF_S_LETS_IN  where mcuprof_layout.h defines MCUPROF_LETS_IN, what makes
 *                      records lets interrupts in; the port defines this before it
 *                      includes mcuprof_layout.h, and mcuprof_irq_let_in(), which sets
 *                      the state of interrupts, and masks them again
 *   MCUPROF_S_COUNT    what counts an event that has no counter is in assembly, in place
 *                      of mcuprof_count(), and what sends a counter; with it
 *                      MCUPROF_LETS_IN and MCUPROF_S_PUT are defined
 *   MCUPROF_S_WALK     the walk of the stack is in assembly
 *   MCUPROF_S_SAY      the sampling interrupt with its walk is in assembly, but for what
 *                      goes before a sample's record; it needs MCUPROF_S_WALK
 *   MCUPROF_S_TABLE    the walk and the encoder of paths are in assembly; the port reads
 *                      the unwind table, and has a struct mcuprof_slot of its own
 *   MCUPROF_S_SITES    the port has the room for MCUPROF_SITES: wire/mcuprof_sites.h
 *   MCUPROF_S_TIMER    the assembly computes the next period of sampling
 *   MCUPROF_SHORT_COUNTERS  counters are smaller: it has the types and macros below
 *
 * It may also define its own of each macro below. For the walk in C it has
 * mcuprof_behind_call(address) as well, which says whether the address is behind a
 * call.
 */
#ifndef MCUPROF_ARCH_PORT_H
#define MCUPROF_ARCH_PORT_H

#include "mcuprof_arch.h"
#include "mcuprof_config.h"

/* ---- Addresses ---- */

/* Addresses are sent relative to this. It is 0 unless the linker is told otherwise: for
 * code at 0x08000000, --defsym=__mcuprof_base=0x08000000 saves two bytes of each. A
 * port whose pointers do not have 32 bits defines its own. */
#ifndef MCUPROF_BASE
extern const uint8_t __mcuprof_base[] __attribute__((weak));
#define MCUPROF_BASE ((uint32_t)(uintptr_t)__mcuprof_base)
#endif

/* The address that a text has in the ELF. */
#ifndef MCUPROF_TEXT
#define MCUPROF_TEXT(text) ((uint32_t)(uintptr_t)(text))
#endif

/* MCUPROF_CONSTANT() is the address at which a constant can be read: `from`, or `copy`
 * where the port must copy it. *copy has the constant's size. */
#ifndef MCUPROF_FLASH
#define MCUPROF_FLASH                /* attribute of constants that would take too much RAM */
#define MCUPROF_CONSTANT(copy, from) ((void)(copy), (from))
#endif

/* Two states of interrupts. Nothing reads them where no interrupts are let in. */
#ifndef MCUPROF_IRQ_MASKED
#define MCUPROF_IRQ_MASKED 0
#define MCUPROF_IRQ_OPEN   0
#endif

/* ---- Counters ---- */

#ifndef MCUPROF_SHORT_COUNTERS
typedef uint32_t mcuprof_key, mcuprof_events, mcuprof_ticks;
#define MCUPROF_EVENTS_MAX             0xFFFFFFFFu
#define MCUPROF_KEY(address)           (address)
#define MCUPROF_FROM(entry)            ((entry)->from)
#define MCUPROF_TO(entry)              ((entry)->to)
#define MCUPROF_IS_SAMPLE(to)          true  /* bit 0 of `to` tells samples */
#define MCUPROF_TOO_LONG(total)        false /* for mcuprof_ticks */
#define MCUPROF_SENT_IF_FULL(from, to) false /* else another counter is used */
#endif
/* Which pair of entries is a key's own, modulo the number of pairs. */
#ifndef MCUPROF_HASH
#define MCUPROF_HASH(from, to) ((mcuprof_key)((from) + (to)) / 4)
#endif

/* Leaves in the ELF what `mcuprof lint` cannot see in the code. */
#ifndef MCUPROF_TELL_LINT
#define MCUPROF_TELL_LINT() (void)0
#endif

/* ---- Interrupts and timed calls ---- */

/* The first says whether a stack pointer, as the hooks get it, is an interrupt's; the
 * second says whether a call site is. A port needs these where interrupts have a stack of
 * their own. */
#ifndef MCUPROF_IN_INTERRUPT
#define MCUPROF_IN_INTERRUPT(stack) ((void)(stack), false)
#define MCUPROF_IS_INTERRUPT(site)  ((void)(site), false)
#define MCUPROF_ROOT                ((uintptr_t)0)
#endif
/* A bit that no stack pointer has set. It marks the stack pointer of an interrupt's first
 * timed call. */
#ifndef MCUPROF_ROOT
#define MCUPROF_ROOT ((uintptr_t)2)
#endif

/* The number of the interrupt that is handled; 0: none, or nobody can tell. */
#ifndef MCUPROF_INTERRUPT
#define MCUPROF_INTERRUPT() 0u
#endif

/* A counter's two keys, made of the arguments of the hooks of timed calls: the function,
 * and the address to which its call returns. */
#ifndef MCUPROF_CALLEE
#define MCUPROF_CALLEE(function) ((uint32_t)(uintptr_t)(function) | 1)
#endif
#ifndef MCUPROF_SITE
#define MCUPROF_SITE(site) ((uint32_t)(uintptr_t)(site))
#endif

/* MCUPROF_PAIR(site), for a port whose hooks are not called as any function is: a call
 * of a function that does nothing, as the compiler makes it with the hooks. */

/* ---- Call paths ---- */

#if MCUPROF_PATHS
/* One past the last byte of all stacks. */
#ifndef MCUPROF_STACK_TOP
extern const char __stack_top[];
#define MCUPROF_STACK_TOP ((uintptr_t)__stack_top)
#endif

/* The bytes of a word of the stack, and the return address in the slot at `at`. */
#ifndef MCUPROF_WORD
#define MCUPROF_WORD   4u
#define MCUPROF_AT(at) (*(const uint32_t *)(at))
#endif

/* The return address that is in a link register. */
#ifndef MCUPROF_RETURN
#define MCUPROF_RETURN(link) (link)
#endif

/* 2 where some functions are called with a second link register, which
 * MCUPROF_UNWIND_R0 names, and leave their caller's alone. */
#ifndef MCUPROF_LINKS
#define MCUPROF_LINKS 1
#endif

/* Whether a handler returns to this address, which is no code. */
#ifndef MCUPROF_IS_EXCEPTION_RETURN
#define MCUPROF_IS_EXCEPTION_RETURN(address) ((void)(address), false)
#endif

/* A port with register windows has these for a frame whose stack pointer is sp:
 * MCUPROF_WINDOW_SP(sp) is the caller's stack pointer, and MCUPROF_WINDOW_SLOT(sp) is the
 * place of the frame's return address; MCUPROF_WINDOW_NEXT(at) is, for that place, the
 * place of the caller's return address. MCUPROF_KNOWS_WHAT_IT_HIT: the port's own walk
 * goes on through interrupts. */
#endif

#endif
