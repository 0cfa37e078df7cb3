/* SPDX-License-Identifier: MIT */
/* The hooks of timed calls. In registers that RV32E has too. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  a0 the function, a1 its return address.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in a2 the stack pointer,
 *      with bit 0 set in an interrupt.
 * Instructions: stopped 4; 9 until the function of C; fewer where the linker finds
 *      the two words near gp.
 */
    .macro hook name, function
    .section .text.mcuprof_call, "ax", %progbits
    .global \name
    .type \name, %function
    .balign 4
\name:
    lui     a2, %hi(mcuprof_state)
    lw      a3, %lo(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET)(a2)
    beqz    a3, 1f
    lui     a2, %hi(mcuprof_interrupt)
    lw      a2, %lo(mcuprof_interrupt)(a2)
    snez    a2, a2
    or      a2, a2, sp
    tail    \function
1:
    ret
    .size \name, . - \name
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
