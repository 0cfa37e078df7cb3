/* SPDX-License-Identifier: MIT */
/*
 * The call path of a sample, for a Cortex-M. It does what core/mcuprof_path.c does,
 * which says why. ARMv6-M instructions only. Cycles in comments: Cortex-M0+, no wait
 * states.
 */
#include "mcuprof_arch.h"
#include "mcuprof_path_layout.h"
#include "mcuprof_unwind.h"
#include "mcuprof_wire.h"

#if MCUPROF_PATHS && defined(MCUPROF_S_WALK)
    .syntax unified
    .thumb

    /* struct mcuprof_context */
    .set    PC, MCUPROF_CONTEXT_PC
    .set    SP, MCUPROF_CONTEXT_SP
    .set    TOP, MCUPROF_CONTEXT_TOP
    .set    FP, MCUPROF_CONTEXT_FP
    .set    REGISTERS, MCUPROF_CONTEXT_REGISTERS
    /* struct mcuprof_slot: the address, and where it is. The word in front of the first slot,
     * all ones, is the `at` of a slot that is further out than any. */
    .set    AT, 4
    .set    SLOT_BYTES, 8
    .set    NO_SLOT, SLOT - SLOT_BYTES
    .set    SLOT_END, SLOT + SLOT_BYTES * MCUPROF_PATHS
    /* struct mcuprof_unwind */
    .set    BASE, 4
    .set    PAGE_COUNT, 8
    .set    TABLES, 16

    /* \register = the first slot. */
    .macro slots register
    ldr     \register, =SLOT            /* 2 */
    adds    \register, r4               /* 1 */
    .endm

    /* Keeps the slots of the last path up to the one at \slot. Clobbers \at. 4 cycles. */
    .macro keep slot, at
    ldr     \at, [\slot, #AT]           /* 2 */
    mov     r8, \slot                   /* 1 */
    mov     r10, \at                    /* 1 */
    .endm

/*
 * void mcuprof_walk(struct mcuprof_paths *, const struct mcuprof_context *)
 * In:  r0, r1. As any function of C.
 * Stack: 40 bytes; 44 with MCUPROF_THROUGH_INTERRUPTS.
 * Registers: r4 the paths, r5 the stack pointer, r6 a return address, r7 the outermost slot
 * that was found, r8 the innermost that is kept, r10 where that is on the stack, r9 the table,
 * r12 the stack's top.
 */
    .section .text.mcuprof_walk, "ax", %progbits
    .global mcuprof_walk
    .type mcuprof_walk, %function
    .balign 4
#if MCUPROF_THROUGH_INTERRUPTS
    .set    STACKED, 0                  /* the exception's frame that is looked at */
    .set    BEHIND, 4                   /* one past it; 0: a register of it was taken */
    .set    POINTER, 8
    .set    XPSR, 28
#else
    .set    CONTEXT, 0
    .set    POINTER, 4
#endif
mcuprof_walk:
    push    {r4, r5, r6, r7, lr}        /* 6 */
    mov     r4, r8                      /* 1 */
    mov     r5, r9                      /* 1 */
    mov     r6, r10                     /* 1 */
    ldr     r3, [r1, #FP]               /* 2 */
#if MCUPROF_THROUGH_INTERRUPTS
    ldr     r2, [r1, #SP]               /* 2 */
    push    {r1, r2, r3, r4, r5, r6}    /* 7 */
    ldr     r2, [r1, #REGISTERS]        /* 2 */
    str     r2, [sp, #STACKED]          /* 2 */
    ldr     r6, [r1, #PC]               /* 2 */
#else
    push    {r1, r3, r4, r5, r6}        /* 6 */
#endif
    mov     r4, r0                      /* 1 */
    ldr     r5, [r1, #SP]               /* 2 */
    ldr     r3, [r1, #TOP]              /* 2 */
    mov     r12, r3                     /* 1 */
    movs    r3, #0                      /* 1 */
    str     r3, [r4, #LINK]             /* 2 */
    mov     lr, r3                      /* 1: the leaf's frame is not remembered */
    ldr     r3, =mcuprof_unwind_table   /* 2 */
    mov     r9, r3                      /* 1 */
#if MCUPROF_THROUGH_INTERRUPTS
    ldr     r7, =SLOT_END               /* 2 */
    adds    r7, r4                      /* 1 */
.Lcontext: /* lr 0, r6 the program counter */
#endif
    /* Which slots of the last path still lie where they lay? From the outside, 8 cycles
     * each; 12 with MCUPROF_THROUGH_INTERRUPTS. */
    slots   r0                          /* 3 */
    ldrh    r1, [r4, #USED]             /* 2 */
    adds    r1, r0                      /* 1 */
#if MCUPROF_THROUGH_INTERRUPTS
    cmp     r1, r7                      /* 1 */
    bls     1f                          /* 2 */
    mov     r1, r7                      /* from there on is what was found */
1:
    cmp     r0, r1                      /* 1 */
    beq     3f                          /* 1 */
2:
    ldmia   r0!, {r2, r3}               /* 3 */
    cmp     r3, r5                      /* 1: further in are those of other stacks, too */
    blo     .Lchanged                   /* 1 */
    ldr     r3, [r3]                    /* 2 */
    cmp     r2, r3                      /* 1 */
    bne     .Lchanged                   /* 1 */
    cmp     r0, r1                      /* 1 */
    bne     2b                          /* 2 */
#else
1:
    subs    r1, #SLOT_BYTES             /* 1 */
    ldr     r2, [r1, #AT]               /* 2 */
    cmp     r2, r5                      /* 1 */
    blo     1b                          /* 2: the stack is shorter now */
    subs    r2, r1, r0                  /* 1 */
    blo     3f                          /* 1: none is left */
    lsls    r2, r2, #28                 /* 1 */
    bmi     2f                          /* 2: an even number */
    ldmia   r0!, {r2, r3}               /* 3 */
    ldr     r3, [r3]                    /* 2 */
    cmp     r2, r3                      /* 1 */
    bne     .Lchanged                   /* 1 */
    cmp     r0, r1                      /* 1 */
    bhi     3f                          /* 1 */
2:
    ldmia   r0!, {r2, r3, r6, r7}       /* 5 */
    ldr     r3, [r3]                    /* 2 */
    cmp     r2, r3                      /* 1 */
    bne     .Lboth_changed              /* 1 */
    ldr     r7, [r7]                    /* 2 */
    cmp     r6, r7                      /* 1 */
    bne     .Lchanged                   /* 1 */
    cmp     r0, r1                      /* 1 */
    bls     2b                          /* 2 */
#endif
3:
    ldrb    r1, [r4, #ROOT]             /* 2 */
    cmp     r1, #MCUPROF_WIRE_ROOT_CUT  /* 1 */
    beq     .Lwas_cut                   /* 1 */
.Lverified: /* r0 is one past the last of them */
    subs    r0, #SLOT_BYTES             /* 1 */
    keep    r0, r3                      /* 4 */
#if !MCUPROF_THROUGH_INTERRUPTS
    ldr     r7, =SLOT_END               /* 2 */
    adds    r7, r4                      /* 1 */
#endif
    ldr     r3, [r4, #ROWS]             /* 2 */
    cmp     r3, #0                      /* 1 */
    beq     .Lunknown                   /* 1 */

    /* The leaf: r0 its distance from the base, r1 its page. */
#if MCUPROF_THROUGH_INTERRUPTS
    mov     r2, r9                      /* 1 */
    mov     r0, r6                      /* 1 */
#else
    ldr     r1, [sp, #CONTEXT]          /* 2 */
    mov     r2, r9                      /* 1 */
    ldr     r0, [r1, #PC]               /* 2 */
#endif
    ldr     r1, [r2, #BASE]             /* 2 */
    subs    r0, r0, r1                  /* 1 */
    lsrs    r1, r0, #8                  /* 1 */
    ldrh    r2, [r2, #PAGE_COUNT]       /* 2 */
    cmp     r1, r2                      /* 1 */
    blo     .Lrow                       /* 2 */
.Lunknown:
    b       .Lunsure

#if !MCUPROF_THROUGH_INTERRUPTS
.Lboth_changed:
    subs    r0, #SLOT_BYTES
#endif
.Lchanged:
    subs    r0, #SLOT_BYTES
    b       3b
.Lwas_cut: /* too little is left: what is beyond the cut may be within reach now */
    slots   r1
    subs    r2, r0, r1
    cmp     r2, #SLOT_BYTES * (MCUPROF_PATHS / 4)
    bhs     .Lverified
    mov     r0, r1
    b       .Lverified

.Lnot_bl: /* blx with a register? */
    lsrs    r2, r2, #7
    cmp     r2, #0x4780 >> 7
    beq     .Lrow
.Leven:
    b       .Lno_code
.Lunseen: /* the return address r6; its frame is to be remembered at r1 */
    mov     lr, r1                      /* 1 */
    lsrs    r0, r6, #1                  /* 1 */
    bcc     .Leven                      /* 1 */
    mov     r3, r9                      /* 1 */
    ldr     r1, [r3, #BASE]             /* 2 */
    subs    r0, r6, #3                  /* 1: bit 0 is set: the end of the call */
    subs    r0, r0, r1                  /* 1 */
    lsrs    r1, r0, #8                  /* 1 */
    ldrh    r2, [r3, #PAGE_COUNT]       /* 2 */
    cmp     r1, r2                      /* 1 */
    bhs     .Leven                      /* 1 */
    cmp     r0, #4                      /* 1 */
    blo     .Leven                      /* 1 */
    subs    r3, r6, #5                  /* 1: is it behind bl? */
    ldrh    r2, [r3, #2]                /* 2 */
    ldrh    r3, [r3]                    /* 2 */
    lsrs    r3, r3, #11                 /* 1 */
    cmp     r3, #0x1E                   /* 1 */
    bne     .Lnot_bl                    /* 1 */
    lsrs    r3, r2, #14                 /* 1 */
    cmp     r3, #3                      /* 1 */
    bne     .Lnot_bl                    /* 1 */

    /* The row of the address at r0 from the base, in page r1; remembered at lr, unless 0. */
.Lrow:
    uxtb    r0, r0                      /* 1 */
    adds    r0, #2                      /* 1 */
    lsls    r0, r0, #8                  /* 1: what rows up to this one are below */
    ldr     r2, [r4, #PAGES]            /* 2 */
    lsls    r1, r1, #1                  /* 1 */
    adds    r1, r2                      /* 1 */
    ldrh    r2, [r1, #2]                /* 2 */
    ldrh    r3, [r1]                    /* 2 */
    ldr     r1, [r4, #ROWS]             /* 2 */
    lsls    r2, r2, #1                  /* 1 */
    lsls    r3, r3, #1                  /* 1 */
    adds    r2, r1                      /* 1 */
    adds    r3, r1                      /* 1 */
    lsrs    r1, r0, #15                 /* 1: from the nearer end of the page */
    bne     3f                          /* 2 */
1:
    cmp     r3, r2                      /* 1 */
    beq     2f                          /* 1 */
    ldrh    r1, [r3]                    /* 2 */
    adds    r3, #2                      /* 1 */
    cmp     r1, r0                      /* 1 */
    blo     1b                          /* 2 */
    subs    r3, #2                      /* 1 */
2:
    subs    r3, #2                      /* 1: if of a page before, it is valid into this one */
    ldrh    r1, [r3]                    /* 2 */
    b       4f                          /* 2 */
3:
    subs    r2, #2                      /* 1 */
    ldrh    r1, [r2]                    /* 2 */
    cmp     r2, r3                      /* 1 */
    blo     4f                          /* 1 */
    cmp     r1, r0                      /* 1 */
    bhs     3b                          /* 2 */
4:
    lsls    r1, r1, #23                 /* 1 */
    mov     r2, lr                      /* 1 */
    cmp     r2, #0                      /* 1 */
    beq     5f                          /* 2 */
    lsrs    r3, r1, #23                 /* 1 */
    lsrs    r0, r6, #1 + CACHE_BITS     /* 1 */
    lsls    r0, r0, #16                 /* 1 */
    adds    r0, r3                      /* 1 */
    str     r0, [r2, #FRAME]            /* 2: the reader may have another */
5:
    lsrs    r1, r1, #21                 /* 1 */
    b       .Lframe                     /* 2 */

.Lpassed: /* the slot r1 is that of the innermost that is kept, or further out */
    beq     .Lmet                       /* 2 */
    mov     r2, r8                      /* 1 */
1:
    subs    r2, #SLOT_BYTES             /* 1 */
    ldr     r3, [r2, #AT]               /* 2 */
    cmp     r1, r3                      /* 1 */
    bhi     1b                          /* 2 */
    mov     r8, r2                      /* 1 */
    mov     r10, r3                     /* 1 */
    blo     .Lfound                     /* 2 */
.Lmet: /* all outside of it is as it was: what was found goes behind it */
    mov     r2, r8                      /* 1 */
    adds    r2, #SLOT_BYTES             /* 1 */
    slots   r3                          /* 3 */
.Lbehind: /* r2, a slot; r3, the first one */
    subs    r1, r2, r3                  /* 1 */
    ldrh    r0, [r4, #KNOWN]            /* 2 */
    cmp     r0, r1                      /* 1 */
    bls     1f                          /* 2 */
    strh    r1, [r4, #KNOWN]            /* 2 */
1:
    ldr     r1, =SLOT_END               /* 2 */
    adds    r1, r4                      /* 1 */
    b       3f                          /* 2 */
2:
    ldmia   r7!, {r5, r6}               /* 3 */
    stmia   r2!, {r5, r6}               /* 3 */
3:
    cmp     r7, r1                      /* 1 */
    bne     2b                          /* 2 */
    subs    r2, r2, r3                  /* 1 */
    strh    r2, [r4, #USED]             /* 2 */
#if MCUPROF_THROUGH_INTERRUPTS
    pop     {r1, r2, r3, r4, r5, r6}    /* 7 */
#else
    pop     {r1, r3, r4, r5, r6}        /* 6 */
#endif
    mov     r8, r4                      /* 1 */
    mov     r9, r5                      /* 1 */
    mov     r10, r6                     /* 1 */
    pop     {r4, r5, r6, r7, pc}        /* 8 */

    /* A return address in the slot r1: found. */
.Lfound:
    ldr     r6, [r1]                    /* 2 */
    subs    r7, #SLOT_BYTES             /* 1 */
    cmp     r7, r8                      /* 1 */
    beq     .Lfull                      /* 1 */
.Lroom:
    str     r6, [r7]                    /* 2 */
    str     r1, [r7, #AT]               /* 2 */

    /* The frame behind the return address r6: is it remembered? */
.Llook:
    lsls    r1, r6, #31 - CACHE_BITS    /* 1 */
    lsrs    r1, r1, #32 - CACHE_BITS    /* 1: its place */
    lsls    r1, r1, #2                  /* 1 */
    adds    r1, r4                      /* 1 */
    ldr     r3, [r1, #FRAME]            /* 2 */
    lsls    r2, r6, #15 - CACHE_BITS    /* 1: the rest of it, above 16 bits of no interest */
    eors    r3, r2                      /* 1 */
    lsrs    r2, r3, #16                 /* 1 */
    bne     .Lunseen                    /* 1 */
    lsls    r2, r3, #23                 /* 1 */
    beq     .Lunseen                    /* 1 */
    lsrs    r1, r2, #21                 /* 1 */
.Lframe: /* number r1 / 4 */
    add     r1, r9                      /* 1 */
    ldr     r0, [r1, #TABLES]           /* 2 */
    lsls    r1, r0, #17                 /* 1 */
    lsrs    r1, r1, #17                 /* 1: based, saved, where */
    lsrs    r0, r0, #15                 /* 1: size */
    adds    r0, r5                      /* 1: the caller's stack pointer */
    cmp     r1, #MCUPROF_UNWIND_HANDLER /* 1 */
    bhs     .Lspecial                   /* 1 */
.Lcaller:
    cmp     r0, r12                     /* 1 */
    bhi     .Lunsure                    /* 1 */
    lsls    r1, r1, #2                  /* 1 */
    beq     .Lunsure                    /* 1 */
    subs    r1, r0, r1                  /* 1: its slot */
    cmp     r1, r5                      /* 1 */
    blo     .Lunsure                    /* 1 */
    mov     r5, r0                      /* 1 */
    cmp     r1, r10                     /* 1 */
    blo     .Lfound                     /* 2 */
    b       .Lpassed

.Lfull: /* what is found takes the room of what was kept */
    mov     r2, r10
    adds    r2, #1
    beq     .Lcut
    mov     r2, r8
    subs    r2, #SLOT_BYTES
    keep    r2, r3
    b       .Lroom
.Lcut: /* the outer half goes, for the path may become longer still; r7 is one too far */
    adds    r7, #SLOT_BYTES
    adds    r7, #SLOT_BYTES * (MCUPROF_PATHS / 4)
    adds    r7, #SLOT_BYTES * ((MCUPROF_PATHS + 2) / 4)
    movs    r0, #MCUPROF_WIRE_ROOT_CUT
    b       .Lroot

.Lno_code: /* an exception return? */
    movs    r0, #MCUPROF_WIRE_ROOT_UNSURE
    lsrs    r1, r6, #8
    adds    r1, #1
    lsrs    r1, r1, #24
#if MCUPROF_BY_TASK
    bne     1f
    b       .Lthread
1:
#else
    beq     .Ldrop
#endif
#if MCUPROF_THROUGH_INTERRUPTS
    b       .Lexception
.Lends:
#endif
    movs    r0, #MCUPROF_WIRE_ROOT_INTERRUPT
.Ldrop: /* r6 is no return address: drop the slot found last or, before any, the register's */
#if MCUPROF_BY_TASK
    mov     r10, r4                     /* any but 0 */
#endif
    ldr     r3, =SLOT_END
    adds    r3, r4
    cmp     r7, r3
    beq     1f
    adds    r7, #SLOT_BYTES
    b       .Lroot
1:
    movs    r1, #0
    str     r1, [r4, #LINK]
    b       .Lroot

.Lspecial:
    lsrs    r2, r1, #8                  /* 1 */
    lsls    r2, r2, #25                 /* 1: based, saved */
    uxtb    r1, r1                      /* 1: where */
    bne     .Lpointer                   /* 1 */
.Lany_caller:
    cmp     r1, #MCUPROF_UNWIND_HANDLER /* 1 */
    blo     .Lcaller                    /* 1 */
    cmp     r0, r12                     /* 1 */
    bhi     .Lunsure                    /* 1 */
    /* the return address is in a register, of the leaf alone; or nothing called it */
    movs    r2, #MCUPROF_UNWIND_END     /* 1 */
    subs    r2, r2, r1                  /* 1 */
    bhs     .Lended                     /* 1 */
    subs    r1, #MCUPROF_UNWIND_R0      /* 1 */
    blo     .Lunsure                    /* 1 */
#if MCUPROF_THROUGH_INTERRUPTS
    ldr     r3, [sp, #BEHIND]           /* 2: behind a slot the stack pointer is another */
    cmp     r5, r3                      /* 1 */
    bne     .Lunsure                    /* 1 */
    movs    r3, #0                      /* 1: there is no second one */
    str     r3, [sp, #BEHIND]           /* 2 */
    mov     r5, r0                      /* 1 */
    ldr     r2, [sp, #STACKED]          /* 2 */
    lsls    r1, r1, #2                  /* 1 */
    adds    r1, r2                      /* 1: where the exception has put it */
    ldr     r2, =SLOT_END               /* 2 */
    adds    r2, r4                      /* 1 */
    cmp     r7, r2                      /* 1 */
    beq     1f                          /* 1 */
    b       .Lfound                     /* 2: of what an interrupt hit, it has a slot */
1:
    ldr     r6, [r1]                    /* 2 */
#else
    ldr     r2, [sp, #CONTEXT]          /* 2 */
    ldr     r3, [r2, #SP]               /* 2: behind a slot the stack pointer is another */
    cmp     r5, r3                      /* 1 */
    bne     .Lunsure                    /* 1 */
    ldr     r3, [r4, #LINK]             /* 2 */
    cmp     r3, #0                      /* 1 */
    bne     .Lunsure                    /* 1 */
    mov     r5, r0                      /* 1 */
    ldr     r2, [r2, #REGISTERS]        /* 2 */
    lsls    r1, r1, #2                  /* 1 */
    ldr     r6, [r2, r1]                /* 2 */
#endif
    str     r6, [r4, #LINK]             /* 2 */
    b       .Llook                      /* 2 */
.Lended: /* r2 = END - r1 is the root: END is 240, whole 0; HANDLER is 239, interrupt 1 */
    mov     r0, r2
    b       .Lroot
.Lunsure:
    movs    r0, #MCUPROF_WIRE_ROOT_UNSURE
.Lroot: /* nothing of the last path is met */
#if MCUPROF_BY_TASK
    mov     r1, r10
    cmp     r1, #0
    beq     .Ldrop                      /* r6 was looked at for a thread's end */
#endif
    ldrb    r1, [r4, #ROOT]
    cmp     r0, r1
    beq     1f
    strb    r0, [r4, #ROOT]
    movs    r0, #1
    str     r0, [r4, #SAID_LINK]        /* none is: the next sample is no repeat */
1:
    slots   r3
    mov     r2, r3
    b       .Lbehind

.Lpointer: /* r2: based in its sign, saved */
    bpl     1f
    subs    r0, r0, r5
    ldr     r3, [sp, #POINTER]
    cmp     r3, r5
    blo     .Lunsure
    adds    r0, r3                      /* the caller's stack pointer is by the frame's */
    bcs     .Lunsure
    lsls    r3, r0, #30
    bne     .Lunsure
1:
    lsls    r2, r2, #1
    lsrs    r2, r2, #24                 /* 4 times saved */
    beq     .Lany_caller                /* it is in its register */
    cmp     r2, #4 * MCUPROF_UNWIND_SAVED_LOST
    beq     2f
    cmp     r0, r12
    bhi     .Lunsure
    subs    r3, r0, r2
    cmp     r3, r5
    blo     .Lunsure
    ldr     r2, [r3]
2:
    str     r2, [sp, #POINTER]          /* LOST is no stack's address */
    b       .Lany_caller

#if MCUPROF_BY_TASK
.Lthread: /* does a thread end in the function at r6, which nothing calls? 40 bytes, so only
           * where there are tasks. With this top no other kind of frame passes */
    movs    r0, #MCUPROF_WIRE_ROOT_UNSURE
    movs    r1, #0
    mov     r10, r1
    mov     lr, r1
    mov     r12, r5
    mov     r3, r9
    ldr     r1, [r3, #BASE]
    subs    r2, r6, r1
    lsrs    r1, r2, #8
    ldrh    r3, [r3, #PAGE_COUNT]
    cmp     r1, r3
    bhs     1f
    mov     r0, r2
    b       .Lrow
1:
    b       .Lroot
#endif

#if MCUPROF_THROUGH_INTERRUPTS
/* r6 is the EXC_RETURN by which a handler leaves: the walk goes on into what that hit,
 * as if it had been sampled. Its program counter gets a slot that is nowhere, at 0, so
 * that the next walk keeps nothing further in. r5 is the stack pointer at the handler's
 * entry. */
.Lexception:
    ldr     r0, [sp, #STACKED]          /* 2 */
    ldr     r0, [r0, #XPSR]             /* 2 */
    lsls    r0, r0, #32 - 9             /* 1: of exception 0, a thread, whose caller is none */
    beq     5f                          /* 1 */
    lsrs    r0, r6, #6                  /* 1: ARMv8-M: DCRS is 0, */
    bcc     5f                          /* 1 */
    eors    r0, r6                      /* 1: or S and ES differ: it is elsewhere */
    lsrs    r0, r0, #1                  /* 1 */
    bcs     5f                          /* 1 */
    lsrs    r0, r6, #3                  /* 1: SPSEL */
    bcc     1f                          /* 2 */
    mrs     r5, psp                     /* 3 */
1:
    lsls    r0, r5, #30                 /* 1 */
    bne     5f                          /* 1 */
    movs    r0, #32                     /* 1 */
    lsrs    r1, r6, #5                  /* 1: FType is 0: 18 words of the FPU */
    bcs     2f                          /* 2 */
    adds    r0, #72                     /* 1 */
2:
    adds    r0, r5                      /* 1 */
    bcs     5f                          /* 1 */
    cmp     r0, r12                     /* 1 */
    bhi     5f                          /* 1 */
    ldr     r1, [r5, #XPSR]             /* 2 */
    lsls    r1, r1, #31 - 9             /* 1: a word more, to align it */
    bpl     3f                          /* 2 */
    adds    r0, #4                      /* 1 */
3:
    slots   r1                          /* 3 */
    subs    r7, #SLOT_BYTES             /* 1 */
    cmp     r7, r1                      /* 1 */
    blo     4f                          /* 1 */
    str     r5, [sp, #STACKED]          /* 2 */
    str     r0, [sp, #BEHIND]           /* 2 */
    ldr     r6, [r5, #24]               /* 2: pc */
    mov     r5, r0                      /* 1 */
    movs    r0, #0                      /* 1 */
    mov     lr, r0                      /* 1 */
    str     r6, [r7]                    /* 2 */
    str     r0, [r7, #AT]               /* 2 */
    b       .Lcontext                   /* 2 */
4:
    b       .Lcut
5:
    b       .Lends
#endif
    .size mcuprof_walk, . - mcuprof_walk
    .pool
#endif
