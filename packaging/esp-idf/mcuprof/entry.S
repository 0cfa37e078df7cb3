/* SPDX-License-Identifier: MIT */
/* All of IDF's interrupts come here first (--wrap=_interrupt_handler), with registers as
 * they were: the sampling timer's goes to the library, the others on to IDF. IDF leaves
 * mscratch alone. */
    .option arch, +zicsr

    .section .iram1.mcuprof_entry, "ax", @progbits
    .balign 4
    .global __wrap__interrupt_handler
    .type   __wrap__interrupt_handler, @function
__wrap__interrupt_handler:
    addi    sp, sp, -16
    sw      t0, 12(sp)
    sw      t1, 8(sp)
    csrr    t0, mcause
    andi    t0, t0, 31
    lui     t1, %hi(mcuprof_esp_interrupt)
    lw      t1, %lo(mcuprof_esp_interrupt)(t1)
    bne     t0, t1, 1f
    lw      t1, 8(sp)
    lw      t0, 12(sp)
    addi    sp, sp, 16
    csrw    mscratch, t0
    lui     t0, %hi(from_iram)          /* the library is in flash, too far for a jump */
    jr      %lo(from_iram)(t0)
1:
    lw      t1, 8(sp)
    lw      t0, 12(sp)
    addi    sp, sp, 16
    j       __real__interrupt_handler

    .section .text.mcuprof_esp_entry, "ax", @progbits
from_iram:
    csrr    t0, mscratch
    j       mcuprof_sample_isr
