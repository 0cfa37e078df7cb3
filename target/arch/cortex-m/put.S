/* SPDX-License-Identifier: MIT */
/* The encoder of records, as put_record() in core/mcuprof.c. ARMv6-M instructions only.
 * Cycles in comments: Cortex-M0+, no wait states. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"
#include "mcuprof_wire.h"

#ifdef MCUPROF_S_PUT
    .syntax unified
    .thumb

    /* from the hash: */
    .set    HEAD, 4
    .set    DUE, 4 + 2 * MCUPROF_INDEX_BYTES

    /* \head = the next place in the ring. */
    .macro advance head
    adds    \head, #1                   /* 1 */
#if MCUPROF_RING_BYTES == 256
    uxtb    \head, \head                /* 1 */
#else
    .set    BITS, 0
    .set    BYTES, MCUPROF_RING_BYTES
    .rept   16
    .if BYTES > 1
    .set    BYTES, BYTES / 2
    .set    BITS, BITS + 1
    .endif
    .endr
    lsls    \head, \head, #32 - BITS    /* 1 */
    lsrs    \head, \head, #32 - BITS    /* 1 */
#endif
    .endm

/*
 * void mcuprof_put_record(uint32_t start, const uint32_t *values, uint32_t layout)
 * In:  r0, r1, r2; room in the ring. Out: nothing. As any function of C.
 * Stack: 20 bytes, and mcuprof_link_start()'s. Cycles: 60, and 21 for each group, 5 for each value.
 */
    .section .text.mcuprof_put_record, "ax", %progbits
    .global mcuprof_put_record
    .type mcuprof_put_record, %function
    .balign 4
mcuprof_put_record:
    push    {r4, r5, r6, r7, lr}        /* 6 */
    mov     r12, r1                     /* 1: where the values are */
    ldr     r6, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    ldr     r4, [r6]                    /* 2 */
    lsls    r5, r4, #8                  /* 1 */
    adds    r4, r5                      /* 1 */
    /* Totals and END's first 4 close a block: the hash begins anew. */
    movs    r5, #0xF0                   /* 1 */
    ands    r5, r0                      /* 1 */
    cmp     r5, #0xD0                   /* 1 */
    beq     1f                          /* 1 */
    movs    r5, r0                      /* 1 */
    subs    r5, #0xF0                   /* 1 */
    cmp     r5, #4                      /* 1 */
    bhs     2f                          /* 2 */
1:
    movs    r4, #0
2:
    adds    r4, r0                      /* 1: the hash */
#if MCUPROF_INDEX_BYTES == 2
    ldrh    r5, [r6, #HEAD]             /* 2 */
#else
    ldrb    r5, [r6, #HEAD]             /* 2 */
#endif
    ldr     r3, =mcuprof_state + MCUPROF_RING_OFFSET /* 2 */
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
3:
    lsrs    r2, r2, #1                  /* 1 */
    bcc     4f                          /* 2 */
    mov     r1, r12                     /* 1 */
    ldmia   r1!, {r6}                   /* 2 */
    mov     r12, r1                     /* 1 */
4:
    lsls    r7, r6, #25                 /* 1 */
    lsrs    r7, r7, #25                 /* 1 */
    lsrs    r6, r6, #7                  /* 1 */
    strb    r7, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    lsls    r1, r0, #1                  /* 1: the check's accumulator */
    adds    r0, r1                      /* 1 */
    adds    r0, r7                      /* 1 */
    lsls    r1, r4, #8                  /* 1 */
    adds    r4, r1                      /* 1 */
    adds    r4, r7                      /* 1 */
    cmp     r2, #1                      /* 1 */
    bne     3b                          /* 2 */
5:  /* modulo 127, of which 128 is 1 */
    lsrs    r1, r0, #7                  /* 1 */
    lsls    r0, r0, #25                 /* 1 */
    lsrs    r0, r0, #25                 /* 1 */
    adds    r0, r1                      /* 1 */
    cmp     r0, #127                    /* 1 */
    bhi     5b                          /* 2 */
    bne     6f                          /* 2 */
    movs    r0, #0
6:
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    lsls    r1, r4, #8                  /* 1 */
    adds    r4, r1                      /* 1 */
    adds    r4, r0                      /* 1 */
    ldr     r6, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    str     r4, [r6]                    /* 2 */
#if MCUPROF_INDEX_BYTES == 2
    strh    r5, [r6, #HEAD]             /* 2 */
#else
    strb    r5, [r6, #HEAD]             /* 2 */
#endif
    ldrb    r1, [r6, #DUE]              /* 2 */
    lsls    r2, r1, #32 - 5             /* 1: a multiple of 32 stays while that is due */
    beq     7f                          /* 1 */
    adds    r1, #1                      /* 1 */
    strb    r1, [r6, #DUE]              /* 2 */
7:
    ldrb    r1, [r6, #DUE + 1]          /* 2: busy */
    cmp     r1, #0                      /* 1 */
    bne     8f                          /* 2 */
    adds    r1, #1
    strb    r1, [r6, #DUE + 1]
    bl      mcuprof_link_start
8:
    pop     {r4, r5, r6, r7, pc}        /* 8 */
    .size mcuprof_put_record, . - mcuprof_put_record
    .pool
#endif
