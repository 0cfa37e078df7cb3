/* SPDX-License-Identifier: MIT */
/* The encoder of records, as in core/mcuprof_encoder.h and mcuprof_path_encoder.h.
 * ARMv6-M instructions only.
 * Cycles in comments: Cortex-M0+, no wait states. */
#include "mcuprof_arch.h"
#include "mcuprof_path_layout.h"
#include "mcuprof_wire.h"
#include "ring.h"

#ifdef MCUPROF_S_PUT
    .syntax unified
    .thumb

/* \sum = the ring's head, the hash and mcuprof_moves, added: what appends, begins a record behind the
 * head or moves a counter changes it. */
    .macro hash_and_head sum, scratch
    ldr     \scratch, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    ldr     \sum, [\scratch]            /* 2 */
    load_index \scratch, \scratch, HEAD /* 2 */
    adds    \sum, \scratch              /* 1 */
#if MCUPROF_LETS_IN
    ldr     \scratch, =mcuprof_moves    /* 2 */
    ldr     \scratch, [\scratch]        /* 2 */
    adds    \sum, \scratch              /* 1 */
#endif
    .endm

/*
 * Lets interrupts in, and masks them again. If one of them, or a task that ran meanwhile, has
 * appended something, written over what is made here or moved a counter, it goes to .Lanew: the
 * record must be made anew. All that was written of it lies behind what is in the ring. lr is the sum
 * of hash_and_head as it was; r3 of the caller is at sp. Clobbers r1, r6, r7. 23 cycles.
 */
    .macro let_in
#if MCUPROF_LETS_IN
    ldr     r1, [sp]                    /* 2 */
    msr     primask, r1                 /* 3 */
    isb                                 /* 3: what waits comes before the next mask */
    cpsid   i                           /* 1 */
    hash_and_head r1, r7                /* 12 */
    cmp     r1, lr                      /* 1 */
    bne     .Lanew                      /* 1 */
#endif
    .endm

/*
 * void mcuprof_put_record(uint32_t start, const uint32_t *values, uint32_t layout)
 * In:  r0, r1, r2; room in the ring. Out: nothing. As any function of C.
 * Stack: 24 bytes, and mcuprof_link_start()'s. Cycles: 62, and 21 for each group, 5 for each value.
 *
 * With MCUPROF_LETS_IN:
 * bool mcuprof_put_record(uint32_t start, const uint32_t *values, uint32_t layout, mcuprof_irq irq)
 * In:  r0 to r3; interrupts are masked, and were in the state irq before that. It lets them in before
 *      each value and before the end, 23 cycles each.
 * Out: whether it was appended; interrupts are masked.
 */
    .section .text.mcuprof_put_record, "ax", %progbits
    .global mcuprof_put_record
    .type mcuprof_put_record, %function
    .balign 4
mcuprof_put_record:
    push    {r3, r4, r5, r6, r7, lr}    /* 7: the stack stays aligned to 8 bytes */
    mov     r12, r1                     /* 1: where the values are */
#if MCUPROF_LETS_IN
    ldr     r6, =mcuprof_moves          /* 2: another that is being made is written over */
    ldr     r1, [r6]                    /* 2 */
    adds    r1, #1                      /* 1 */
    str     r1, [r6]                    /* 2 */
    hash_and_head r1, r6                /* 12 */
    mov     lr, r1                      /* 1 */
#endif
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
    load_index r5, r6, HEAD             /* 2 */
    ldr     r3, =mcuprof_state + MCUPROF_RING_OFFSET /* 2 */
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
3:
    lsrs    r2, r2, #1                  /* 1 */
    bcc     4f                          /* 2 */
    let_in                              /* 23 */
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
    let_in                              /* 23 */
.Lcheck: /* modulo 127, where 128 is 1 */
    lsrs    r1, r0, #7                  /* 1 */
    lsls    r0, r0, #25                 /* 1 */
    lsrs    r0, r0, #25                 /* 1 */
    adds    r0, r1                      /* 1 */
    cmp     r0, #127                    /* 1 */
    bhi     .Lcheck                     /* 2 */
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
#if MCUPROF_RTT
    dmb                                 /* 3: the probe sees the bytes before the index */
#endif
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
#if MCUPROF_SPAN_BYTES && MCUPROF_SPAN_BYTES < 256 /* mcuprof_link_start()'s test */
    load_index r2, r6, TAIL             /* 2 */
    subs    r5, r5, r2                  /* 1 */
    wrap    r5                          /* 2 */
    cmp     r5, #MCUPROF_SPAN_BYTES     /* 1 */
    blo     8f                          /* 2 */
