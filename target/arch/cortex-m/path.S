/* SPDX-License-Identifier: MIT */
/*
 * The call path of a sample: as core/mcuprof_path.c, which says what is done and why, for
 * a Cortex-M. ARMv6-M instructions only. Cycles in comments: Cortex-M0+, no wait states.
 */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"
#include "mcuprof_unwind.h"
#include "mcuprof_wire.h"

#if MCUPROF_PATHS && defined(MCUPROF_S_WALK)
    .syntax unified
    .thumb

    /* struct mcuprof_context */
    .set    PC, 0
    .set    SP, 4
    .set    TOP, 8
    .set    REGISTERS, 12
    /* struct mcuprof_paths */
    .set    USED, 12
    .set    ROOT, 14
    .set    FRAME, 16
    .set    SLOT, FRAME + 4 * MCUPROF_PATH_FRAMES
    .set    SLOT_BYTES, 8
    .set    SLOT_END, SLOT + SLOT_BYTES * MCUPROF_PATHS
    .set    SLOT_NODE, SLOT_END
    .set    NODE, SLOT_NODE + (MCUPROF_PATHS + 1) / 2 * 4
    /* struct mcuprof_unwind */
    .set    BASE, 4
    .set    PAGES, 8
    .set    TABLES, 16

    /* \register = \value, which may be more than 255. */
    .macro set register, value
    .if \value < 256
    movs    \register, #\value
    .else
    ldr     \register, =\value
    .endif
    .endm

    /* r0 = the node of address r6 behind node r0, if it is remembered: goes to \known. Else
     * r3 = r0. Clobbers r1, r2, r3. 21 cycles in its first place, 33 in its second. */
    .macro child known
    mov     r3, r0                      /* 1 */
    lsls    r2, r0, #2                  /* 1 */
    adds    r2, r0                      /* 1 */
    lsrs    r1, r6, #1                  /* 1 */
    adds    r1, r2                      /* 1 */
    set     r2, (MCUPROF_NODES / 2 - 1) /* 1 */
    ands    r1, r2                      /* 1 */
    lsls    r1, r1, #4                  /* 1 */
    adds    r1, r4                      /* 1 */
    set     r2, NODE                    /* 1 */
    adds    r1, r2                      /* 1 */
    .irp    way, 0, 8
    ldr     r0, [r1, #\way]             /* 2 */
    cmp     r0, r6                      /* 1 */
    bne     .Lother\@\way               /* 1 */
    ldr     r0, [r1, #\way + 4]         /* 2: its parent, its number */
    uxth    r2, r0                      /* 1 */
    cmp     r2, r3                      /* 1 */
    bne     .Lother\@\way               /* 1 */
    lsrs    r0, r0, #16                 /* 1 */
    bne     \known                      /* 2 */
.Lother\@\way:
    .endr
    .endm

/*
 * uint16_t mcuprof_walk(struct mcuprof_paths *, const struct mcuprof_context *)
 * In:  r0, r1. Out: r0 the node of the path, or MCUPROF_NO_NODE. As any function of C.
 * Stack: 40 bytes; 48 and mcuprof_new_node()'s where a node is new.
 */
    .section .text.mcuprof_walk, "ax", %progbits
    .global mcuprof_walk
    .type mcuprof_walk, %function
    .balign 4
mcuprof_walk:
    push    {r4, r5, r6, r7, lr}        /* 6 */
    mov     r4, r8                      /* 1 */
    mov     r5, r9                      /* 1 */
    mov     r6, r10                     /* 1 */
    mov     r7, r11                     /* 1 */
    movs    r3, #0                      /* 1: [sp], the return address in a register: none */
    push    {r3, r4, r5, r6, r7}        /* 6 */
    mov     lr, r3                      /* 1: the leaf's frame is not remembered */
    mov     r4, r0                      /* 1: the paths */
    mov     r12, r1                     /* 1: the context */
    ldr     r5, [r1, #SP]               /* 2 */
    ldmia   r0!, {r2, r3}               /* 3: pages[], rows[] */
    cmp     r3, #0                      /* 1 */
    beq     .Lno_table                  /* 1 */
    mov     r11, r2                     /* 1 */
    mov     r10, r3                     /* 1 */
    ldr     r7, =mcuprof_unwind_table   /* 2 */

    /* What of the last path still lies where it lay: from the outside, 12 cycles each. */
    movs    r0, #SLOT                   /* 1 */
    adds    r0, r4                      /* 1 */
    ldrh    r1, [r4, #USED]             /* 2 */
    adds    r1, r0                      /* 1 */
    cmp     r0, r1                      /* 1 */
    beq     3f                          /* 1 */
1:
    ldmia   r0!, {r2, r3}               /* 3 */
    cmp     r2, r5                      /* 1 */
    blo     2f                          /* 1 */
    ldr     r2, [r2]                    /* 2 */
    cmp     r2, r3                      /* 1 */
    bne     2f                          /* 1 */
    cmp     r0, r1                      /* 1 */
    bne     1b                          /* 2 */
    b       3f
2:
    subs    r0, #SLOT_BYTES
3:
    ldrh    r1, [r4, #ROOT]             /* 2 */
    cmp     r1, #MCUPROF_WIRE_ROOT_CUT  /* 1 */
    beq     .Lwas_cut                   /* 1 */
.Lverified:
    mov     r8, r0                      /* 1: kept, one past its last */
    set     r0, SLOT_END                /* 1 */
    adds    r0, r4                      /* 1 */
    mov     r9, r0                      /* 1: found, from here to the slots' end */

    /* The leaf: r0 its distance from the base, r1 its page. */
    mov     r1, r12                     /* 1 */
    ldr     r0, [r1, #PC]               /* 2 */
    ldr     r1, [r7, #BASE]             /* 2 */
    subs    r0, r0, r1                  /* 1 */
    lsrs    r1, r0, #8                  /* 1 */
    ldrh    r2, [r7, #PAGES]            /* 2 */
    cmp     r1, r2                      /* 1 */
    blo     .Lrow                       /* 2 */
    b       .Lunsure

.Lwas_cut: /* too little is left: what is beyond the cut may be within reach now */
    movs    r1, #SLOT
    adds    r1, r4
    subs    r2, r0, r1
    cmp     r2, #SLOT_BYTES * (MCUPROF_PATHS / 4)
    bhs     .Lverified
    mov     r0, r1
    b       .Lverified

.Lno_table:
    movs    r0, #MCUPROF_WIRE_ROOT_UNSURE
    b       .Lreturn

    /* A return address in the slot r1: found. Its frame is next. */
.Lfound:
    ldr     r6, [r1]                    /* 2 */
    mov     r2, r9                      /* 1 */
    cmp     r2, r8                      /* 1 */
    beq     .Lfull                      /* 1 */
.Lroom:
    subs    r2, #SLOT_BYTES             /* 1 */
    mov     r9, r2                      /* 1 */
    str     r1, [r2]                    /* 2 */
    str     r6, [r2, #4]                /* 2 */

    /* The frame behind the return address r6: is it remembered? */
.Llook:
    subs    r0, r6, #2                  /* 1: bit 0 is set: the byte before the address */
    ldr     r1, [r7, #BASE]             /* 2 */
    subs    r0, r0, r1                  /* 1 */
    lsrs    r2, r0, #1                  /* 1 */
    set     r1, (MCUPROF_PATH_FRAMES - 1) /* 1 */
    ands    r1, r2                      /* 1 */
    lsls    r1, r1, #2                  /* 1 */
    adds    r1, r4                      /* 1 */
    lsrs    r2, r2, #4                  /* 1 */
    adds    r2, #1                      /* 1: 0 is none */
    ldr     r3, [r1, #FRAME]            /* 2 */
    lsrs    r3, r3, #9                  /* 1 */
    cmp     r2, r3                      /* 1 */
    bne     1f                          /* 1 */
    ldr     r1, [r1, #FRAME]            /* 2 */
    lsls    r1, r1, #23                 /* 1 */
    lsrs    r1, r1, #21                 /* 1 */
    b       .Lframe                     /* 2 */
1:
    mov     lr, r1                      /* 1 */
    lsrs    r1, r0, #8                  /* 1 */
    ldrh    r2, [r7, #PAGES]            /* 2 */
    cmp     r1, r2                      /* 1 */
    bhs     .Lno_code                   /* 1 */
    cmp     r0, #4                      /* 1 */
    blo     .Lno_code                   /* 1 */
    subs    r3, r6, #5                  /* 1: is it behind bl? */
    ldrh    r2, [r3, #2]                /* 2 */
    ldrh    r3, [r3]                    /* 2 */
    lsrs    r3, r3, #11                 /* 1 */
    cmp     r3, #0x1E                   /* 1 */
    bne     .Lnot_bl                    /* 1 */
    lsrs    r2, r2, #14                 /* 1 */
    cmp     r2, #3                      /* 1 */
    bne     .Lno_call                   /* 1 */

    /* The row of the address at r0 from the base, in page r1; remembered at lr, unless 0. */
.Lrow:
    lsls    r0, r0, #24                 /* 1 */
    lsrs    r0, r0, #25                 /* 1: its unit in the page */
    adds    r0, #1                      /* 1 */
    lsls    r0, r0, #9                  /* 1 */
    lsls    r1, r1, #1                  /* 1 */
    add     r1, r11                     /* 1 */
    ldrh    r2, [r1, #2]                /* 2 */
    ldrh    r3, [r1]                    /* 2 */
    lsls    r2, r2, #1                  /* 1 */
    lsls    r3, r3, #1                  /* 1 */
    add     r2, r10                     /* 1 */
    add     r3, r10                     /* 1 */
1:
    subs    r2, #2                      /* 1 */
    ldrh    r1, [r2]                    /* 2 */
    cmp     r2, r3                      /* 1 */
    blo     2f                          /* 1: of a page before, it is valid into this one */
    cmp     r1, r0                      /* 1 */
    bhs     1b                          /* 2 */
2:
    lsls    r1, r1, #23                 /* 1 */
    mov     r2, lr                      /* 1 */
    cmp     r2, #0                      /* 1 */
    beq     3f                          /* 2 */
    lsrs    r1, r1, #23                 /* 1 */
    subs    r0, r6, #2                  /* 1 */
    ldr     r3, [r7, #BASE]             /* 2 */
    subs    r0, r0, r3                  /* 1 */
    lsrs    r0, r0, #5                  /* 1 */
    adds    r0, #1                      /* 1 */
    lsls    r0, r0, #9                  /* 1 */
    orrs    r0, r1                      /* 1 */
    str     r0, [r2, #FRAME]            /* 2 */
    lsls    r1, r1, #23                 /* 1 */
3:
    lsrs    r1, r1, #21                 /* 1 */
.Lframe: /* number r1 / 4 */
    adds    r1, r7                      /* 1 */
    ldr     r0, [r1, #TABLES]           /* 2 */
    uxtb    r1, r0                      /* 1: where */
    lsrs    r0, r0, #8                  /* 1 */
    adds    r0, r5                      /* 1: the caller's stack pointer */
    mov     r2, r12                     /* 1 */
    ldr     r2, [r2, #TOP]              /* 2 */
    cmp     r0, r2                      /* 1 */
    bhi     .Lunsure                    /* 1 */
    cmp     r1, #MCUPROF_UNWIND_HANDLER /* 1 */
    bhs     .Lregister                  /* 1 */
    lsls    r1, r1, #2                  /* 1 */
    beq     .Lunsure                    /* 1 */
    subs    r1, r0, r1                  /* 1: its slot */
    cmp     r1, r5                      /* 1 */
    blo     .Lunsure                    /* 1 */
    mov     r5, r0                      /* 1 */
    mov     r2, r8                      /* 1 */
    movs    r3, #SLOT                   /* 1 */
    adds    r3, r4                      /* 1 */
1:
    cmp     r2, r3                      /* 1 */
    beq     3f                          /* 1 */
    subs    r2, #SLOT_BYTES             /* 1 */
    ldr     r0, [r2]                    /* 2 */
    cmp     r0, r1                      /* 1 */
    blo     1b                          /* 2 */
    bne     2f                          /* 1 */
    adds    r2, #SLOT_BYTES             /* 1: met: all outside of it is as it was */
    subs    r3, r2, r3                  /* 1 */
    lsrs    r3, r3, #2                  /* 1 */
    set     r0, SLOT_NODE - 2           /* 1 */
    adds    r3, r0                      /* 1 */
    ldrh    r0, [r4, r3]                /* 2: its node */
    b       .Lkept                      /* 2 */
2:
    adds    r2, #SLOT_BYTES             /* 1 */
3:
    mov     r8, r2                      /* 1 */
    b       .Lfound                     /* 2 */

.Lfull: /* what is found takes the room of what was kept */
    movs    r3, #SLOT
    adds    r3, r4
    cmp     r2, r3
    beq     .Lcut
    subs    r2, #SLOT_BYTES
    mov     r8, r2
    adds    r2, #SLOT_BYTES
    b       .Lroom
.Lcut: /* the outer half goes, for the path may become longer still */
    adds    r2, #SLOT_BYTES * (MCUPROF_PATHS / 2)
    mov     r9, r2
    movs    r0, #MCUPROF_WIRE_ROOT_CUT
    b       .Lroot

.Lnot_bl: /* blx with a register? */
    lsrs    r2, r2, #7
    cmp     r2, #0x4780 >> 7
    beq     .Lrow
.Lno_call:
    movs    r0, #MCUPROF_WIRE_ROOT_UNSURE
    b       .Ldrop
.Lno_code: /* an exception return? */
    movs    r0, #MCUPROF_WIRE_ROOT_UNSURE
    lsrs    r1, r6, #8
    adds    r1, #1
    lsrs    r1, r1, #24
    beq     .Ldrop
    movs    r0, #MCUPROF_WIRE_ROOT_INTERRUPT
.Ldrop: /* r6 is none: a slot's that was found last, or, before any, the register's */
    mov     r2, r9
    set     r3, SLOT_END
    adds    r3, r4
    cmp     r2, r3
    beq     1f
    adds    r2, #SLOT_BYTES
    mov     r9, r2
    b       .Lroot
1:
    movs    r1, #0
    str     r1, [sp]
    b       .Lroot

.Lregister: /* of the leaf alone; or nothing called it */
    subs    r1, #MCUPROF_UNWIND_END
    beq     .Lwhole
    blo     .Lhandler
    subs    r1, #MCUPROF_UNWIND_R0 - MCUPROF_UNWIND_END
    blo     .Lunsure
    mov     r2, r9                      /* 1 */
    set     r3, SLOT_END                /* 1 */
    adds    r3, r4                      /* 1 */
    cmp     r2, r3                      /* 1 */
    bne     .Lunsure                    /* 1 */
    ldr     r3, [sp]                    /* 2 */
    cmp     r3, #0                      /* 1 */
    bne     .Lunsure                    /* 1 */
    mov     r5, r0                      /* 1 */
    mov     r2, r12                     /* 1 */
    ldr     r2, [r2, #REGISTERS]        /* 2 */
    lsls    r1, r1, #2                  /* 1 */
    ldr     r6, [r2, r1]                /* 2 */
    str     r6, [sp]                    /* 2 */
    b       .Llook                      /* 2 */
.Lhandler:
    movs    r0, #MCUPROF_WIRE_ROOT_INTERRUPT
    b       .Lroot
.Lwhole:
    movs    r0, #MCUPROF_WIRE_ROOT_WHOLE
    b       .Lroot
.Lunsure:
    movs    r0, #MCUPROF_WIRE_ROOT_UNSURE
.Lroot: /* nothing of the last path is met */
    strh    r0, [r4, #ROOT]
    movs    r2, #SLOT
    adds    r2, r4

    /* What was found goes behind what is kept, which ends at r2, in node r0. */
.Lkept:
    mov     r5, r2                      /* 1 */
    mov     r7, r9                      /* 1 */
    set     r1, SLOT_END                /* 1 */
    adds    r1, r4                      /* 1 */
    cmp     r7, r1                      /* 1 */
    beq     4f                          /* 2 */
    mov     r10, r1                     /* 1 */
    movs    r1, #SLOT                   /* 1 */
    adds    r1, r4                      /* 1 */
    subs    r2, r2, r1                  /* 1 */
    lsrs    r2, r2, #2                  /* 1 */
    set     r1, SLOT_NODE               /* 1 */
    adds    r1, r4                      /* 1 */
    adds    r1, r2                      /* 1 */
    mov     r8, r1                      /* 1: where the node of r5's slot goes */
2:
    ldmia   r7!, {r2, r6}               /* 3 */
    stmia   r5!, {r2, r6}               /* 3 */
    child   3f                          /* 21 */
    bl      .Lnew
    beq     .Lno_room
3:
    mov     r1, r8                      /* 1 */
    strh    r0, [r1]                    /* 2 */
    adds    r1, #2                      /* 1 */
    mov     r8, r1                      /* 1 */
    cmp     r7, r10                     /* 1 */
    bne     2b                          /* 2 */
    b       4f                          /* 2 */
.Lno_room: /* the next sample walks anew */
    movs    r5, #SLOT
    adds    r5, r4
4:
    movs    r1, #SLOT                   /* 1 */
    adds    r1, r4                      /* 1 */
    subs    r1, r5, r1                  /* 1 */
    strh    r1, [r4, #USED]             /* 2 */
    ldr     r6, [sp]                    /* 2 */
    cmp     r6, #0                      /* 1 */
    beq     .Lreturn                    /* 2 */
    ldr     r1, =MCUPROF_NO_NODE        /* 2 */
    cmp     r0, r1                      /* 1 */
    beq     .Lreturn                    /* 1 */
    child   .Lreturn                    /* 21 */
    bl      .Lnew
.Lreturn:
    pop     {r3, r4, r5, r6, r7}        /* 6 */
    mov     r8, r4                      /* 1 */
    mov     r9, r5                      /* 1 */
    mov     r10, r6                     /* 1 */
    mov     r11, r7                     /* 1 */
    pop     {r4, r5, r6, r7, pc}        /* 8 */

    /* r0 = a new node of address r6 behind r3; eq if there is no room for it. */
.Lnew:
    push    {r5, lr}
    mov     r0, r3
    mov     r1, r6
    bl      mcuprof_new_node
    ldr     r1, =MCUPROF_NO_NODE
    cmp     r0, r1
    pop     {r5, pc}
    .size mcuprof_walk, . - mcuprof_walk
    .pool
#endif
