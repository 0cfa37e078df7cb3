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

/*
 * Lets interrupts in, and masks them again. If one of them, or a task that ran meanwhile, has
 * appended something, written over the record made here or moved a counter, this goes to .Lanew:
 * the record must be made anew. All bytes that were written of it lie behind those in the ring. lr is
 * mcuprof_state.moves as it was; r3 of the caller is at sp. Clobbers r1. 15 cycles.
 */
    .macro let_in
#if MCUPROF_LETS_IN
    ldr     r1, [sp]                    /* 2 */
    msr     primask, r1                 /* 3 */
    isb                                 /* 3: what waits comes before the next mask */
    cpsid   i                           /* 1 */
    ldr     r1, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    ldr     r1, [r1, #MOVES]            /* 2 */
    cmp     r1, lr                      /* 1 */
    bne     .Lanew                      /* 1 */
#endif
    .endm

/*
 * void mcuprof_put_record(uint32_t start, const uint32_t *values, uint32_t layout)
 * In:  r0, r1, r2; room in the ring. Out: nothing. As any function of C.
 * Stack: 24 bytes, and mcuprof_link_start()'s. Cycles: 83, and 18 for each group, 6 for each value.
 *
 * With MCUPROF_LETS_IN:
 * bool mcuprof_put_record(uint32_t start, const uint32_t *values, uint32_t layout, mcuprof_irq irq)
 * In:  r0 to r3; interrupts are masked, and were in the state irq before that. It lets them in at the
 *      start, before each further value with 5 groups or more left, and before the end; 15 cycles each.
 * Out: whether it was appended; interrupts are masked.
 */
    .section .text.mcuprof_put_record, "ax", %progbits
    .global mcuprof_put_record
    .type mcuprof_put_record, %function
    .balign 4
mcuprof_put_record:
    push    {r3, r4, r5, r6, r7, lr}    /* 7: the stack stays aligned to 8 bytes */
    ldr     r6, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    mov     r12, r1                     /* 1: where the values are */
#if MCUPROF_LETS_IN
    moved   r5, 0                       /* 5: another that is being made is written over */
    mov     lr, r5                      /* 1 */
    let_in                              /* 15 */
#endif
    /* Totals and END's first 4 close a block: the hash begins anew. */
    movs    r4, #0                      /* 1 */
    mov     r5, r0                      /* 1 */
#if MCUPROF_BY_TASK
    lsrs    r5, r5, #4
    cmp     r5, #0xD
    beq     2f
    mov     r5, r0
    subs    r5, #0xF0
    cmp     r5, #4
#else                                   /* no task's, 0xE0 */
    subs    r5, #0xD0                   /* 1 */
    cmp     r5, #0xF4 - 0xD0            /* 1 */
#endif
    blo     2f                          /* 1 */
    ldr     r4, [r6]                    /* 2 */
    lsls    r5, r4, #8                  /* 1 */
    adds    r4, r5                      /* 1 */
2:
    adds    r4, r0                      /* 1: the hash */
    load_index r5, r6, HEAD             /* 2 */
    ldr     r3, =mcuprof_state + MCUPROF_RING_OFFSET /* 2 */
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    lsrs    r2, r2, #1                  /* 1 */
#if MCUPROF_LETS_IN
    b       5f                          /* 2 */
3:
    cmp     r2, #1 << 4                 /* 1: 5 groups or more are left */
    blo     5f                          /* 2 */
    let_in                              /* 15 */
5:
#else
3:
#endif
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
    lsrs    r2, r2, #1                  /* 1 */
    bcc     4b                          /* 2 */
    bne     3b                          /* 2 */
#if MCUPROF_LETS_IN /* two steps of .Lcheck, done here so that interrupts are masked for less time */
    lsrs    r1, r0, #14                 /* 1 */
    lsls    r0, r0, #18                 /* 1 */
    lsrs    r0, r0, #18                 /* 1 */
    adds    r0, r1                      /* 1 */
#endif
    let_in                              /* 15 */
.Lcheck:
    append_check
    ldr     r6, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    str     r4, [r6]                    /* 2 */
    moved   r1, 0                       /* 5 */
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
#endif
    pop     {r3, r4, r5, r6, r7, pc}    /* 9 */
#if MCUPROF_LETS_IN
.Lanew:
    movs    r0, #0                      /* 1 */
    pop     {r3, r4, r5, r6, r7, pc}    /* 9 */
#endif
    .size mcuprof_put_record, . - mcuprof_put_record

#if MCUPROF_LETS_IN
/*
 * void mcuprof_put_event(struct mcuprof_entry *entry, mcuprof_irq irq)
 * In:  r0, r1; room in the ring; interrupts are masked, and were in the state irq before that.
 * Out: as core/mcuprof_core.h says, and equal (Z): the entry has no events now. Interrupts are masked.
 *      As any function of C.
 * Stack: 32 bytes, and mcuprof_put_record()'s. Cycles: 75, and that.
 */
    .weak   __mcuprof_base
    .global mcuprof_put_event
    .type mcuprof_put_event, %function
mcuprof_put_event:
    push    {r4, r5, r6, r7, lr}        /* 6 */
    mov     r7, r0                      /* 1 */
    mov     r3, r1                      /* 1 */
    ldmia   r0!, {r4, r5, r6}           /* 4 */
    ldr     r2, =__mcuprof_base         /* 2 */
    subs    r4, r4, r2                  /* 1 */
    lsrs    r4, r4, #1                  /* 1 */
    subs    r5, r5, r2                  /* 1 */
    lsrs    r5, r5, #1                  /* 1: a call's bit 0 */
    push    {r4, r5, r6}                /* 4 */
    mov     r1, sp                      /* 1: the values */
#if MCUPROF_ARCS && MCUPROF_SAMPLES
    movs    r0, #MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0) /* 1 */
    bcc     1f                          /* 1 */
    movs    r0, #MCUPROF_WIRE_START(MCUPROF_WIRE_ARC, 0) /* 1 */
1:
#elif MCUPROF_ARCS
    movs    r0, #MCUPROF_WIRE_START(MCUPROF_WIRE_ARC, 0) /* 1 */
#else
    movs    r0, #MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0)
#endif
    /* the layout, from its end; 1, 2 or 5 groups of the count, or none */
    movs    r2, #1                      /* 1 */
    cmp     r6, #1                      /* 1 */
    beq     2f                          /* 2 */
    adds    r0, #1                      /* 1 */
    movs    r2, #(1 << 1) + 1           /* 1 */
    lsrs    r6, r6, #7                  /* 1 */
    beq     2f                          /* 2 */
    adds    r0, #1
    movs    r2, #(1 << 2) + 1
    lsrs    r6, r6, #7
    beq     2f
    adds    r0, #1
    movs    r2, #(1 << MCUPROF_WIRE_WORD_GROUPS) + 1
2:
    movs    r6, #2                      /* 1: groups of an address */
    orrs    r5, r4                      /* 1 */
    lsrs    r5, r5, #14                 /* 1 */
    beq     4f                          /* 2 */
3:
    adds    r0, #4                      /* 1 */
    adds    r6, #1                      /* 1 */
    lsrs    r5, r5, #7                  /* 1 */
    bne     3b                          /* 2 */
4:
    lsls    r2, r6                      /* 1 */
    adds    r2, #1                      /* 1 */
    ldr     r4, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    subs    r4, #8 * MCUPROF_KINDS      /* 1: events sent */
#if MCUPROF_ARCS && MCUPROF_SAMPLES
    lsls    r5, r0, #31 - 5             /* 1: ARC, not SAMPLE */
    bpl     5f                          /* 1 */
    adds    r4, #8                      /* 1 */
#endif
#if MCUPROF_ARCS
    lsls    r2, r6                      /* 1 */
    adds    r2, #1                      /* 1 */
#endif
#if MCUPROF_ARCS && MCUPROF_SAMPLES
    b       6f                          /* 2 */
5:
#endif
#if MCUPROF_SAMPLES
    adds    r1, #4                      /* one address */
#endif
6:
    bl      mcuprof_put_record          /* 3 */
    add     sp, #8                      /* 1 */
    pop     {r2}                        /* 2 */
    subs    r0, #1                      /* 1 */
    bne     7f                          /* 1 */
    ldr     r1, [r4]                    /* 2 */
    adds    r1, r2                      /* 1 */
    str     r1, [r4]                    /* 2 */
    ldr     r1, [r7, #8]                /* 2: it may have counted meanwhile */
    subs    r1, r1, r2                  /* 1 */
    str     r1, [r7, #8]                /* 2 */
7:
    pop     {r4, r5, r6, r7, pc}        /* 8 */
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
 * Appends a record of the path's next frames and of the sample, or of MCUPROF_PATH_FRAMES frames alone
 * where there are more, as core/mcuprof_core.h says. path.S alone calls it.
 * In:  r4 the paths, r5 the hash's address, r6 the program counter, r7 how many frames are to be said;
 *      r0 and r3 paths.used and .known, r2 .link; room in the ring.
 * Out: nothing. Clobbers r0 to r3, r8 to r10, r12.
 * Stack: 28 bytes, and mcuprof_link_start()'s.
 * Cycles: up to .Lcheck 104 without a frame, 28 for each that the reader knows, 85 to 120 for
 * others; and 61 to 73 from there on.
 *
 * On the stack: how many groups the program counter has; above 8 bits, how many frames are gone, if
 * a group says that. r8 the paths, r9 the return address in a register, r10 the program counter's
 * groups, lr the block, r6 the slot that was last, r12 the path's last; r0 and r3 to r5 as above.
 */
    .global mcuprof_put_path
    .type mcuprof_put_path, %function
    .weak __mcuprof_base
    .set    MORE, 0x80                  /* in r7: no shape, or two groups */
mcuprof_put_path:
    push    {r3, r4, r5, r6, r7, lr}    /* 7 */
    mov     r8, r4                      /* 1 */
    mov     r9, r2                      /* 1 */
    ldr     r1, =__mcuprof_base         /* 2 */
    subs    r6, r6, r1                  /* 1 */
    lsrs    r6, r6, #1                  /* 1 */
    mov     r10, r6                     /* 1 */
    movs    r1, #2                      /* 1: groups of the program counter */
    cmp     r7, #MCUPROF_PATH_FRAMES    /* 1 */
    bhi     .Lpart_of_path              /* 1 */
    str     r2, [r4, #SAID_LINK]        /* 2 */
    movs    r2, #0xF8                   /* 1: END | PATH_SAMPLE */
    lsrs    r6, r6, #14                 /* 1 */
    bne     .Lwide                      /* 1 */
.Lsized: /* r0: slots that are known once all is said, r1 groups, r2 the start, r3 known, r7 frames */
    strh    r0, [r4, #KNOWN]            /* 2 */
    strh    r0, [r4, #SAID_USED]        /* 2 */
    str     r1, [sp]                    /* 2 */
    ldr     r6, =SLOTS - 8              /* 2 */
    adds    r0, r6                      /* 1 */
    mov     r12, r0                     /* 1 */
    adds    r6, r3                      /* 1 */
    mov     r0, r2                      /* 1: the check's accumulator */
    ldrh    r2, [r4, #SAID]             /* 2 */
    lsrs    r1, r3, #3                  /* 1 */
    subs    r2, r2, r1                  /* 1: what is gone */
    adds    r1, r7                      /* 1 */
    strh    r1, [r4, #SAID]             /* 2 */
    cmp     r3, #0                      /* 1 */
    beq     .Lpath_anew                 /* 1 */
    lsls    r1, r2, #3                  /* 1: the shape */
    cmp     r2, #MCUPROF_WIRE_PATH_DROP_MORE /* 1 */
    bhs     .Lgone_more                 /* 1 */
.Lshape:
    adds    r7, r1                      /* 1 */
    beq     .Lno_shape                  /* 1: the path is as before */
.Lstart:
    ldr     r3, [r4, #BLOCK]            /* 2 */
    mov     lr, r3                      /* 1 */
    ldr     r4, [r5]                    /* 2 */
    lsls    r3, r4, #8                  /* 1 */
    adds    r4, r3                      /* 1 */
    adds    r4, r0                      /* 1 */
    load_index r5, r5, HEAD             /* 2 */
    ldr     r3, =mcuprof_state + MCUPROF_RING_OFFSET /* 2 */
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    cmp     r7, #MORE                   /* 1 */
    blo     .Lone                       /* 2: the shape, then the return addresses */
    beq     .Lpc                        /* 1: there is no shape */
    push    {r6}
    subs    r7, #MORE
    ldr     r6, [sp, #4]
    lsrs    r6, r6, #8
    movs    r2, #1
    b       .Lgroups

.Lslot:
    adds    r6, #8                      /* 1 */
    ldr     r1, [r6]                    /* 2: a return address */
    lsls    r7, r1, #31 - CACHE_BITS    /* 1 */
    lsrs    r7, r7, #32 - CACHE_BITS    /* 1 */
    lsls    r2, r7, #2                  /* 1 */
    add     r2, r8                      /* 1 */
    ldr     r2, [r2, #FRAME]            /* 2 */
    lsrs    r1, r1, #1 + CACHE_BITS     /* 1 */
    lsls    r1, r1, #16                 /* 1 */
    add     r1, lr                      /* 1 */
    eors    r2, r1                      /* 1 */
    lsrs    r2, r2, #9                  /* 1 */
    bne     .Lunknown                   /* 1: the reader does not know it */
#if MCUPROF_PATH_CACHE < 64
    ldr     r7, [r6]
    lsls    r7, r7, #25
    lsrs    r7, r7, #26                 /* its place, of 64 */
#endif
.Lone:
    append_group                        /* 10 */
.Lnext:
    cmp     r6, r12                     /* 1 */
    bne     .Lslot                      /* 2 */
    mov     r1, r9                      /* 1: one that is in a register? */
    cmp     r1, #0                      /* 1 */
    bne     .Llink                      /* 1 */
.Lpc:
    ldr     r2, [sp]                    /* 2 */
    uxtb    r2, r2                      /* 1 */
    mov     r6, r10                     /* 1 */
    subs    r2, #1                      /* 1 */
    blo     2f                          /* 1: more of the path is to come */
1:
    lsls    r7, r6, #25                 /* 1 */
    lsrs    r7, r7, #25                 /* 1 */
    lsrs    r6, r6, #7                  /* 1 */
    append_group                        /* 10 */
    subs    r2, #1                      /* 1 */
    bhs     1b                          /* 2 */
2:
    lsrs    r1, r0, #14                 /* 1: as .Lcheck does, with twice the bits */
    lsls    r0, r0, #32 - 14            /* 1 */
    lsrs    r0, r0, #32 - 14            /* 1 */
    adds    r0, r1                      /* 1 */
    b       .Lcheck                     /* 2 */

.Lpart_of_path:
    movs    r7, #1
    str     r7, [r4, #SAID_LINK]        /* no sample repeats a part of a path */
    movs    r7, #MCUPROF_PATH_FRAMES
    mov     r0, r3
    adds    r0, #8 * MCUPROF_PATH_FRAMES
    movs    r1, #0
    mov     r9, r1
    movs    r2, #0xFC                   /* END | PATH */
    b       .Lsized
.Lwide: /* r6: the bits of the program counter from bit 14 on */
    cmp     r6, #4                      /* 1: bits 14 and 15 go into the start byte */
    bhs     1f                          /* 1 */
    adds    r2, #4                      /* 1: END | PATH */
    adds    r2, r6                      /* 1 */
    b       .Lsized                     /* 2 */
1:
    adds    r2, #1
    adds    r1, #1
    lsrs    r6, r6, #7
    bne     1b
    b       .Lsized
.Lpath_anew:
    ldrb    r1, [r4, #ROOT]
    lsls    r1, r1, #3
    adds    r1, #MCUPROF_WIRE_PATH_ANEW(0)
    b       .Lshape
.Lgone_more:
    ldr     r1, [sp]
    lsls    r2, r2, #8
    orrs    r1, r2
    str     r1, [sp]
    movs    r1, #MCUPROF_WIRE_PATH_DROP(MCUPROF_WIRE_PATH_DROP_MORE) + MORE
    b       .Lshape
.Lno_shape:
    cmp     r0, #0xF8                   /* 1: with the shape it is as short, or nearly */
    bne     .Lstart                     /* 1 */
    movs    r0, #MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0) /* 1 */
    movs    r7, #MORE                   /* 1 */
    b       .Lstart                     /* 2 */

.Llink:
    movs    r2, #0                      /* 1 */
    mov     r9, r2                      /* 1 */
    movs    r6, #LINK                   /* 1 */
    add     r6, r8                      /* 1 */
    mov     r12, r6                     /* 1 */
    subs    r6, #8                      /* 1 */
    b       .Lslot                      /* 2 */

.Lunknown: /* r2: with 7 bits for the block, how its entry of the cache differs; r7, the entry's number */
    ldr     r1, [r6]                    /* 2 */
    push    {r6}                        /* 2 */
    lsls    r6, r7, #2                  /* 1 */
    add     r6, r8                      /* 1 */
    adds    r6, #FRAME                  /* 1 */
    ldrh    r7, [r6]                    /* 2 */
    lsls    r7, r7, #23                 /* 1 */
    lsrs    r7, r7, #23                 /* 1: what the reader knew there is another now */
    lsrs    r2, r2, #7                  /* 1 */
    bne     1f                          /* 1 */
    add     r7, lr                      /* 1: this one */
1:
    strh    r7, [r6]                    /* 2 */
    ldr     r6, =__mcuprof_base         /* 2 */
    subs    r6, r1, r6                  /* 1 */
    lsrs    r6, r6, #1                  /* 1 */
    movs    r7, #15                     /* 1 */
    ands    r7, r6                      /* 1 */
    adds    r7, #MCUPROF_WIRE_PATH_MIDDLE /* 1 */
    movs    r2, #2                      /* 1 */
    lsrs    r6, r6, #4                  /* 1 */
    lsrs    r1, r6, #MCUPROF_WIRE_PATH_SHORT_BITS - 4 /* 1 */
    beq     .Lshort                     /* 1 */
    lsrs    r1, r6, #MCUPROF_WIRE_PATH_MIDDLE_BITS - 4 /* 1 */
    beq     .Lgroups                    /* 2 */
    adds    r7, #MCUPROF_WIRE_PATH_LONG - MCUPROF_WIRE_PATH_MIDDLE
    movs    r2, #4
    b       .Lgroups
2:
    lsls    r7, r6, #25                 /* 1 */
    lsrs    r7, r7, #25                 /* 1 */
    lsrs    r6, r6, #7                  /* 1 */
.Lgroups: /* r7, and r2 groups of r6 */
    append_group                        /* 10 */
    subs    r2, #1                      /* 1 */
    bhs     2b                          /* 2 */
    pop     {r6}                        /* 2 */
    b       .Lnext                      /* 2 */
.Lshort: /* 12 bits: 5 in the first group */
    movs    r2, #1                      /* 1 */
    subs    r7, #MCUPROF_WIRE_PATH_MIDDLE - MCUPROF_WIRE_PATH_SHORT /* 1 */
    lsrs    r6, r6, #1                  /* 1: its bit 4 */
    bcc     .Lgroups                    /* 2 */
    adds    r7, #16                     /* 1 */
    b       .Lgroups                    /* 2 */
    .size mcuprof_put_path, . - mcuprof_put_path
#endif
    .pool
#endif
