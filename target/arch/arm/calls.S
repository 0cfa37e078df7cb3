/* SPDX-License-Identifier: MIT */
/* The hooks of timed calls: ARMv4T's A32, called from A32 and T32. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
    .syntax unified
    .arm

/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  r0 the function, r1 its return address.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in r2 the stack pointer,
 *      with bit 0 set in IRQ mode, which has a stack of its own.
 * Instructions: stopped 4; 11 until the function of C.
 */
    .macro hook name, function
    .section .text.mcuprof_call, "ax", %progbits
    .global \name
    .type   \name, %function
    .balign 4
\name:
    ldr     ip, =mcuprof_state
    ldr     ip, [ip, #MCUPROF_HOOKS_ON_OFFSET]
    cmp     ip, #0
    bxeq    lr
    mrs     ip, cpsr
    mov     r2, sp
    and     ip, ip, #0x1F
    cmp     ip, #0x12                   /* IRQ mode */
    orreq   r2, r2, #1
    ldr     ip, =\function
    bx      ip
    .size   \name, . - \name
    .pool
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
