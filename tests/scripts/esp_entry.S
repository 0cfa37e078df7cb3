/* SPDX-License-Identifier: MIT */
/* In the manner of ESP-IDF: a table whose entries all go to _interrupt_handler, which
 * --wrap gives to entry.S. What is IDF's handler there goes on to the board's. */
    .option arch, +zicsr
    .section .data.mcuprof_esp_interrupt, "aw", @progbits
    .global mcuprof_esp_interrupt
    .balign 4
mcuprof_esp_interrupt:
    .word   7                           /* the machine timer's */

    .section .text.esp_vectors, "ax", @progbits
    .option push
    .option norvc
    .balign 256
vectors:
    .rept   32
    j       __wrap__interrupt_handler
    .endr
    .option pop

    .global __real__interrupt_handler
__real__interrupt_handler:
    csrw    mscratch, t0
    csrr    t0, mcause
    andi    t0, t0, 31
    addi    t0, t0, -11                 /* the external one */
    beqz    t0, 1f
    csrr    t0, mscratch
    j       paced_isr
1:
    csrr    t0, mscratch
    j       external_isr

    .global __wrap_main
__wrap_main:
    la      t0, vectors + 1
    csrw    mtvec, t0
    tail    __real_main
