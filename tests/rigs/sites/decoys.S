/* SPDX-License-Identifier: MIT */
/* Code that `mcuprof patch` must leave alone, and data that it must not take for code. */
    .syntax unified
    .thumb
    .text

    .macro function name
    .global \name
    .type \name, %function
    .thumb_func
    .balign 4
\name:
    .endm

/* r0 + r1 + 1 if r0 >= r1: the callee reads the carry. */
function takes_carry
    adcs    r0, r1
    bx      lr
    .size takes_carry, . - takes_carry

function carry_in
    push    {lr}
    cmp     r0, r1
    bl      takes_carry
    pop     {pc}
    .size carry_in, . - carry_in

/* The callee leaves the flags as they are, and its caller knows. */
function no_flags
    mov     r2, r1
    bx      lr
    .size no_flags, . - no_flags

function keeps_flags
    push    {lr}
    cmp     r0, r1
    bl      no_flags
    bhs     1f
    mov     r0, r2
1:  pop     {pc}
    .size keeps_flags, . - keeps_flags

/* Words whose halves are those of `bl takes_carry`, seen from where they lie, among code. */
function data_between
    lsls    r0, r0, #2
    adr     r1, 2f
    ldr     r0, [r1, r0]
    b       3f
    .balign 4
2:  .word   0xf840f000, 0xf800f000 + 0x10, 0xfff8f7ff, 0xfff0f7ff
3:  bx      lr
    .size data_between, . - data_between

/* Between two functions. */
    .word   0xf840f000, 0xfff0f7ff, 0xfff8f7ff
    .ascii  "\x00\xf0\x10\xf8\xff\xf7\xf0\xff"

/* It adds the word of its own call to the result. */
function shared
    push    {r4, lr}
    ldr     r4, 4f
    .balign 4
4:  bl      no_flags
    lsrs    r4, r4, #20
    adds    r0, r0, r4
    pop     {r4, pc}
    .size shared, . - shared
