/* SPDX-License-Identifier: MIT */
#include "mcuprof_arch.h"

    .option arch, +zicsr

/*
 * mcuprof_sample_isr: the machine timer's interrupt, for a vectored mtvec's entry 7 to jump
 * to, or a direct one's handler, with all registers as they were. Handlers that let it
 * interrupt them have saved mepc and mstatus. It returns from the interrupt.
 * Stack: 64 bytes (RV32E: 40), mcuprof_sample()'s and mcuprof_timer_set()'s.
 */
#ifdef __riscv_32e
#define SAVED ra, t0, t1, t2, a0, a1, a2, a3, a4, a5
    .set    FRAME_BYTES, 40
#else
#define SAVED ra, t0, t1, t2, a0, a1, a2, a3, a4, a5, a6, a7, t3, t4, t5, t6
    .set    FRAME_BYTES, 64
#endif
    .macro each operation, registers:vararg
    .set    AT, 0
    .irp    register, \registers
    \operation \register, AT(sp)
    .set    AT, AT + 4
    .endr
    .endm

    .section .text.mcuprof_sample_isr, "ax", %progbits
    .global mcuprof_sample_isr
    .type mcuprof_sample_isr, %function
    .balign 4
mcuprof_sample_isr:
#if MCUPROF_SAMPLES
    addi    sp, sp, -FRAME_BYTES
    each    sw, SAVED
    csrr    a0, mepc
    call    mcuprof_sample
    each    lw, SAVED
    addi    sp, sp, FRAME_BYTES
#endif
    mret
    .size mcuprof_sample_isr, . - mcuprof_sample_isr
