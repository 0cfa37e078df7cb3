/* SPDX-License-Identifier: MIT */
/* Start-up of a LEON3: trap table, register windows, interrupts. */
#include "trap.inc"

    /* Jumps to \handler with %l0 = psr, %l3 = \number; %l1 is pc and %l2 npc already. */
    .macro trap handler, number=0
    rd      %psr, %l0
    sethi   %hi(\handler), %l4
    jmp     %l4 + %lo(\handler)
     mov    \number, %l3
    .endm

    .macro traps handler, count
    .rept   \count
    trap    \handler
    .endr
    .endm

    .macro function name
    .type   \name, %function
\name:
    .endm

    .section .traps, "ax"
    .global _start
_start:
    trap    reset
    traps   fault, 4
    trap    window_overflow             /* 0x05 */
    trap    window_underflow
    traps   fault, 10
    trap    interrupt, 1                /* 0x11: of level 1 */
    trap    interrupt, 2
    trap    interrupt, 3
    trap    interrupt, 4
    trap    interrupt, 5
    trap    interrupt, 6
    trap    mcuprof_sample_isr
    traps   fault, 0x71
    trap    irq_disable                 /* 0x89: ta 9, as RTEMS has it */
    trap    irq_enable                  /* ta 10 */
    traps   fault, 0x75

    .set    PSR, 0x10C0                 /* FPU, supervisor, window 0 */

    .text
    function reset
    set     PSR, %g1
    wr      %g1, 0, %psr
    wr      %g0, 2, %wim                /* 0, 7, 6 .. 2 are free */
    wr      %g0, 0, %y
    set     _start, %g2
    wr      %g2, 0, %tbr
    set     zero, %g2
    ld      [%g2], %fsr                 /* the FPU does not trap */
    set     __stack_top - 96, %sp
    clr     %fp
    set     __bss_start, %g2
    set     __bss_end, %g3
    clr     %g4
    clr     %g5
1:
    cmp     %g2, %g3
    bgeu    2f
     nop
    std     %g4, [%g2]
    ba      1b
     add    %g2, 8, %g2
2:
    wr      %g1, MCUPROF_PSR_ET, %psr
    nop; nop; nop
    call    start
     nop

/* Saves the oldest frame to its stack and makes its window the invalid one. */
    function window_overflow
    rd      %wim, %l3
    srl     %l3, 1, %l4
    sll     %l3, MCUPROF_WINDOWS - 1, %l3
    mov     %g1, %l7
    or      %l3, %l4, %g1
    save
    wr      %g1, 0, %wim
    nop; nop; nop
    window_store
    restore
    mov     %l7, %g1
    jmp     %l1
     rett   %l2

/* Loads the frame to be restored from its stack. */
    function window_underflow
    rd      %wim, %l3
    sll     %l3, 1, %l4
    srl     %l3, MCUPROF_WINDOWS - 1, %l3
    wr      %l3, %l4, %wim              /* wr is an exclusive or */
    nop; nop; nop
    restore
    restore
    window_load
    save
    save
    jmp     %l1
     rett   %l2

    function interrupt
    trap_enter %l3
    call    board_interrupt
     mov    %l3, %o0
    trap_leave

    function irq_disable
    mov     %l0, %g1
    or      %l0, MCUPROF_PSR_PIL, %l0
    wr      %l0, 0, %psr
    nop; nop; nop
    jmp     %l2
     rett   %l2 + 4

    function irq_enable
    and     %g1, MCUPROF_PSR_PIL, %l4
    andn    %l0, MCUPROF_PSR_PIL, %l0
    wr      %l0, %l4, %psr
    nop; nop; nop
    jmp     %l2
     rett   %l2 + 4

/* Anything unexpected ends the run. */
    function fault
    set     PSR, %g1
    wr      %g1, 0, %psr
    wr      %g0, 2, %wim
    nop; nop; nop
    set     __stack_top - 96, %sp
    wr      %g1, MCUPROF_PSR_ET, %psr
    nop; nop; nop
    call    board_exit
     mov    127, %o0

    /* A trap while traps are disabled stops the processor, and QEMU ends. */
    .global board_stop
    function board_stop
    rd      %psr, %g1
    wr      %g1, MCUPROF_PSR_ET, %psr
    nop; nop; nop
    ta      0
     nop

    .section .rodata
    .balign 4
zero:
    .word   0
