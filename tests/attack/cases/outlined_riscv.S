/* SPDX-License-Identifier: MIT */
/* What clang's outliner makes on RISC-V: bodies that are called with the link t0, some of
 * which take down the caller's frame. */
    .cfi_sections .debug_frame

    .macro begin name
    .section .text.\name, "ax", @progbits
    .balign 4
    .global \name
    .type   \name, @function
\name:
    .cfi_startproc
    .endm

    .macro end name
    .cfi_endproc
    .size   \name, . - \name
    .endm

    /* The frame is gone behind the outlined end. */
    .macro caller name, middle
    begin   \name
    addi    sp, sp, -16
    .cfi_def_cfa_offset 16
    sw      ra, 12(sp)
    sw      s0, 8(sp)
    .cfi_offset ra, -4
    .cfi_offset s0, -8
    li      a0, 2
    call    spin
    jal     t0, \middle
    jal     t0, o_end
    .rept   15
    addi    a0, a0, 1
    .endr
    ret
    end     \name
    .endm

    caller  t1, o1
    caller  t2, o2

    .macro  middle name, immediate
    begin   \name
    .rept   15
    addi    a0, a0, \immediate
    .endr
    jr      t0
    end     \name
    .endm

    middle  o1, 1
    middle  o2, 2

    begin   o_end
    .rept   15
    addi    a0, a0, 3
    .endr
    lw      ra, 12(sp)
    lw      s0, 8(sp)
    addi    sp, sp, 16
    .rept   15
    addi    a0, a0, 4
    .endr
    jr      t0
    end     o_end

    begin   program
    addi    sp, sp, -16
    .cfi_def_cfa_offset 16
    sw      ra, 12(sp)
    sw      s0, 8(sp)
    .cfi_offset ra, -4
    .cfi_offset s0, -8
0:  call    t1
    call    t2
    lw      a0, board_samples
    li      a1, ATTACK_SAMPLES
    bltu    a0, a1, 0b
    lw      ra, 12(sp)
    lw      s0, 8(sp)
    addi    sp, sp, 16
    ret
    end     program
