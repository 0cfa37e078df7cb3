/* SPDX-License-Identifier: MIT */
/* Finds an event's counter, or makes one, as core/mcuprof_cache.h does in C; that file says
 * why. ARMv6-M instructions only. Cycles in comments: Cortex-M0+, no wait states. */
#include "entry.h"
#include "mcuprof_path_layout.h"
#include "mcuprof_wire.h"
#include "ring.h"

#if MCUPROF_LETS_IN
    .syntax unified
    .thumb

    .set    IRQ, 8                      /* on the stack */
    .set    SET_BYTES, MCUPROF_WAYS * ENTRY_BYTES

/* Lets interrupts in, and masks them again. Clobbers \scratch. 9 cycles. */
    .macro let_in scratch
    ldr     \scratch, [sp, #IRQ]        /* 2 */
    msr     primask, \scratch           /* 3 */
    isb                                 /* 3: what waits comes before the next mask */
    cpsid   i                           /* 1 */
    .endm

/*
 * void mcuprof_count(uint32_t from, uint32_t to, mcuprof_irq irq)
 * In:  r0 to r2; interrupts are masked, and were in the state irq before that. It lets them in before
 *      the search, before what makes a record, and amid that.
 * Out: the event is counted, or counted as lost; interrupts are masked or as they were before. As any
 *      function of C.
 * Stack: 32 bytes, and mcuprof_put_event()'s or mcuprof_put_due()'s.
 * Cycles: 86 where the first entry of the set has the event, and 12 for each entry before it.
 */
    .section .text.mcuprof_count, "ax", %progbits
    .global mcuprof_count
    .type mcuprof_count, %function
    .balign 4
mcuprof_count:
    push    {r0, r1, r2, r4, r5, r6, r7, lr} /* 9 */
.Lsearch:
    let_in  r4                          /* 9 */
    ldr     r3, =mcuprof_state          /* 2 */
    locate_sum r3, r0, r1, r2, r4, (MCUPROF_WAYS - 1) / 2 /* 6 */
    adds    r3, #FROM                   /* 1: its set */
    mov     r6, r3                      /* 1 */
    adds    r6, #SET_BYTES              /* 1 */
    mov     lr, r6                      /* 1 */
    movs    r5, #0                      /* 1 */
    mvns    r5, r5                      /* 1: the smallest count, and r6 the end of its entry */
1:
    ldmia   r3!, {r2, r4, r7}           /* 4 */
    cmp     r2, r0                      /* 1 */
    beq     4f                          /* 1 */
2:
    cmp     r7, r5                      /* 1 */
    bhs     3f                          /* 2 */
    mov     r5, r7
    mov     r6, r3
3:
    cmp     r3, lr                      /* 1 */
    bne     1b                          /* 2 */
    subs    r6, #ENTRY_BYTES            /* 1 */
    cmp     r5, #0                      /* 1 */
    beq     .Lnew                       /* 1 */
    ldr     r3, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    ldrb    r2, [r3, #DUE]              /* 2 */
#if MCUPROF_SENDS_AT_ONCE /* it comes here each 32nd time, and then an entry goes in turn */
    lsrs    r2, r2, #5
#else
    lsls    r4, r2, #32 - 2             /* 1 */
    bne     5f                          /* 2 */
    lsrs    r2, r2, #2                  /* every 4th time an entry goes in turn */
#endif
    movs    r4, #MCUPROF_WAYS - 1
    ands    r2, r4
    movs    r4, #ENTRY_BYTES
    muls    r2, r4, r2
    mov     r6, lr
    subs    r6, #ENTRY_BYTES
    subs    r6, r6, r2
    b       5f
4:
    cmp     r4, r1                      /* 1 */
    bne     2b                          /* 1 */
    adds    r4, r7, #1                  /* 1 */
    beq     2b                          /* 1: it would overflow */
    subs    r3, #ENTRY_BYTES            /* 1 */
    mov     r6, r3                      /* 1 */
    b       .Lexchange                  /* 2 */

5:  /* r6: the entry that makes room */
    let_in  r2                          /* 9 */
    ldr     r2, [r6, #8]                /* 2 */
    cmp     r2, #0                      /* 1 */
    beq     .Lnew                       /* 1 */
#if MCUPROF_HOOKS /* behind mcuprof_end(), which may have been let in, nothing is sent */
    ldr     r2, =mcuprof_state          /* 2 */
    ldr     r2, [r2, #MCUPROF_HOOKS_ON_OFFSET] /* 2 */
    cmp     r2, #0                      /* 1 */
    beq     .Llose                      /* 1 */
#endif
#if MCUPROF_PATHS
    ldr     r2, =mcuprof_state + MCUPROF_PATHS_OFFSET + MCUPROF_PATHS_SAYING /* 2 */
    ldrb    r2, [r2]                    /* 2 */
    cmp     r2, #0                      /* 1: sampling uses the ring, which we have interrupted */
    bne     .Llose                      /* 1 */
#endif
    load_index r2, r3, TAIL             /* 2 */
    load_index r4, r3, HEAD             /* 2 */
    subs    r2, r2, r4                  /* 1 */
    subs    r2, #1                      /* 1 */
    wrap    r2                          /* 1 */
    cmp     r2, #MCUPROF_RECORD_BYTES_MAX /* 1 */
    blo     .Llose                      /* 1 */
    ldrb    r2, [r3, #DUE]              /* 2 */
    lsls    r2, r2, #32 - 5             /* 1 */
    beq     6f                          /* 1 */
    mov     r0, r6                      /* 1 */
    ldr     r1, [sp, #IRQ]              /* 2 */
    bl      mcuprof_put_event           /* 3 */
    ldr     r0, [sp]                    /* 2 */
    ldr     r1, [sp, #4]                /* 2 */
    bne     .Lsearch                    /* 1: it has counted meanwhile, or nothing was sent */
.Lnew:
    movs    r4, #1                      /* 1 */
.Lexchange: /* the entry at r6 and the smaller of the event's own change places; r4: its count */
    ldr     r3, =mcuprof_state          /* 2 */
    ldr     r2, [r3, #MCUPROF_HASH_OFFSET + MOVES] /* 2 */
    adds    r2, #1                      /* 1 */
    str     r2, [r3, #MCUPROF_HASH_OFFSET + MOVES] /* 2 */
    locate_sum r3, r0, r1, r2, r5       /* 6 */
    adds    r3, #FROM                   /* 1 */
    ldr     r2, [r3, #8]                /* 2 */
    ldr     r5, [r3, #8 + ENTRY_BYTES]  /* 2 */
    cmp     r5, r2                      /* 1 */
    bhs     7f                          /* 2 */
    adds    r3, #ENTRY_BYTES
7:
    ldmia   r3!, {r2, r5, r7}           /* 4 */
    stmia   r6!, {r2, r5, r7}           /* 4 */
    subs    r3, #ENTRY_BYTES            /* 1 */
    stmia   r3!, {r0, r1, r4}           /* 4 */
    ldr     r2, [sp, #IRQ]              /* 2 */
    msr     primask, r2                 /* 3 */
    pop     {r0, r1, r2, r4, r5, r6, r7, pc} /* 10 */
6:
    ldr     r0, [sp, #IRQ]              /* 2 */
    bl      mcuprof_put_due             /* 3 */
    ldr     r0, [sp]                    /* 2 */
    ldr     r1, [sp, #4]                /* 2 */
    ldr     r3, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    b       5b                          /* 2 */
.Llose:
    subs    r3, #8 * MCUPROF_KINDS - 4  /* 1: samples that were lost */
#if MCUPROF_ARCS && MCUPROF_SAMPLES
    lsls    r1, r1, #31                 /* 1: a call's bit 0 */
    beq     8f                          /* 1 */
    adds    r3, #8                      /* 1 */
8:
#endif
    ldr     r2, [r3]                    /* 2 */
    adds    r2, #1                      /* 1 */
    str     r2, [r3]                    /* 2 */
    pop     {r0, r1, r2, r4, r5, r6, r7, pc} /* 10 */
    .size mcuprof_count, . - mcuprof_count
    .pool
#endif
