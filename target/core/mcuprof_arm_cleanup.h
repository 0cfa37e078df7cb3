/* SPDX-License-Identifier: MIT */
/*
 * For assembly of ARM and Cortex-M: the end of a clean-up, where destructors have run
 * that an exception passes. It goes on to the next function that the exception passes.
 * libstdc++ has it as __cxa_end_cleanup, which keeps nobody's return address, so that
 * paths below it would be unsure. With MCUPROF_LDFLAGS (--wrap=__cxa_end_cleanup) the
 * linker takes this one, which does the same and keeps it. ARMv6-M instructions, or the
 * same ones of A32.
 */
#ifndef MCUPROF_ARM_CLEANUP_H
#define MCUPROF_ARM_CLEANUP_H

/* clang-format off */
    .syntax unified
#ifdef __thumb__
    .thumb
#endif

    /* struct phase2_vrs of libgcc: a word of flags and r0 to r15, in which it unwinds */
    .set    FLAGS, 4
    .set    CORE, 8
    .set    PC, CORE + 4 * 15
    .set    FRAME_BYTES, PC + 4 + 8

    /* what no program without C++ has; __gnu_end_cleanup() is libstdc++'s alone */
    .weak   __gnu_end_cleanup, __gnu_Unwind_Resume, __real___cxa_end_cleanup

/*
 * __cxa_end_cleanup: what the code behind destructors calls.
 * In:  all registers of the function that the exception passes, as they are to be unwound.
 * Out: does not return.
 * Stack: 80 bytes, as libgcc's _Unwind_Resume().
 */
    .section .text.mcuprof_cleanup, "ax", %progbits
    .global __wrap___cxa_end_cleanup
    .type __wrap___cxa_end_cleanup, %function
    .balign 4
__wrap___cxa_end_cleanup:
    .fnstart
    push    {r0, lr}                    /* its return address stays here */
    sub     sp, #FRAME_BYTES - 8 - CORE - 32
    push    {r0, r1, r2, r3, r4, r5, r6, r7}
    sub     sp, #CORE
    ldr     r0, =__gnu_end_cleanup
    cmp     r0, #0
    beq     1f
    bl      __gnu_end_cleanup
    str     r0, [sp, #CORE]             /* the exception */
    add     r2, sp, #CORE + 4 * 8
    mov     r3, r8
    mov     r4, r9
    mov     r5, r10
    mov     r6, r11
    mov     r7, r12
    stmia   r2!, {r3, r4, r5, r6, r7}
    add     r3, sp, #FRAME_BYTES
    str     r3, [r2]                    /* sp */
    movs    r3, #0                      /* no register of the FPU was saved yet */
    str     r3, [sp, #FLAGS]
    add     r1, sp, #FLAGS
    bl      __gnu_Unwind_Resume
1: /* another library's */
    add     sp, #CORE
    pop     {r0, r1, r2, r3, r4, r5, r6, r7}
    add     sp, #FRAME_BYTES - CORE - 32
    bl      __real___cxa_end_cleanup
    .cantunwind
    .fnend
    .pool
    .size __wrap___cxa_end_cleanup, . - __wrap___cxa_end_cleanup
/* clang-format on */

#endif
