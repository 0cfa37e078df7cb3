/* SPDX-License-Identifier: MIT */
/* Says nothing of its frame, and keeps the complement of its return address. */
    .syntax unified
    .thumb
    .text
    .balign 4
    .global hidden
    .thumb_func
    .type   hidden, %function
hidden:
    mov     r3, lr
    mvns    r3, r3
    movs    r2, #0
    mov     lr, r2
1:  subs    r0, #1
    bne     1b
    mvns    r3, r3
    bx      r3
    .size   hidden, . - hidden
