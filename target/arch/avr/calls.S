/* SPDX-License-Identifier: MIT */
/* The hooks of timed calls. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
#define __SP_L__ 0x3D

/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  r25:r24 the function, r23:r22 its return address, both in words.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in r21:r20 the stack
 *      pointer.
 */
    .macro  hook name, function
    .section .text.\name, "ax", @progbits
    .global \name
    .type   \name, @function
\name:
    lds     r18, mcuprof_state + MCUPROF_HOOKS_ON_OFFSET
    tst     r18
    breq    1f
    in      r20, __SP_L__
    in      r21, __SP_L__ + 1
    jmp     \function
1:
    ret
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
