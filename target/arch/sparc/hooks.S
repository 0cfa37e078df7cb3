/* SPDX-License-Identifier: MIT */
/* The hooks of calls, of blocks and of timed calls, and the sampling trap. */
#include "mcuprof_layout.h"
#include "trap.inc"

    .comm   mcuprof_handled_irq, 4, 4

    .macro begin name, section
    .section .text.mcuprof_\section, "ax"
    .global \name
    .type   \name, %function
\name:
    .endm

    .macro hook name, from, callee, by
    begin   \name, \name
    add     \from, 8, %o0
    ba      mcuprof_hook
     add    \callee, \by, %o1
    .endm

    /* The hooks go on to C in the out registers of the function that calls them. The
     * function of C takes a window of its own only where it calls another. It must be
     * within 8 MiB, or the linker reports it. */

    /* -pg calls this in each function, in that function's window: %o7 is the address of
     * this call, %i7 that of the call of the function. */
#if MCUPROF_ARCS
    hook    _mcount, %i7, %o7, 1
#else
    begin   _mcount, _mcount
    retl; nop
#endif
#if MCUPROF_BLOCKS
    hook    __sanitizer_cov_trace_pc, %o7, %o7, 9
#endif

/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  %o0 the function, %o1 the address of the call of it, %sp that function's.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in %o2 the stack
 *      pointer, with bit 0 set in an interrupt. Clobbers %g1.
 * Instructions: stopped 7; 9 until the function of C.
 */
#if MCUPROF_CALLS
    .macro timed name, function
    begin   \name, call
    sethi   %hi(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET), %g1
    ld      [%g1 + %lo(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET)], %g1
    cmp     %g1, 0
    be      1f
     sethi  %hi(mcuprof_handled_irq), %g1
    ld      [%g1 + %lo(mcuprof_handled_irq)], %g1
    cmp     %g0, %g1                    /* borrows unless 0 */
    ba      \function
     addx   %sp, 0, %o2
1:
    retl; nop
    .endm
    timed   __cyg_profile_func_enter, mcuprof_enter
    timed   __cyg_profile_func_exit, mcuprof_exit
#endif

/* The sampling interrupt. The trap table's entry does rd %psr, %l0 and jumps here by any
 * instruction.
 * Stack: 120 bytes and mcuprof_sample()'s. */
    begin   mcuprof_sample_isr, sample_isr
#if MCUPROF_SAMPLES
    mov     15, %l3
    trap_enter %l3
#if MCUPROF_PATHS
    /* all older windows go to their stacks */
    .rept   MCUPROF_WINDOWS - 2
    save    %sp, -96, %sp
    .endr
    .rept   MCUPROF_WINDOWS - 2
    restore
    .endr
    st      %i7, [%sp + 116]
    mov     %l1, %o0
    mov     %fp, %o1
    add     %sp, 96, %o2                /* the link register is the sixth word */
    call    mcuprof_sample_at
     mov    0, %o3
#else
    call    mcuprof_sample
     mov    %l1, %o0
#endif
    trap_leave
#else
    jmp %l1; rett %l2
#endif
