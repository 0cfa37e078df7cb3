/* SPDX-License-Identifier: MIT */
/*
 * The sampling interrupt of a Cortex-M, where samples have their call paths. It does what
 * core/mcuprof_path.c does; that file says why. ARMv6-M instructions only. Cycles in
 * comments: Cortex-M0+, no wait states.
 */
#include "entry.h"
#include "mcuprof_path_layout.h"
#include "mcuprof_unwind.h"
#include "mcuprof_wire.h"
#include "ring.h"

#if MCUPROF_PATHS
    .syntax unified
    .thumb

/* ARMv6-M and the Baseline of ARMv8-M have no FPU. */
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
#define NO_FPU 1
#else
#define NO_FPU 0
#endif

    /* struct mcuprof_slot: the address, and where it is. The word in front of the first slot is
     * 0: the `at` of none. */
    .set    AT, 4
    .set    SLOT_BYTES, 8
    .set    SLOT_END, SLOTS + SLOT_BYTES * MCUPROF_PATHS
    /* struct mcuprof_unwind */
    .set    BASE, 4
    .set    PAGE_COUNT, 8
    .set    RAM_BASE, 16
    .set    RAM_PAGES, 20
    .set    TABLES, 24
    /* what the hardware has stacked: r0 to r3, r12, lr, pc, xPSR; 18 words more of an FPU where
     * EXC_RETURN says so; one more, to align the stack, where xPSR does */
    .set    STACKED_LR, 20
    .set    STACKED_PC, 24
    .set    STACKED_XPSR, 28
    .set    STACKED_BYTES, 32
    .set    FPU_BYTES, 72
    /* on the stack */
#if MCUPROF_THROUGH_INTERRUPTS
    .set    STACKED, 0                  /* the exception's frame that is looked at */
    .set    BEHIND, 4                   /* one past it; 0: a register of it was taken */
    .set    LOCALS, 8
#else
    .set    LOCALS, 0
#endif
    .set    LATE, LOCALS                /* for mcuprof_sample_ends() */
    .set    HIGH, LOCALS + 4            /* r8 to r10 */
    .set    HIT, LOCALS + 16            /* what the hardware has stacked */
    .set    POINTER, LOCALS + 20        /* the frame pointer of the frame that is looked at */
    .set    NO_ONES, LOCALS + 24        /* r3, of no interest */
    .set    EXC_RETURN, LOCALS + 44

/*
 * The sampling timer's interrupt.
 * Stack: 48 bytes, 56 with MCUPROF_THROUGH_INTERRUPTS, and mcuprof_prepare_to_say()'s.
 * Registers: r4 the paths, r5 4 less than the stack pointer, r6 a return address, r7 the outermost slot
 * that was found, r8 the innermost that is kept, r10 where that is on the stack, r9 the table's
 * base, r12 the stack's top. If none is kept, r8 is in front of the first, and r10 is r12 - 1.
 */
    .section .text.mcuprof_sample, "ax", %progbits
    .global mcuprof_sample_isr
    .type mcuprof_sample_isr, %function
    .balign 4
mcuprof_sample_isr:
    mov     r1, lr                      /* 1 */
    mov     r0, sp                      /* 1 */
    lsls    r2, r1, #29                 /* 1: EXC_RETURN.SPSEL to the sign */
    bpl     1f                          /* 2 */
    mrs     r0, psp
1:
    push    {r3, r4, r5, r6, r7, lr}    /* 7: the stack stays aligned to 8 bytes */
    mov     r5, r0                      /* 1 */
    bl      mcuprof_sample_begins       /* 3 */
    mov     r12, r1                     /* 1 */
    mov     r2, r8                      /* 1 */
    mov     r3, r9                      /* 1 */
    mov     r4, r10                     /* 1 */
    push    {r0, r2, r3, r4, r5, r7}    /* 7 */
