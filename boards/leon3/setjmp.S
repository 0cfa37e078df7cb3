/* SPDX-License-Identifier: MIT */
/* setjmp() and longjmp(), since there is no C library. */
    .section .text.setjmp, "ax"
    .global setjmp, longjmp
    .type   setjmp, %function
setjmp:
    std %l0, [%o0];      std %l2, [%o0 + 8];  std %l4, [%o0 + 16]; std %l6, [%o0 + 24]
    std %i0, [%o0 + 32]; std %i2, [%o0 + 40]; std %i4, [%o0 + 48]; std %i6, [%o0 + 56]
    st      %sp, [%o0 + 64]
    st      %o7, [%o0 + 68]
    retl
     clr    %o0

    .type   longjmp, %function
longjmp:
    mov     %o0, %g1
    mov     %o1, %g2
    ld      [%g1 + 56], %g3
1:  /* restores windows up to that of setjmp()'s caller */
    cmp     %fp, %g3
    bne,a   1b
     restore
    ld      [%g1 + 64], %sp
    ld      [%g1 + 68], %o7
    ldd [%g1], %l0;      ldd [%g1 + 8], %l2;  ldd [%g1 + 16], %l4; ldd [%g1 + 24], %l6
    ldd [%g1 + 32], %i0; ldd [%g1 + 40], %i2; ldd [%g1 + 48], %i4; ldd [%g1 + 56], %i6
    orcc    %g2, 0, %o0
    be,a    2f
     mov    1, %o0
2:
    retl
     nop
