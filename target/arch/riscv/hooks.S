/* SPDX-License-Identifier: MIT */
/* The hooks of calls and of basic blocks, and sampling. They use no register that RV32E
 * lacks, but for some that sampling saves. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

    .option arch, +zicsr
    .comm   mcuprof_handled_irq, 4, 4

    .set    PAIR_MASK, (MCUPROF_ENTRIES - 1) / 2 * 8

    .macro begin name, section, aligned=4
    .section .text.mcuprof_\section, "ax", %progbits
    .balign \aligned
    .global \name
    .type   \name, %function
\name:
    .endm

#if MCUPROF_BLOCKS
/* -fsanitize-coverage=trace-pc calls this in each block; ra is the address inside the
 * block. It does what _mcount does, with one instruction more. */
    begin   __sanitizer_cov_trace_pc, arc
    mv      a0, ra
#endif
/*
 * _mcount: what -pg calls at each function's entry, as any function of C.
 * In:  a0 the caller's return address, ra the address inside the callee.
 * Out: nothing. Clobbers a0-a5; where it calls a function of C, all that one may clobber.
 * Stack: none; 16 bytes and mcuprof_count()'s where it is not in its own two entries.
 * Instructions, call site (2 or 3) not included: stopped 4; counted in its first entry 22,
 *      in its second 25, or 27 if the first has the same call site; one fewer where the
 *      linker finds mcuprof_state near gp.
 */
#if MCUPROF_ARCS
    begin   _mcount, arc, 2
#endif
#if MCUPROF_ARCS || MCUPROF_BLOCKS
    lui     a4, %hi(mcuprof_state)
    lw      a5, %lo(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET)(a4)
    bnez    a5, 1f
    ret
1:
    ori     a1, ra, 1
#if MCUPROF_ENTRIES
    add     a3, a0, a1
    addi    a4, a4, %lo(mcuprof_state)
    slli    a3, a3, 1
#if MCUPROF_ENTRIES <= 512
    andi    a3, a3, PAIR_MASK           /* 8 * pair */
#else
    li      a5, PAIR_MASK
    and     a3, a3, a5
#endif
#if MCUPROF_CALLS
    sub     a4, a4, a3
    slli    a3, a3, 3                   /* 56 * pair */
#else
    add     a4, a4, a3
    slli    a3, a3, 1                   /* 24 * pair */
#endif
    add     a4, a4, a3
#endif
    csrrci  a2, mstatus, MCUPROF_MSTATUS_MIE
#if MCUPROF_ENTRIES
    lw      a5, MCUPROF_ENTRY_FROM(a4)
    bne     a5, a0, 3f
    lw      a5, MCUPROF_ENTRY_TO(a4)
    bne     a5, a1, 3f
2:
    lw      a5, MCUPROF_ENTRY_COUNT(a4)
    addi    a5, a5, 1
    beqz    a5, 4f                      /* it would overflow */
    sw      a5, MCUPROF_ENTRY_COUNT(a4)
    csrw    mstatus, a2
    ret
3:  /* the second entry */
#if MCUPROF_ENTRIES > 1
    addi    a4, a4, MCUPROF_ENTRY_BYTES
    lw      a5, MCUPROF_ENTRY_FROM(a4)
    bne     a5, a0, 4f
    lw      a5, MCUPROF_ENTRY_TO(a4)
    beq     a5, a1, 2b
#endif
4:
#endif
    addi    sp, sp, -16
    sw      ra, 12(sp)
    sw      a2, 8(sp)
    call    mcuprof_count
    lw      a2, 8(sp)
    lw      ra, 12(sp)
    addi    sp, sp, 16
    andi    a2, a2, MCUPROF_MSTATUS_MIE /* interrupts during a wait may change the other bits */
    csrs    mstatus, a2
    ret
#endif
#if !MCUPROF_ARCS /* files compiled with -pg still link, and no call is counted */
    begin   _mcount, arc
    ret
#endif

/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  a0 the function, a1 its return address.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in a2 the stack pointer,
 *      with bit 0 set in an interrupt.
 * Instructions: stopped 4; 9 until the function of C, fewer near gp.
 */
#if MCUPROF_CALLS
    .macro hook name, function
    begin   \name, call
    lui     a2, %hi(mcuprof_state)
    lw      a3, %lo(mcuprof_state + MCUPROF_HOOKS_ON_OFFSET)(a2)
    beqz    a3, 1f
    lui     a2, %hi(mcuprof_handled_irq)
    lw      a2, %lo(mcuprof_handled_irq)(a2)
    snez    a2, a2
    or      a2, a2, sp
    tail    \function
1:
    ret
    .endm
    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif

/*
 * mcuprof_sample_isr: the machine timer's interrupt. Entry 7 of a vectored mtvec jumps
 * here, or the handler of a direct mtvec does, with all registers as they were. Handlers that
 * let it interrupt them must have saved mepc and mstatus. It returns from the
 * interrupt.
 * Stack: 64 bytes (RV32E: 40), mcuprof_sample()'s and mcuprof_timer_set()'s.
 */
#ifdef __riscv_32e
#define SAVED t0, t1, t2, a0, a1, ra, a2, a3, a4, a5
    .set    FRAME_BYTES, 40
#else
#define SAVED t0, t1, t2, a0, a1, ra, a2, a3, a4, a5, a6, a7, t3, t4, t5, t6
    .set    FRAME_BYTES, 64
#endif
    .macro each operation, registers:vararg
    .set    AT, 0
    .irp    register, \registers
    \operation \register, AT(sp)
    .set    AT, AT + 4
    .endr
    .endm

    begin   mcuprof_sample_isr, sample_isr
#if MCUPROF_SAMPLES
    addi    sp, sp, -FRAME_BYTES
    each    sw, SAVED
    csrr    a0, mepc
#if MCUPROF_PATHS
    addi    a1, sp, FRAME_BYTES
    mv      a2, sp                      /* t0 and, five words on, ra */
    mv      a3, s0
    call    mcuprof_sample_at
#else
    call    mcuprof_sample
#endif
    each    lw, SAVED
    addi    sp, sp, FRAME_BYTES
#endif
    mret
