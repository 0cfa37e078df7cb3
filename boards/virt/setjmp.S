/* SPDX-License-Identifier: MIT */
/* setjmp() and longjmp(), since there is no C library. */
    .macro all instruction
    \instruction ra, 0(a0)
    \instruction sp, 4(a0)
    \instruction s0, 8(a0)
    \instruction s1, 12(a0)
#ifndef __riscv_32e
    .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \instruction s\n, 8 + 4 * \n(a0)
    .endr
#endif
    .endm

    .section .text.setjmp, "ax"
    .global setjmp, longjmp
    .type   setjmp, %function
setjmp:
    all     sw
    li      a0, 0
    ret

    .type   longjmp, %function
longjmp:
    all     lw
    mv      a0, a1
    bnez    a0, 1f
    li      a0, 1
1:
    ret
