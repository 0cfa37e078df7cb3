/* SPDX-License-Identifier: MIT */
/*
 * The hook of basic blocks. ARMv6-M instructions only. Cycles in comments: Cortex-M0+, no
 * wait states.
 */
#include "entry.h"

#if MCUPROF_BLOCKS
    .syntax unified
    .thumb

/* Goes to \other unless the entry at r3 belongs to the task or interrupt in ip. Clobbers r2. */
    .macro of_this other
#if MCUPROF_BY_TASK
    ldr     r2, [r3, #TASK]
    cmp     r2, ip
    bne     \other
#endif
    .endm

/*
 * __sanitizer_cov_trace_pc: what -fsanitize-coverage=trace-pc calls in each block, as any
 * function of C: the compiler keeps nothing of its own in r0-r3, ip and the flags.
 * In:  lr the address inside the block.
 * Out: nothing. Clobbers r0-r3 and the flags; with MCUPROF_TASKS, or where it calls
 *      mcuprof_count(), ip too.
 * Stack: none; 8 bytes and mcuprof_count()'s where the block is not in its own entries.
 * Cycles, call (3) included: stopped 12; counted in its first entry 35, in its second 42.
 */
    .section .text.mcuprof_block, "ax", %progbits
    .global __sanitizer_cov_trace_pc
    .type __sanitizer_cov_trace_pc, %function
    .balign 4
__sanitizer_cov_trace_pc:
    ldr     r3, =mcuprof_state          /* 2 */
    ldr     r0, [r3, #MCUPROF_HOOKS_ON_OFFSET] /* 2 */
    cmp     r0, #MCUPROF_ARCS_ON        /* 1 */
    bne     mcuprof_block_stopped       /* 1; stopped: 2 */
#if MCUPROF_BY_TASK
    mrs     r0, ipsr
    whose   r2, r0, r0
    mov     ip, r2
#endif
    mov     r0, lr                      /* 1 */
#if MCUPROF_ENTRIES
    locate  r3, r0, r2, r1              /* 6 */
    mrs     r1, primask                 /* 3 */
    cpsid   i                           /* 1 */
    ldr     r2, [r3, #TO]               /* 2: no call and no sample has lr here */
    cmp     r2, r0                      /* 1 */
    bne     2f                          /* 1 */
    of_this 2f
1:
    ldr     r2, [r3, #COUNT]            /* 2 */
    adds    r2, #1                      /* 1 */
    beq     3f                          /* 1: it would overflow */
    str     r2, [r3, #COUNT]            /* 2 */
    msr     primask, r1                 /* 3 */
    bx      lr                          /* 2 */
2:  /* the second entry */
#if MCUPROF_ENTRIES > 1
    adds    r3, #ENTRY_BYTES            /* 1 */
    ldr     r2, [r3, #TO]               /* 2 */
    cmp     r2, r0                      /* 1 */
#if MCUPROF_BY_TASK
    bne     3f
    of_this 3f
    b       1b
#else
    beq     1b                          /* 2 */
#endif
#endif
3:
#else
    mrs     r1, primask                 /* 3 */
    cpsid   i                           /* 1 */
#endif
#if MCUPROF_BY_TASK
    ldr     r2, =mcuprof_state
    mov     r3, ip
    str     r3, [r2, #MCUPROF_CONTEXT_OFFSET]
#endif
    push    {r1, lr}                    /* 3: the stack stays aligned to 8 bytes */
    mov     r2, r1                      /* 1 */
    mov     r1, r0                      /* 1 */
    subs    r0, #1                      /* 1 */
    bl      mcuprof_count               /* 3 */
    pop     {r0, r1}                    /* 3 */
    msr     primask, r0                 /* 3 */
    bx      r1                          /* 2 */
    .size __sanitizer_cov_trace_pc, . - __sanitizer_cov_trace_pc

    .type mcuprof_block_stopped, %function
mcuprof_block_stopped:
    bx      lr                          /* 2 */
    .size mcuprof_block_stopped, . - mcuprof_block_stopped
    .pool
#endif
