/* SPDX-License-Identifier: MIT */
/* The call hook, the block hook and the sampling trap. */
#include "mcuprof_layout.h"
#include "trap.inc"

    .comm   mcuprof_interrupt, 4, 4

    /* Goes on to mcuprof_hook(), in the outs of the function that calls it: that needs a
     * window of its own only where it calls on. */
    .macro hook name, from, callee, by
    .section .text.mcuprof_\name, "ax"
    .global \name
    .type   \name, %function
\name:
    add     \from, 8, %o0
    add     \callee, \by, %o1
    mov     %o7, %g1
    call    mcuprof_hook
     mov    %g1, %o7
    .size   \name, . - \name
    .endm

    /* What -pg calls in each function, in that one's window: %o7 = the address of that
     * call, %i7 = that of its caller's. */
#if MCUPROF_ARCS
    hook    _mcount, %i7, %o7, 1
#else
    .global _mcount
_mcount: retl; nop
#endif
#if MCUPROF_BLOCKS
    hook    __sanitizer_cov_trace_pc, %o7, %o7, 9
#endif

/* The sampling interrupt, for the trap table: after rd %psr, %l0, any jump.
 * Stack: 120 bytes and mcuprof_sample()'s. */
    .section .text.mcuprof_sample_isr, "ax"
    .global mcuprof_sample_isr
    .type   mcuprof_sample_isr, %function
mcuprof_sample_isr:
#if MCUPROF_SAMPLES
    mov     15, %l3
    trap_enter %l3
    call    mcuprof_sample
     mov    %l1, %o0
    trap_leave
#else
    jmp %l1; rett %l2
#endif
    .size   mcuprof_sample_isr, . - mcuprof_sample_isr
