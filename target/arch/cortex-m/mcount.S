/* SPDX-License-Identifier: MIT */
/*
 * The call hook and the sampling interrupt. ARMv6-M instructions only, so one text serves
 * ARMv6-M, ARMv7-M and ARMv8-M. Cycles in comments: Cortex-M0+, no wait states.
 */
#include "entry.h"
#include "mcuprof_arch.h"
#include "mcuprof_path_layout.h"
#include "mcuprof_wire.h"
#include "ring.h"

    .syntax unified
    .thumb
    .weak   __mcuprof_base              /* 0 unless the linker is told otherwise */

/* Whether samples are counted as calls are, one address each. */
#define COUNTS_SAMPLES (MCUPROF_SAMPLES && !MCUPROF_PATHS)
/* Whether a sample's counter makes room as fast as a call's. Else few samples have counters. */
#if COUNTS_SAMPLES && !defined(MCUPROF_SENDS_AT_ONCE)
#define HURRIES_SAMPLES 1
#else
#define HURRIES_SAMPLES 0
#endif

/* Goes back to the program: r1 = the state of interrupts before. */
    .macro leave
    msr     primask, r1                 /* 3 */
    leave_unmasked                      /* 7 */
    .endm
    .macro leave_unmasked
    .cfi_remember_state
