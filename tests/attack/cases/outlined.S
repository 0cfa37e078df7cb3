/* SPDX-License-Identifier: MIT */
/* What clang's outliner makes of epilogues: bodies that are entered by a jump with the
 * frame of the function that jumps, and that say nothing of it. */
    .syntax unified
    .thumb
    .cfi_sections .debug_frame

    .macro begin name
    .section .text.\name, "ax", %progbits
    .balign 4
    .global \name
    .thumb_func
    .type   \name, %function
\name:
    .cfi_startproc
    .endm

    .macro end name
    .cfi_endproc
    .size   \name, . - \name
    .endm

    .macro caller name, goes_on
    begin   \name
    push    {r7, lr}
    .cfi_def_cfa_offset 8
    .cfi_offset 14, -4
    bl      leaf
    b       \goes_on
    end     \name
    .endm

    begin   leaf
    adds    r0, #1
    bx      lr
    end     leaf

    caller  t1, o1
    caller  t2, o2
    caller  t3, o3

    begin   o1
    .rept   20
    lsrs    r0, r0, #5
    .endr
    pop     {r7, pc}
    end     o1

    begin   o2
    .rept   20
    mvns    r0, r0
    .endr
    pop     {r7, pc}
    end     o2

    begin   o3
    .rept   20
    adds    r0, r0, r1
    .endr
    pop     {r7, pc}
    end     o3

    begin   program
    push    {r4, lr}
    .cfi_def_cfa_offset 8
    .cfi_offset 14, -4
    ldr     r4, =board_samples
0:  bl      t1
    bl      t2
    bl      t3
    ldr     r0, [r4]
    ldr     r1, =ATTACK_SAMPLES
    cmp     r0, r1
    blo     0b
    pop     {r4, pc}
    end     program