#endif
    adds    r1, #1
    strb    r1, [r6, #DUE + 1]
    bl      mcuprof_link_start
8:
#if MCUPROF_LETS_IN
    movs    r0, #1                      /* 1 */
    pop     {r3, r4, r5, r6, r7, pc}    /* 9 */
.Lanew:
    movs    r0, #0
#endif
    pop     {r3, r4, r5, r6, r7, pc}    /* 9 */
    .size mcuprof_put_record, . - mcuprof_put_record

#if MCUPROF_LETS_IN
/*
 * void mcuprof_put_event(struct mcuprof_entry *entry, mcuprof_irq irq)
 * In:  r0, r1; room in the ring; interrupts are masked, and were in the state irq before that.
 * Out: as core/mcuprof_core.h says. Interrupts are masked. As any function of C.
 * Stack: 32 bytes, and mcuprof_put_record()'s.
 */
    .weak   __mcuprof_base
    .set    EVENTS, 8                   /* on the stack, behind the addresses that are sent */
    .set    ENTRY, 12
    .global mcuprof_put_event
    .type mcuprof_put_event, %function
mcuprof_put_event:
    push    {r0, r4, r5, r6, lr}        /* 6 */
    mov     r3, r1                      /* 1 */
    ldmia   r0, {r0, r1, r2}            /* 4 */
    ldr     r4, =__mcuprof_base         /* 2 */
    subs    r0, r0, r4                  /* 1 */
    subs    r1, r1, r4                  /* 1 */
    lsrs    r0, r0, #1                  /* 1 */
    lsrs    r1, r1, #1                  /* 1 */
    push    {r0, r1, r2}                /* 4 */
    /* r5, r6: the start byte and the layout, from its end; 1, 2 or 5 groups of the count, or none */
    movs    r5, #0                      /* 1 */
    movs    r6, #1                      /* 1 */
    cmp     r2, #1                      /* 1 */
    beq     1f                          /* 2 */
    movs    r5, #1                      /* 1 */
    movs    r6, #(1 << 1) + 1           /* 1 */
    lsrs    r2, r2, #7                  /* 1 */
    beq     1f                          /* 2 */
    movs    r5, #2
    movs    r6, #(1 << 2) + 1
    lsrs    r2, r2, #7
    beq     1f
    movs    r5, #3
    movs    r6, #(1 << MCUPROF_WIRE_WORD_GROUPS) + 1
1:
    movs    r2, #2                      /* 1: groups of an address */
    orrs    r0, r1                      /* 1 */
    lsrs    r0, r0, #14                 /* 1 */
    beq     3f                          /* 1 */
2:
    adds    r5, #4                      /* 1 */
    adds    r2, #1                      /* 1 */
    lsrs    r0, r0, #7                  /* 1 */
    bne     2b                          /* 1 */
3:
    lsls    r6, r2                      /* 1 */
    adds    r6, #1                      /* 1 */
    mov     r1, sp                      /* 1: the values */
    ldr     r0, [sp, #ENTRY]            /* 2 */
    ldr     r4, =mcuprof_state + MCUPROF_HASH_OFFSET - 8 * MCUPROF_KINDS /* 2: events sent */
#if MCUPROF_ARCS && MCUPROF_SAMPLES
    ldr     r0, [r0, #4]                /* 2 */
    lsrs    r0, r0, #1                  /* 1: a call's bit 0 */
    bcs     4f                          /* 1 */
#endif
#if MCUPROF_SAMPLES
    adds    r5, #MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0)
    adds    r1, #4                      /* one address */
#endif
#if MCUPROF_ARCS && MCUPROF_SAMPLES
    b       5f
4:
    adds    r4, #8                      /* 1 */
#endif
#if MCUPROF_ARCS
    adds    r5, #MCUPROF_WIRE_START(MCUPROF_WIRE_ARC, 0) /* 1 */
    lsls    r6, r2                      /* 1 */
    adds    r6, #1                      /* 1 */
#endif
5:
    mov     r0, r5                      /* 1 */
    mov     r2, r6                      /* 1 */
    bl      mcuprof_put_record          /* 3 */
    cmp     r0, #0                      /* 1 */
    beq     6f                          /* 1 */
    ldr     r0, [sp, #ENTRY]            /* 2 */
    ldr     r1, [sp, #EVENTS]           /* 2 */
    ldr     r2, [r4]                    /* 2 */
    adds    r2, r1                      /* 1 */
    str     r2, [r4]                    /* 2 */
    ldr     r2, [r0, #8]                /* 2: it may have counted meanwhile */
    subs    r2, r2, r1                  /* 1 */
    str     r2, [r0, #8]                /* 2 */
6:
    add     sp, #16                     /* 1 */
    pop     {r4, r5, r6, pc}            /* 7 */
    .size mcuprof_put_event, . - mcuprof_put_event
#endif

#if MCUPROF_TIMELINE
/*
 * void mcuprof_put_timeline_steps(const uint32_t *step)
 * In:  r0, 8 steps; room in the ring, none of it beyond its end. As any function of C.
 * Stack: 24 bytes, and mcuprof_link_start()'s. Cycles: 332.
 */
    .macro append at                    /* 8: r7 */
    strb    r7, [r5, #\at]
    lsls    r1, r0, #1
    adds    r0, r1
    adds    r0, r7
    lsls    r1, r4, #8
    adds    r4, r1
    adds    r4, r7
    .endm

    .global mcuprof_put_timeline_steps
    .type mcuprof_put_timeline_steps, %function
mcuprof_put_timeline_steps:
    push    {r3, r4, r5, r6, r7, lr}    /* 7 */
    mov     r2, r0                      /* 1 */
    adds    r0, #4 * MCUPROF_WIRE_STEPS /* 1 */
    mov     r12, r0                     /* 1: behind the last step */
    ldr     r6, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    ldr     r4, [r6]                    /* 2 */
    load_index r5, r6, HEAD             /* 2 */
    ldr     r3, =mcuprof_state + MCUPROF_RING_OFFSET /* 2 */
    adds    r5, r3                      /* 1 */
    movs    r0, #0                      /* 1 */
    movs    r7, #MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STEPS) /* 1 */
    append  0                           /* 8 */
    adds    r5, #1                      /* 1 */
1:
    ldmia   r2!, {r6}                   /* 2 */
    lsls    r7, r6, #25                 /* 1 */
    lsrs    r7, r7, #25                 /* 1 */
    append  0                           /* 8 */
    lsls    r7, r6, #18                 /* 1 */
    lsrs    r7, r7, #25                 /* 1 */
    append  1                           /* 8 */
    lsrs    r7, r6, #14                 /* 1 */
    append  2                           /* 8 */
    adds    r5, #3                      /* 1 */
    cmp     r2, r12                     /* 1 */
    bne     1b                          /* 2 */
    subs    r5, r3                      /* 1 */
    b       .Lcheck                     /* 2 */
    .size mcuprof_put_timeline_steps, . - mcuprof_put_timeline_steps
#endif

#if MCUPROF_PATHS
/*
 * void mcuprof_put_path(struct mcuprof_paths *, unsigned frames, uint32_t pc)
 * In:  r0 to r2; room in the ring. As any function of C.
 * Stack: 40 bytes, and mcuprof_link_start()'s.
 * Cycles in the mean, by bench/paths.py: 187 where 0.6 frames are new (zlib), 464 where 4.3
 * are (Mbed TLS); and 61 to 73 from .Lcheck on.
 */
    .global mcuprof_put_path
    .type mcuprof_put_path, %function
    .weak __mcuprof_base
    .set    NEXT, 0
    .set    PATHS, 4
    .set    FRAMES, 8
    .set    GROUPS, 12
    .set    VALUE, 16
mcuprof_put_path:
    push    {r4, r5, r6, r7, lr}        /* 6 */
    sub     sp, #20                     /* 1 */
    str     r0, [sp, #PATHS]            /* 2 */
    ldr     r4, =__mcuprof_base         /* 2 */
    subs    r3, r2, r4                  /* 1 */
    lsrs    r3, r3, #1                  /* 1 */
    str     r3, [sp, #VALUE]            /* 2 */
    movs    r4, #0xF8                   /* 1: END | PATH_SAMPLE */
    movs    r2, #2                      /* 1: groups of the program counter */
    lsrs    r3, r3, #14                 /* 1 */
    beq     2f                          /* 2 */
    cmp     r3, #4                      /* 1: bits 14 and 15 go into the start byte */
    bhs     1f                          /* 1 */
    adds    r4, #4                      /* 1: END | PATH */
    adds    r4, r3                      /* 1 */
    b       2f                          /* 2 */
1:
    adds    r4, #1
    adds    r2, #1
    lsrs    r3, r3, #7
    bne     1b
2:
    cmp     r1, #MCUPROF_PATH_FRAMES    /* 1 */
    bls     3f                          /* 2 */
    movs    r1, #MCUPROF_PATH_FRAMES
    movs    r2, #0
    movs    r4, #0xFC                   /* END | PATH */
3:
    str     r1, [sp, #FRAMES]           /* 2 */
    str     r2, [sp, #GROUPS]           /* 2 */  /* r4 the start byte; r7 the shape, r6 what is gone */
    ldrh    r3, [r0, #KNOWN]            /* 2 */
    ldrh    r6, [r0, #SAID]             /* 2 */
    lsrs    r3, r3, #3                  /* 1 */
    subs    r6, r6, r3                  /* 1 */
    adds    r5, r3, r1                  /* 1 */
    strh    r5, [r0, #SAID]             /* 2 */
    movs    r2, #1                      /* 1: groups of the shape */
    cmp     r3, #0                      /* 1 */
    beq     4f                          /* 1 */
    lsls    r7, r6, #3                  /* 1 */
    cmp     r6, #MCUPROF_WIRE_PATH_DROP_MORE /* 1 */
    blo     5f                          /* 2 */
    movs    r7, #MCUPROF_WIRE_PATH_DROP(MCUPROF_WIRE_PATH_DROP_MORE)
    movs    r2, #2
    b       5f
4:
    ldrb    r7, [r0, #ROOT]
    lsls    r7, r7, #3
    adds    r7, #MCUPROF_WIRE_PATH_ANEW(0)
5:
    adds    r7, r1                      /* 1 */
    bne     6f                          /* 2: the path differs */
    cmp     r4, #0xF8                   /* 1: with the shape it is as short, or nearly */
    bne     6f                          /* 1 */
    movs    r2, #0                      /* 1 */
    movs    r4, #MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0) /* 1 */
6:
    mov     r0, r4                      /* 1: the check's accumulator */
    ldr     r1, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    ldr     r4, [r1]                    /* 2 */
    lsls    r5, r4, #8                  /* 1 */
    adds    r4, r5                      /* 1 */
    adds    r4, r0                      /* 1 */
    load_index r5, r1, HEAD             /* 2 */
    ldr     r3, =mcuprof_state + MCUPROF_RING_OFFSET /* 2 */
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    cmp     r2, #0                      /* 1 */
    beq     .Lpc                        /* 1 */
    bl      .Lfirst                     /* 3 */
    ldr     r1, [sp, #PATHS]            /* 2 */
    mov     lr, r1                      /* 1 */
    ldr     r7, [sp, #FRAMES]           /* 2 */
    ldrh    r6, [r1, #KNOWN]            /* 2 */
    ldrh    r2, [r1, #USED]             /* 2 */
    lsls    r7, r7, #3                  /* 1 */
    adds    r7, r6                      /* 1: known once these are said */
    subs    r2, r7, r2                  /* 1: one more: it is in a register */
    bhi     1f                          /* 1 */
    movs    r2, #0                      /* 1 */
1:
    str     r2, [sp, #FRAMES]           /* 2 */
    subs    r7, r2                      /* 1 */
    strh    r7, [r1, #KNOWN]            /* 2 */
    ldr     r2, =SLOT                   /* 2 */
    adds    r1, r2                      /* 1 */
    adds    r6, r1                      /* 1: the next slot */
    adds    r7, r1                      /* 1 */
    mov     r12, r7                     /* 1: behind the last */

    /* Return addresses, r6 the next one's slot, lr the paths. One that the reader knows takes 34
     * cycles. */
.Lnext:
    cmp     r6, r12                     /* 1 */
    beq     .Lslots_said                /* 1 */
    ldmia   r6!, {r1, r2}               /* 3 */
.Lback: /* r1, a return address */
    lsls    r2, r1, #31 - CACHE_BITS    /* 1 */
    lsrs    r2, r2, #32 - CACHE_BITS    /* 1 */
    lsls    r2, r2, #2                  /* 1 */
    add     r2, lr                      /* 1 */
    ldr     r2, [r2, #FRAME]            /* 2 */
    lsrs    r7, r1, #1 + CACHE_BITS     /* 1 */
    lsls    r7, r7, #16                 /* 1 */
    eors    r2, r7                      /* 1 */
    mov     r7, lr                      /* 1 */
    ldr     r7, [r7, #BLOCK]            /* 2 */
    eors    r2, r7                      /* 1 */
    lsrs    r2, r2, #9                  /* 1 */
    bne     2f                          /* 1: the reader does not know it */
    lsls    r7, r1, #25                 /* 1 */
    lsrs    r7, r7, #26                 /* 1: its place */
    strb    r7, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    lsls    r1, r0, #1                  /* 1 */
    adds    r0, r1                      /* 1 */
    adds    r0, r7                      /* 1 */
    lsls    r1, r4, #8                  /* 1 */
    adds    r4, r1                      /* 1 */
    adds    r4, r7                      /* 1 */
    b       .Lnext                      /* 2 */
2:
    str     r6, [sp, #NEXT]             /* 2 */
    lsls    r6, r1, #31 - CACHE_BITS    /* 1 */
    lsrs    r6, r6, #32 - CACHE_BITS    /* 1 */
    lsls    r6, r6, #2                  /* 1 */
    add     r6, lr                      /* 1 */
    adds    r6, #FRAME                  /* 1 */
    ldrh    r7, [r6]                    /* 2 */
    lsls    r7, r7, #23                 /* 1 */
    lsrs    r7, r7, #23                 /* 1: what the reader knew there is another now */
    lsrs    r2, r2, #7                  /* 1 */
    bne     3f                          /* 1 */
    mov     r2, lr                      /* 1: this one */
    ldr     r2, [r2, #BLOCK]            /* 2 */
    adds    r7, r2                      /* 1 */
3:
    strh    r7, [r6]                    /* 2 */
    ldr     r6, =__mcuprof_base         /* 2 */
    subs    r6, r1, r6                  /* 1 */
    lsrs    r6, r6, #1                  /* 1 */
    movs    r7, #15                     /* 1 */
    ands    r7, r6                      /* 1 */
    adds    r7, #MCUPROF_WIRE_PATH_MIDDLE /* 1 */
    movs    r2, #3                      /* 1 */
    lsrs    r6, r6, #4                  /* 1 */
    lsrs    r1, r6, #MCUPROF_WIRE_PATH_SHORT_BITS - 4 /* 1 */
    beq     5f                          /* 1 */
    lsrs    r1, r6, #MCUPROF_WIRE_PATH_MIDDLE_BITS - 4 /* 1 */
    beq     6f                          /* 2 */
    adds    r7, #MCUPROF_WIRE_PATH_LONG - MCUPROF_WIRE_PATH_MIDDLE
    movs    r2, #5
    b       6f
5:  /* 12 bits: 5 in the first group */
    lsrs    r6, r6, #1                  /* 1: its bit 4 */
    bcc     8f                          /* 2 */
    adds    r7, #16                     /* 1 */
8:
    subs    r7, #MCUPROF_WIRE_PATH_MIDDLE - MCUPROF_WIRE_PATH_SHORT /* 1 */
    movs    r2, #2                      /* 1 */
6:
    bl      .Lfirst                     /* 3 */
    ldr     r6, [sp, #NEXT]             /* 2 */
    ldr     r1, [sp, #PATHS]            /* 2 */
    mov     lr, r1                      /* 1 */
    b       .Lnext                      /* 2 */
.Lslots_said:
    ldr     r1, [sp, #FRAMES]           /* 2 */
    cmp     r1, #0                      /* 1 */
    beq     .Lpc                        /* 2 */
    movs    r1, #0                      /* 1 */
    str     r1, [sp, #FRAMES]           /* 2 */
    mov     r1, lr                      /* 1 */
    ldr     r1, [r1, #LINK]             /* 2 */
    b       .Lback                      /* 2 */
.Lpc:
    ldr     r2, [sp, #GROUPS]           /* 2 */
    ldr     r6, [sp, #VALUE]            /* 2 */
    cmp     r2, #0                      /* 1 */
    beq     1f                          /* 1 */
    bl      .Lgroups                    /* 3 */
1:
    add     sp, #16                     /* 1: a word and r4 to lr stay, which .Lcheck pops */
    b       .Lcheck                     /* 2 */

/* Appends r2 groups: those of r6, or r7 as the first of them. Clobbers r1, r2, r6, r7. */
.Lgroups:
    lsls    r7, r6, #25                 /* 1 */
    lsrs    r7, r7, #25                 /* 1 */
    lsrs    r6, r6, #7                  /* 1 */
.Lfirst:
    strb    r7, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    lsls    r1, r0, #1                  /* 1 */
    adds    r0, r1                      /* 1 */
    adds    r0, r7                      /* 1 */
    lsls    r1, r4, #8                  /* 1 */
    adds    r4, r1                      /* 1 */
    adds    r4, r7                      /* 1 */
    subs    r2, #1                      /* 1 */
    bne     .Lgroups                    /* 2 */
    bx      lr                          /* 2 */
    .size mcuprof_put_path, . - mcuprof_put_path
#endif
    .pool
#endif
