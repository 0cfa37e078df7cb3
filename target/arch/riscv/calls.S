/* SPDX-License-Identifier: MIT */
/* The hooks of timed calls. In registers that RV32E has too. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  a0 the function, a1 its return address.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in a2 the stack pointer.
 * Instructions: stopped 5; 5 or 6 until the function of C.
 */
    .macro hook name, function
    .section .text.mcuprof_call, "ax", %progbits
    .global \name
    .type \name, %function
    .balign 4
\name:
    lui     a2, %hi(mcuprof_state)
    lw      a3, %lo(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET)(a2)
    mv      a2, sp
    beqz    a3, 1f
    tail    \function
1:
    ret
    .size \name, . - \name
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
