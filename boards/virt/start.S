/* SPDX-License-Identifier: MIT */
/* The processor's start and traps: each trap goes to its place in a table or, with the
 * knob BOARD_DIRECT_TRAP, to one handler, which finds the cause. */
    .option arch, +zicsr

    .section .vectors, "ax", %progbits
    .global start
start:
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    la      sp, __stack_top
#ifdef BOARD_DIRECT_TRAP
    la      t0, trap
#else
    la      t0, vectors + 1
#endif
    csrw    mtvec, t0
    j       reset_handler

#ifdef BOARD_DIRECT_TRAP
    .balign 4
trap:
    csrw    mscratch, t0
    csrr    t0, mcause
    bgez    t0, fault_handler
    addi    t0, t0, -7                  /* the machine timer's */
    slli    t0, t0, 1
    beqz    t0, 1f
    addi    t0, t0, -4 * 2              /* the external one, 11 */
    beqz    t0, 2f
    csrr    t0, mscratch
    j       paced_isr
1:
    csrr    t0, mscratch
    j       mcuprof_sample_isr
2:
    csrr    t0, mscratch
    j       external_isr
#else
    .option push
    .option norvc
    .balign 64
vectors:
    j       fault_handler
    j       fault_handler
    j       fault_handler
    j       fault_handler
    j       fault_handler
    j       paced_isr                   /* 5: the supervisor's timer */
    j       fault_handler
    j       mcuprof_sample_isr          /* 7: the machine's timer */
    j       fault_handler
    j       fault_handler
    j       fault_handler
    j       external_isr                /* 11: the PLIC */
    .option pop
#endif
