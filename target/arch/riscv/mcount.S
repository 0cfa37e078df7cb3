/* SPDX-License-Identifier: MIT */
/* The hooks of calls and of basic blocks. In registers that RV32E has too. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

    .option arch, +zicsr

    .comm   mcuprof_interrupt, 4, 4

    /* from mcuprof_state, for a key's first entry, once 2 * ENTRY_BYTES * pair is added */
    .set    FROM, MCUPROF_ENTRIES_OFFSET
    .set    TO, MCUPROF_ENTRIES_OFFSET + 4
    .set    COUNT, MCUPROF_ENTRIES_OFFSET + 8
    .set    ENTRY_BYTES, MCUPROF_ENTRY_BYTES
    .set    PAIR_MASK, (MCUPROF_ENTRIES - 1) / 2 * 8

    .section .text.mcuprof_arc, "ax", %progbits
    .balign 4
#if MCUPROF_BLOCKS
/*
 * __sanitizer_cov_trace_pc: what -fsanitize-coverage=trace-pc calls in each block.
 * In:  ra the address inside the block.
 * Else as _mcount, and one instruction more.
 */
    .global __sanitizer_cov_trace_pc
    .type __sanitizer_cov_trace_pc, %function
__sanitizer_cov_trace_pc:
    mv      a0, ra
    .size __sanitizer_cov_trace_pc, . - __sanitizer_cov_trace_pc
#endif
/*
 * _mcount: what -pg calls at each function's entry, as any function of C.
 * In:  a0 the caller's return address, ra the address inside the callee.
 * Out: nothing. Clobbers a0-a5; what a function of C may, where it calls one.
 * Stack: none; 16 bytes and mcuprof_count()'s where it is not in its own two entries.
 * Instructions, call site (2 or 3) not included: stopped 4; counted in its first entry 22,
 *      in its second 25, or 27 if the first has the same call site; one fewer where the
 *      linker finds mcuprof_state near gp.
 */
#if MCUPROF_ARCS
    .global _mcount
    .type _mcount, %function
_mcount:
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
    csrrci  a2, mstatus, MCUPROF_MSTATUS_MIE
    lw      a5, FROM(a4)
    bne     a5, a0, 3f
    lw      a5, TO(a4)
    bne     a5, a1, 3f
2:
    lw      a5, COUNT(a4)
    addi    a5, a5, 1
    beqz    a5, 4f                      /* it would overflow */
    sw      a5, COUNT(a4)
    csrw    mstatus, a2
    ret
3:  /* the second entry */
#if MCUPROF_ENTRIES > 1
    addi    a4, a4, ENTRY_BYTES
    lw      a5, FROM(a4)
    bne     a5, a0, 4f
    lw      a5, TO(a4)
    beq     a5, a1, 2b
#endif
4:
#else
    csrrci  a2, mstatus, MCUPROF_MSTATUS_MIE
#endif
    addi    sp, sp, -16
    sw      ra, 12(sp)
    sw      a2, 8(sp)
    call    mcuprof_count
    lw      a2, 8(sp)
    lw      ra, 12(sp)
    addi    sp, sp, 16
    andi    a2, a2, MCUPROF_MSTATUS_MIE /* who waits lets in what may change the rest */
    csrs    mstatus, a2
    ret
#endif
#if MCUPROF_ARCS
    .size _mcount, . - _mcount
#else /* files compiled with -pg still link, and no call is counted */
    .global _mcount
    .type _mcount, %function
_mcount:
    ret
    .size _mcount, . - _mcount
#endif
