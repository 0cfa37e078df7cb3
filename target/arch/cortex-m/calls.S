/* SPDX-License-Identifier: MIT */
/*
 * The hooks of timed calls. ARMv6-M instructions only. Cycles in comments: Cortex-M0+, no
 * wait states.
 */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
    .syntax unified
    .thumb

/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  r0 the function, r1 its return address.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in r2 the stack pointer,
 *      with bit 0 set in handler mode: tasks may have stacks of their own. Clobbers r2, r3
 *      and the flags, and what a function of C may.
 * Cycles, call (3) included: stopped 12; 24 until the function of C.
 */
    .macro hook name, function
    .section .text.mcuprof_call, "ax", %progbits
    .global \name
    .type \name, %function
    .balign 4
\name:
    ldr     r3, =mcuprof_state          /* 2 */
    ldr     r3, [r3, #MCUPROF_HOOKS_ON_OFFSET] /* 2 */
    cmp     r3, #MCUPROF_ARCS_ON        /* 1 */
    bne     1f                          /* 1; stopped: 2 */
    mrs     r3, ipsr                    /* 3 */
    mov     r2, sp                      /* 1 */
    cmp     r3, #0                      /* 1 */
    beq     2f                          /* 2 */
    adds    r2, #1
2:
    ldr     r3, =\function              /* 2 */
    bx      r3                          /* 2 */
1:
    bx      lr                          /* 2 */
    .size \name, . - \name
    .pool
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