#if MCUPROF_KEEP_FLAGS
    ldr     r1, [sp, #4]                /* 2 */
    msr     apsr_nzcvq, r1              /* 3 */
    pop     {r1, r2}                    /* 3 */
    pop     {r2, r3}                    /* 3 */
#else
    pop     {r1, r2, r3}                /* 4 */
#endif
    .cfi_register lr, sp                /* this means that lr is not known */
    add     sp, #4                      /* 1 */
    bx      ip                          /* 2 */
    .cfi_restore_state
    .endm

/* Goes to \other unless the entry at r3 + \second belongs to the task or interrupt that runs.
 * Clobbers r2. 16 cycles in a task. */
    .macro of_task other, second=0
#if MCUPROF_BY_TASK
    push    {r4}                        /* 2 */
    mrs     r2, ipsr                    /* 3 */
    whose   r4, r2, r2                  /* 7 */
    ldr     r2, [r3, #TASK + \second]   /* 2 */
    cmp     r2, r4                      /* 1 */
    pop     {r4}                        /* 3: the flags stay */
    bne     \other                      /* 1 */
#endif
    .endm

/* Counts the call in the entry at r3 + \second and goes back. It goes to \other if the entry is not
 * the call's, and to \full if the count is. \back, if given, is the label where it goes back. */
    .macro count_in other, full, second=0, back
    ldr     r2, [r3, #FROM + \second]   /* 2 */
    cmp     r2, lr                      /* 1 */
    bne     \other                      /* 1 */
    ldr     r2, [r3, #TO + \second]     /* 2 */
    cmp     r2, ip                      /* 1 */
    bne     \other                      /* 1 */
    of_task \other, \second
    ldr     r2, [r3, #COUNT + \second]  /* 2 */
    adds    r2, #1                      /* 1 */
    beq     \full                       /* 1: it would overflow */
    str     r2, [r3, #COUNT + \second]  /* 2 */
    .ifnb   \back
\back:
    .endif
    leave                               /* 10 */
    .endm

/* The end of the hook where nothing is counted. */
    .macro end_stopped
    .type mcuprof_arc_stopped, %function
mcuprof_arc_stopped:
    .cfi_remember_state
#if MCUPROF_ARCS && MCUPROF_KEEP_FLAGS
    .cfi_def_cfa_offset 12
#else
    .cfi_def_cfa_offset 8
#endif
#if MCUPROF_ARCS && MCUPROF_KEEP_FLAGS
    pop     {r3}                        /* 2 */
    .cfi_def_cfa_offset 8
    msr     apsr_nzcvq, r3              /* 3 */
#endif
    ldr     r3, [sp, #8]                /* 2: the caller */
    mov     lr, r3                      /* 1 */
    pop     {r2, r3}                    /* 3 */
    .cfi_register lr, sp                /* this means that lr is not known */
    add     sp, #4                      /* 1 */
    bx      ip                          /* 2 */
    .cfi_restore_state
    .size mcuprof_arc_stopped, . - mcuprof_arc_stopped
    .endm

/* Goes back, where cycles do not matter. */
    .macro leave_later
#if MCUPROF_ENTRIES
    b       .Lleave                     /* 12 */
#else
    leave                               /* 10 */
#endif
    .endm

/*
 * __gnu_mcount_nc: what -pg calls at each function's entry, by push {lr}; bl.
 * In:  [sp] the caller's return address, lr the address inside the callee.
 * Out: lr = [sp], sp + 4, goes on at the old lr. Clobbers ip (as the ABI allows a call) and the
 *      flags, unless MCUPROF_KEEP_FLAGS is 1; nothing else.
 * Stack: 8 bytes stopped, 12 counted; 4 more with MCUPROF_KEEP_FLAGS; + 24 and what count.inc says
 *      where it is not in its own two entries.
 * Cycles, call site (5) included: stopped 25; counted in its first entry 53, in its second 58, or 61
 *      if the first has the same call site; lost 77, where the ring is full. With
 *      MCUPROF_KEEP_FLAGS 12 more.
 */
    .section .text.mcuprof_arc, "ax", %progbits
    .global __gnu_mcount_nc
    .type __gnu_mcount_nc, %function
    .balign 4
__gnu_mcount_nc:
    .cfi_sections .debug_frame          /* for `mcuprof unwind` */
    .cfi_startproc
    mov     ip, lr                      /* 1 */
    .cfi_register lr, ip
    push    {r2, r3}                    /* 3 */
    .cfi_def_cfa_offset 8
#if MCUPROF_ARCS
    .set    CALLER, 12
#if MCUPROF_KEEP_FLAGS
    mrs     r3, apsr                    /* 3 */
    push    {r3}                        /* 2 */
    .cfi_def_cfa_offset 12
    .set    CALLER, 16
#endif
    ldr     r3, =mcuprof_state          /* 2 */
    ldr     r2, [r3, #MCUPROF_HOOKS_ON_OFFSET] /* 2 */
    cmp     r2, #MCUPROF_ARCS_ON        /* 1 */
    bne     mcuprof_arc_stopped         /* 1; stopped: 2 */
    push    {r1}                        /* 2 */
    .cfi_adjust_cfa_offset 4
    ldr     r1, [sp, #CALLER]           /* 2 */
    mov     lr, r1                      /* 1 */
#if MCUPROF_ENTRIES
#if MCUPROF_ENTRIES > 32
    ldr     r2, =((MCUPROF_ENTRIES / 2 - 1) * 16)
#endif
#if MCUPROF_ENTRIES > 2
    add     r1, ip                      /* 1 */
    ands    r1, r2                      /* 1 */
    add_pair r3, r1                     /* 3 */
#endif
    go_near r3
    mrs     r1, primask                 /* 3 */
    cpsid   i                           /* 1 */
    count_in 2f, 2f, back=.Lleave       /* 24 */
2:
#if MCUPROF_ENTRIES > 1
    count_in 3f, 3f, SECOND
#endif
3:
#else
    mrs     r1, primask                 /* 3 */
    cpsid   i                           /* 1 */
#endif
#if MCUPROF_S_COUNT
    mov     lr, r3                      /* 1: the event's own pair */
#endif
#if !MCUPROF_WAIT /* the common case if the program calls more often than the line can send */
#if MCUPROF_ENTRIES && !MCUPROF_S_COUNT
    ldr     r2, [r3, #COUNT + SECOND]   /* 2 */
    cmp     r2, #0                      /* 1 */
    beq     mcuprof_arc_new             /* 1: that one is free */
#endif
    ldr     r3, =mcuprof_state + STATE_AT /* 2 */
#if MCUPROF_INDEX_BYTES == 1
    ldr     r2, [r3, #HASH_AT + HEAD]   /* 2: and the tail behind it */
    lsrs    r3, r2, #8                  /* 1 */
    subs    r2, r3, r2                  /* 1 */
#else
    load_index r2, r3, TAIL             /* 2 */
    load_index r3, r3, HEAD             /* 2 */
    subs    r2, r2, r3                  /* 1 */
#endif
    subs    r2, #1                      /* 1 */
    wrap    r2                          /* 1 */
    cmp     r2, #MCUPROF_RECORD_BYTES_MAX /* 1 */
    bhs     mcuprof_arc_new             /* 2 */
#if MCUPROF_S_COUNT
    mov     r3, lr                      /* 1 */
    ldr     r2, [r3, #COUNT + SECOND]   /* 2 */
    cmp     r2, #0                      /* 1 */
    beq     mcuprof_arc_new             /* 1: that one is free */
    ldr     r3, [sp, #CALLER]           /* 2 */
    mov     lr, r3                      /* 1 */
#endif
    .size __gnu_mcount_nc, . - __gnu_mcount_nc
    .type mcuprof_arc_lost, %function
mcuprof_arc_lost:
    ldr     r3, =mcuprof_state          /* 2 */
    ldr     r2, [r3, #MCUPROF_ARCS_LOST_OFFSET] /* 2 */
    adds    r2, #1                      /* 1 */
    str     r2, [r3, #MCUPROF_ARCS_LOST_OFFSET] /* 2 */
    leave_later                         /* 12 */
    .size mcuprof_arc_lost, . - mcuprof_arc_lost
#else
    .size __gnu_mcount_nc, . - __gnu_mcount_nc
#endif
#if MCUPROF_S_COUNT
    end_stopped
#if MCUPROF_KEEP_FLAGS
    .set    SAVED, 20                   /* r0, r4 to r7 */
#else
    .set    SAVED, 24                   /* and r3, which aligns the stack */
#endif
#include "count.inc"
#else
    .type mcuprof_arc_new, %function
mcuprof_arc_new:
#if MCUPROF_BY_TASK
    mrs     r2, ipsr
    whose   r3, r2, r2
    ldr     r2, =mcuprof_state
    str     r3, [r2, #MCUPROF_CONTEXT_OFFSET]
#endif
    mov     r2, ip                      /* 1 */
    /* the stack stays aligned to 8 bytes */
    .cfi_remember_state
#if MCUPROF_KEEP_FLAGS
    push    {r0, r1, r2}
    .cfi_adjust_cfa_offset 12
#else
    push    {r0, r1, r2, r3}            /* 5 */
    .cfi_adjust_cfa_offset 16
#endif
    .cfi_offset lr, -20
    mov     r0, lr                      /* 1 */
    mov     r2, r1                      /* 1 */
    mov     r1, ip                      /* 1 */
    bl      mcuprof_count               /* 3 */
#if MCUPROF_KEEP_FLAGS
    pop     {r0, r1, r2}
#else
    pop     {r0, r1, r2, r3}            /* 5 */
#endif
    .cfi_restore_state
    .cfi_register lr, r2
    mov     ip, r2                      /* 1 */
    .cfi_register lr, ip
    ldr     r3, [sp, #CALLER]           /* 2 */
    mov     lr, r3                      /* 1 */
    leave_later                         /* 12 */
    .size mcuprof_arc_new, . - mcuprof_arc_new
    end_stopped
#endif
#else /* files compiled with -pg still link, and nothing is counted */
    .size __gnu_mcount_nc, . - __gnu_mcount_nc
    end_stopped
#endif
    .cfi_endproc

    .pool

#if MCUPROF_SAMPLES
/* Goes to \other unless the entry at r3 belongs to the task or interrupt in ip. Clobbers r2. */
    .macro of_interrupted other
#if MCUPROF_BY_TASK
    ldr     r2, [r3, #TASK]
    cmp     r2, ip
    bne     \other
#endif
    .endm

#if !MCUPROF_PATHS /* else path.S has it */
/*
 * The sampling timer's interrupt. It keeps the hardware's frame in place until it has
 * read the program counter in it: EXC_RETURN in lr says whether that frame is on the
 * main or the process stack. The hardware has saved all that it clobbers. It goes on to
 * mcuprof_timer_set(), whose return is the return from the interrupt.
 * Stack: none; 8 bytes and mcuprof_count()'s where the address is not in its set.
 * Cycles, exception entry and return (30) and a timer_set of 15 included: 91,
 * second entry 98; elsewhere in its set 105, and 8 for each entry looked at before it.
 */
    .section .text.mcuprof_sample, "ax", %progbits
    .global mcuprof_sample_isr
    .type mcuprof_sample_isr, %function
    .balign 4
mcuprof_sample_isr:
    mov     r0, lr                      /* 1 */
    mov     r1, sp                      /* 1 */
    lsls    r0, r0, #29                 /* 1: EXC_RETURN.SPSEL to the sign */
    bpl     1f                          /* 2 */
    mrs     r1, psp
1:
    ldr     r0, [r1, #24]               /* 2: the interrupted pc */
#if MCUPROF_BY_TASK
    ldr     r2, [r1, #28]               /* and its xPSR: the interrupt's number, if any */
    lsls    r2, r2, #23
    lsrs    r2, r2, #23
    whose   r3, r2, r2
    mov     ip, r3
#endif
#if MCUPROF_ENTRIES
    ldr     r3, =mcuprof_state          /* 2 */
    locate  r3, r0, r2, r1              /* 6 */
    ldr     r2, [r3, #TO]               /* 2 */
    cmp     r2, r0                      /* 1 */
    bne     3f                          /* 1 */
    of_interrupted 3f
2:
    ldr     r2, [r3, #COUNT]            /* 2 */
    adds    r2, #1                      /* 1 */
    beq     6f                          /* 1: it would overflow */
    str     r2, [r3, #COUNT]            /* 2 */
8:
#else
    b       6f                          /* 2 */
8:
#endif
#if MCUPROF_FLUSH_SAMPLES
    push    {r0, lr}
    bl      mcuprof_sweep
    pop     {r0, r1}
    mov     lr, r1
#endif
#if MCUPROF_DITHER
    /* A random period: core/mcuprof_sample.h says how and why. */
    ldr     r3, =mcuprof_state          /* 2 */
    ldr     r0, [r3, #MCUPROF_RANDOM_OFFSET] /* 2 */
    ldr     r1, =1664525                /* 2 */
    muls    r0, r1, r0                  /* 1 */
    adds    r0, #1                      /* 1 */
    str     r0, [r3, #MCUPROF_RANDOM_OFFSET] /* 2 */
    lsrs    r0, r0, #16                 /* 1 */
#if MCUPROF_PERIOD < 65536
    ldr     r1, =MCUPROF_PERIOD         /* 2 */
    muls    r0, r1, r0                  /* 1 */
    /* the second of these two rounds to the nearest: its carry is what it cut off */
#if MCUPROF_PERIOD % 2
    lsrs    r0, r0, #16
    lsrs    r1, r1, #1
#else
    lsrs    r1, r1, #1                  /* 1 */
    lsrs    r0, r0, #16                 /* 1 */
#endif
#else
    ldr     r1, =MCUPROF_PERIOD / 256
    muls    r0, r1, r0
    ldr     r1, =MCUPROF_PERIOD
    lsrs    r0, r0, #8
    lsrs    r1, r1, #1
#endif
    adcs    r0, r1                      /* 1 */
#else
    ldr     r0, =MCUPROF_PERIOD
#endif
    ldr     r1, =mcuprof_timer_set      /* 2 */
    bx      r1                          /* 2 */
3:  /* the second entry */
#if MCUPROF_ENTRIES > 1
    adds    r3, #ENTRY_BYTES            /* 1 */
    ldr     r2, [r3, #TO]               /* 2 */
    cmp     r2, r0                      /* 1 */
#if MCUPROF_BY_TASK
    bne     4f
    of_interrupted 4f
    b       2b
#else
    beq     2b                          /* 2 */
#endif
#endif
4:
#if MCUPROF_SENDS_AT_ONCE
#if MCUPROF_INDEX_BYTES == 2
    .set    SENT_AT, 0
#else
    .set    SENT_AT, MCUPROF_HASH_OFFSET - 8 * MCUPROF_KINDS
#endif
    ldr     r1, [r3, #COUNT]            /* 2 */
    ldr     r2, [r3, #COUNT - ENTRY_BYTES] /* 2 */
    muls    r1, r2, r1                  /* 1: is one of them free? */
    beq     6f                          /* 1 */
    ldr     r3, =mcuprof_state + STATE_AT /* 2 */
    cpsid   i                           /* 1 */
    ldrb    r1, [r3, #HASH_AT + DUE]    /* 2 */
    lsls    r1, r1, #32 - 5             /* 1: each 32nd time, when a record is due as well */
    beq     6f                          /* 1 */
    load_index r1, r3, HASH_AT + TAIL   /* 2 */
    load_index r2, r3, HASH_AT + HEAD   /* 2 */
    subs    r1, r1, r2                  /* 1 */
    subs    r1, #1                      /* 1 */
    wrap    r1                          /* 1 */
    cmp     r1, #MCUPROF_RECORD_BYTES_MAX /* 1 */
    blo     5f                          /* 1 */
    push    {r3, r4, r5, r6, r7, lr}    /* 7: r3 aligns the stack */
    ldr     r6, =__mcuprof_base         /* 2 */
    subs    r6, r0, r6                  /* 1 */
    lsrs    r6, r6, #1                  /* 1: what is sent of the address, */
    movs    r0, #MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0) /* 1 */
    mov     r5, r2                      /* 1 */
    movs    r2, #2                      /* 1: and in so many groups */
    lsrs    r1, r6, #14                 /* 1 */
    beq     2f                          /* 2 */
1:
    adds    r0, #4                      /* 1 */
    adds    r2, #1                      /* 1 */
    lsrs    r1, r1, #7                  /* 1 */
    bne     1b                          /* 1 */
2:
    ldr     r4, [r3, #HASH_AT]          /* 2 */
    mov     ip, r3                      /* 1 */
    lsls    r1, r4, #8                  /* 1 */
    adds    r4, r1                      /* 1 */
    adds    r4, r0                      /* 1 */
#if MCUPROF_RING_OFFSET < 256
    adds    r3, #MCUPROF_RING_OFFSET - STATE_AT /* 1 */
#else
    ldr     r3, =mcuprof_state + MCUPROF_RING_OFFSET /* 2 */
#endif
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
3:
    lsls    r7, r6, #25                 /* 1 */
    lsrs    r7, r7, #25                 /* 1 */
    lsrs    r6, r6, #7                  /* 1 */
    append_group                        /* 10 */
    subs    r2, #1                      /* 1 */
    bne     3b                          /* 2 */
    append_check
    mov     r6, ip                      /* 1 */
    str     r4, [r6, #HASH_AT]          /* 2 */
    moved   r1                          /* 5: a record that is being made is written over */
#if MCUPROF_RTT
    dmb                                 /* 3: the probe sees the bytes before the index */
#endif
#if MCUPROF_INDEX_BYTES == 2
    strh    r5, [r6, #HASH_AT + HEAD]   /* 2 */
#else
    strb    r5, [r6, #HASH_AT + HEAD]   /* 2 */
#endif
#if MCUPROF_INDEX_BYTES == 2
    subs    r6, #8 * MCUPROF_KINDS      /* 1 */
#endif
    ldr     r1, [r6, #SENT_AT]          /* 2: samples that were sent */
    adds    r1, #1                      /* 1 */
    str     r1, [r6, #SENT_AT]          /* 2 */
    ldrb    r1, [r6, #SENT_AT + 8 * MCUPROF_KINDS + DUE] /* 2 */
    adds    r1, #1                      /* 1: it is no multiple of 32 */
    strb    r1, [r6, #SENT_AT + 8 * MCUPROF_KINDS + DUE] /* 2 */
    ldrb    r1, [r6, #SENT_AT + 8 * MCUPROF_KINDS + DUE + 1] /* 2: busy */
    cmp     r1, #0                      /* 1 */
    bne     7f                          /* 2 */
#if MCUPROF_SPAN_BYTES /* a span takes long to begin; see count.inc */
    cpsie   i                           /* 1 */
    isb                                 /* 3 */
    cpsid   i                           /* 1 */
    ldrb    r1, [r6, #SENT_AT + 8 * MCUPROF_KINDS + DUE + 1] /* 2 */
    cmp     r1, #0                      /* 1 */
    bne     7f                          /* 1: what was let in has started it */
#endif
    adds    r1, #1                      /* 1 */
    strb    r1, [r6, #SENT_AT + 8 * MCUPROF_KINDS + DUE + 1] /* 2 */
    bl      mcuprof_link_start          /* 3 */
7:
    cpsie   i                           /* 1 */
    pop     {r3, r4, r5, r6, r7}        /* 6 */
    pop     {r1}                        /* 2 */
    mov     lr, r1                      /* 1 */
    b       8b                          /* 2 */
5:
#if MCUPROF_INDEX_BYTES == 2
    subs    r3, #8 * MCUPROF_KINDS      /* 1 */
#endif
    ldr     r1, [r3, #SENT_AT + 4]      /* 2: samples that were lost */
    adds    r1, #1                      /* 1 */
    str     r1, [r3, #SENT_AT + 4]      /* 2 */
    cpsie   i                           /* 1 */
    b       8b                          /* 2 */
#elif MCUPROF_WAYS > 2
    .size mcuprof_sample_isr, . - mcuprof_sample_isr
    .type mcuprof_sample_search, %function
mcuprof_sample_search: /* in its set */
    ldr     r3, =mcuprof_state          /* 2 */
#if MCUPROF_ENTRIES > MCUPROF_WAYS
    locate_sum r3, r0, r0, r2, r1, (MCUPROF_WAYS - 1) / 2 /* 6 */
#else
    go_near r3
#endif
    movs    r1, #MCUPROF_WAYS           /* 1 */
5:
    ldr     r2, [r3, #TO]               /* 2 */
    cmp     r2, r0                      /* 1 */
#if MCUPROF_BY_TASK
    bne     7f
    of_interrupted 7f
    b       2b
7:
#else
    beq     2b                          /* 1 */
#endif
    adds    r3, #ENTRY_BYTES            /* 1 */
    subs    r1, #1                      /* 1 */
    bne     5b                          /* 2 */
#endif
6:
#if MCUPROF_BY_TASK
    ldr     r2, =mcuprof_state
    mov     r1, ip
    str     r1, [r2, #MCUPROF_CONTEXT_OFFSET]
#endif
    push    {r0, lr}                    /* 3 */
    cpsid   i                           /* 1 */
#if !MCUPROF_S_COUNT
    mov     r1, r0                      /* 1 */
    movs    r2, #0                      /* 1: not masked before: we are in an interrupt */
#endif
    bl      mcuprof_count               /* 3 */
#if !MCUPROF_S_COUNT
    cpsie   i                           /* 1 */
#endif
    pop     {r0, r1}                    /* 3 */
    mov     lr, r1                      /* 1 */
    b       8b                          /* 2 */
#if MCUPROF_WAYS > 2 && !MCUPROF_SENDS_AT_ONCE
    .size mcuprof_sample_search, . - mcuprof_sample_search
#else
    .size mcuprof_sample_isr, . - mcuprof_sample_isr
#endif
#if MCUPROF_S_COUNT && !MCUPROF_ARCS
    .cfi_startproc
    .set    CALLER, 0
    .set    SAVED, 24
#include "count.inc"
    .cfi_endproc
#endif
    .pool
#endif
#else
/* For the vector table: no samples are taken. */
    .section .text.mcuprof_sample, "ax", %progbits
    .global mcuprof_sample_isr
    .type mcuprof_sample_isr, %function
mcuprof_sample_isr:
    bx      lr
    .size mcuprof_sample_isr, . - mcuprof_sample_isr
#endif
