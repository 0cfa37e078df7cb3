/* SPDX-License-Identifier: MIT */
/* setjmp() and longjmp(), for there is no C library. */
#include "trap.inc"

    .section .text.setjmp, "ax"
    .global setjmp, longjmp
    .type   setjmp, %function
setjmp:
    st      %sp, [%o0]
    st      %o7, [%o0 + 4]
    retl
     clr    %o0

    .type   longjmp, %function
longjmp:
    /* All windows go to their stacks; that before this one is the invalid one then, and
     * is loaded from the stack that %fp names. */
    .rept   MCUPROF_WINDOWS - 1
    save    %sp, -96, %sp
    .endr
    .rept   MCUPROF_WINDOWS - 1
    restore
    .endr
    ld      [%o0 + 4], %i7
    ld      [%o0], %fp
    orcc    %o1, 0, %i0
    be,a    1f
     mov    1, %i0
1:
    restore
    retl
     nop
