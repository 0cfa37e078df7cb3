/* SPDX-License-Identifier: MIT */
/* The hooks of timed calls. */
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  %o0 the function, %o1 the address of the call of it, %sp that function's.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in %o2 the stack
 *      pointer, with bit 0 set in an interrupt. Clobbers %g1.
 * Instructions: stopped 7; 11 until the function of C.
 */
    .macro hook name, function
    .section .text.mcuprof_call, "ax"
    .global \name
    .type   \name, %function
\name:
    sethi   %hi(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET), %g1
    ld      [%g1 + %lo(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET)], %g1
    cmp     %g1, 0
    be      1f
     sethi  %hi(mcuprof_interrupt), %g1
    ld      [%g1 + %lo(mcuprof_interrupt)], %g1
    cmp     %g0, %g1                    /* borrows unless 0 */
    addx    %sp, 0, %o2
    mov     %o7, %g1
    call    \function
     mov    %g1, %o7
1:
    retl
     nop
    .size   \name, . - \name
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