#if MCUPROF_THROUGH_INTERRUPTS
    sub     sp, #LOCALS                 /* 1 */
    str     r5, [sp, #STACKED]          /* 2 */
#endif
    adds    r5, #STACKED_PC             /* 1 */
    ldmia   r5!, {r2, r3}               /* 3: pc, xPSR */
#if MCUPROF_BY_TASK
    lsls    r7, r3, #32 - 9
    lsrs    r7, r7, #32 - 9
#endif
    lsls    r3, r3, #31 - 9             /* 1: a word more, to align it? */
    bmi     1f                          /* 2 */
    subs    r5, #4                      /* 1 */
1:
#if !NO_FPU
    ldr     r1, [sp, #EXC_RETURN]       /* 2 */
    lsls    r1, r1, #27                 /* 1: EXC_RETURN.FType to the sign */
    bmi     1f                          /* 2 */
    adds    r5, #FPU_BYTES
1:
#endif
#if MCUPROF_THROUGH_INTERRUPTS
    str     r5, [sp, #BEHIND]           /* 2 */
#endif
    ldr     r3, =mcuprof_unwind_table   /* 2 */
    ldr     r3, [r3, #BASE]             /* 2 */
    mov     r9, r3                      /* 1 */
    subs    r6, r2, r3                  /* 1 */
    ldr     r4, =mcuprof_state + MCUPROF_PATHS_OFFSET /* 2 */
#if MCUPROF_BY_TASK
    whose   r2, r7, r3
    ldr     r3, =CONTEXT
    str     r2, [r4, r3]
#endif
#if MCUPROF_THROUGH_INTERRUPTS
    ldr     r7, =SLOT_END               /* 2 */
#endif
#if MCUPROF_THROUGH_INTERRUPTS
.Lcontext: /* r6 the program counter's distance from the base */
#endif
#include "walk.inc"

/* Says the sample: r6 the program counter, r7 how many frames are said. */
.Lsay:
    movs    r7, #1                      /* 1 */
    strb    r7, [r4, #SAYING]           /* 2 */
    ldr     r1, [sp, #HIT]              /* 2 */
    ldr     r6, [r1, #STACKED_PC]       /* 2 */
    ldr     r3, [r4, #SAID_PC]          /* 2 */
    cmp     r3, r6                      /* 1 */
    beq     .Lsame                      /* 1 */
.Lsay_new:
.Lpart:
    ldr     r5, =mcuprof_state + MCUPROF_HASH_OFFSET /* 2 */
    ldrb    r3, [r5, #DUE]              /* 2 */
    lsls    r3, r3, #32 - 5             /* 1: is a record due? */
    beq     .Lprepare                   /* 1 */
    ldr     r3, [r4, #REPEATS]          /* 2 */
    lsls    r2, r3, #16                 /* 1: are there any? */
    bne     .Lprepare                   /* 1 */
    cmp     r3, #0                      /* 1: MCUPROF_PATH_NONE above them is the sign */
    blt     .Lprepare                   /* 1 */
#if MCUPROF_BY_TASK
    ldr     r2, =mcuprof_state + MCUPROF_CONTEXT_OFFSET + 4
    ldr     r2, [r2]                    /* whose the last record was */
    ldr     r3, =CONTEXT
    ldr     r3, [r4, r3]
    cmp     r2, r3
    bne     .Lprepare
#endif
.Lring:
    load_index r3, r5, TAIL             /* 2 */
    load_index r2, r5, HEAD             /* 2 */
    subs    r3, r3, r2                  /* 1 */
    subs    r3, #1                      /* 1 */
    wrap    r3                          /* 1 */
    cmp     r3, #MCUPROF_PATH_ROOM      /* 1 */
    blo     .Llost                      /* 1 */
.Lput:
    ldrh    r3, [r4, #KNOWN]            /* 2 */
    ldrh    r0, [r4, #USED]             /* 2 */
    ldr     r2, [r4, #LINK]             /* 2 */
    subs    r7, r0, r3                  /* 1 */
    lsrs    r7, r7, #3                  /* 1 */
    cmp     r2, #0                      /* 1 */
    beq     1f                          /* 2 */
    adds    r7, #1
1:
#if !MCUPROF_SHORT_LAYOUT /* it is in C */
    mov     r0, r4
    mov     r1, r7
    mov     r2, r6
#endif
    bl      mcuprof_put_path            /* 3 */
    cmp     r7, #MCUPROF_PATH_FRAMES    /* 1 */
    bhi     .Lpart                      /* 1 */
    str     r6, [r4, #SAID_PC]          /* 2 */
#if MCUPROF_BY_TASK
    ldr     r2, =CONTEXT
    ldr     r3, [r4, r2]
    subs    r2, #CONTEXT - WHOSE
    str     r3, [r4, r2]
#endif
    subs    r5, #8 * MCUPROF_KINDS      /* 1: samples that were sent */
.Lcount:
    ldr     r3, [r5]                    /* 2 */
    adds    r3, #1                      /* 1 */
    str     r3, [r5]                    /* 2 */
.Lsaid:
    movs    r0, #0                      /* 1 */
    strb    r0, [r4, #SAYING]           /* 2 */
    str     r0, [r4, #LINK]             /* 2: for the next one */
    mov     r1, r4                      /* 1 */
    ldr     r0, [sp, #LATE]             /* 2 */
    bl      mcuprof_sample_ends         /* 3 */
    bl      mcuprof_timer_set           /* 3 */
    add     sp, #HIGH                   /* 1 */
    pop     {r4, r5, r6}                /* 4 */
    mov     r8, r4                      /* 1 */
    mov     r9, r5                      /* 1 */
    mov     r10, r6                     /* 1 */
    pop     {r1, r2, r3, r4, r5, r6, r7, pc} /* 11: three of no interest */

.Lprepare:
    mov     r0, r4
    bl      mcuprof_prepare_to_say
    cmp     r0, #0
    bne     .Lring
.Llost:
    subs    r5, #8 * MCUPROF_KINDS - 4
    b       .Lcount
#include "walk_ends.inc"
.Lsame: /* is it as the last one that was said? r7 is 1 */
    ldrh    r2, [r4, #USED]             /* 2 */
    ldrh    r3, [r4, #KNOWN]            /* 2 */
    cmp     r3, r2                      /* 1 */
    bne     1f                          /* 1 */
    ldrh    r3, [r4, #SAID_USED]        /* 2 */
    cmp     r3, r2                      /* 1 */
    bne     1f                          /* 1 */
    ldr     r2, [r4, #LINK]             /* 2 */
    ldr     r3, [r4, #SAID_LINK]        /* 2 */
    cmp     r3, r2                      /* 1 */
    bne     1f                          /* 1 */
#if MCUPROF_BY_TASK
    ldr     r1, =WHOSE
    adds    r1, r4
    ldmia   r1!, {r2, r3}
    cmp     r3, r2
    bne     1f
#endif
    ldrh    r3, [r4, #REPEATS]          /* 2 */
    cmp     r3, #MCUPROF_REPEATS_MAX    /* 1 */
    bhs     1f                          /* 1 */
    adds    r3, #1                      /* 1 */
    strh    r3, [r4, #REPEATS]          /* 2 */
    b       .Lsaid                      /* 2 */
1:
    b       .Lsay_new
#if NO_FPU && !MCUPROF_THROUGH_INTERRUPTS
.Ltarget: /* in code of the leaf alone: lr leads into its caller, behind no call */
    ldr     r6, [r4, #LINK]             /* 2 */
    cmp     r6, #0                      /* 1 */
    bne     .Lunsure                    /* 1 */
    ldr     r6, [sp, #HIT]              /* 2 */
    ldr     r6, [r6, #STACKED_LR]       /* 2 */
    subs    r6, #1                      /* 1 */
    adds    r1, r6, #3                  /* 1: as if it were behind a call of two bytes */
    str     r1, [r4, #LINK]             /* 2 */
    mov     r1, r9                      /* 1 */
    subs    r6, r6, r1                  /* 1 */
    b       .Lleaf                      /* 2 */
#else
    .set    .Ltarget, .Lunsure
#endif
    .pool /* where all loads reach it */
#include "walk_rare.inc"
    .size mcuprof_sample_isr, . - mcuprof_sample_isr
    .pool
#endif
