/* SPDX-License-Identifier: MIT */
/* The hooks of calls and blocks, and sampling: ARMv4T's A32, called from A32 and T32. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"
#include "mcuprof_unwind.h"

    .syntax unified
    .arm

    .macro begin name
    .section .text.\name, "ax", %progbits
    .global \name
    .type   \name, %function
    .balign 4
\name:
    .endm

/* Adds a distance to \at, which is mcuprof_state: that of a key's own entries. The key's
 * two addresses add up to \hash << \shift. Clobbers \hash and \scratch. */
    .macro locate at, hash, shift, scratch
#if MCUPROF_ENTRIES > 128
    ldr     \scratch, =((MCUPROF_ENTRIES - 1) / 2 * 4) >> \shift
    and     \hash, \hash, \scratch
#else
    and     \hash, \hash, #((MCUPROF_ENTRIES - 1) / 2 * 4) >> \shift
#endif
#if MCUPROF_CALLS
    rsb     \hash, \hash, \hash, lsl #3
#else
    add     \hash, \hash, \hash, lsl #1
#endif
    add     \at, \at, \hash, lsl #1 + \shift
    .endm

#if MCUPROF_BLOCKS
/* -fsanitize-coverage=trace-pc calls this in each block; lr is the address inside the
 * block. It goes on as a call from the address before, three instructions later. */
    begin   __sanitizer_cov_trace_pc
    bic     ip, lr, #1
    push    {ip}
    b       hook
#endif

/*
 * __gnu_mcount_nc: what -pg calls at each function's entry, by push {lr}; bl.
 * In:  [sp] the caller's return address, lr the address inside the callee, bit 0 for T32.
 * Out: lr = [sp], sp + 4, goes on at the old lr. Clobbers ip (as the ABI allows a call).
 * Stack: 16 bytes; 28 and mcuprof_count()'s where it is not in its own two entries.
 * Instructions, after the call site's 2: stopped 6; in its first entry 27, second 33.
 */
    begin   __gnu_mcount_nc
    .cfi_sections .debug_frame          /* for `mcuprof unwind`, which does not see the jump */
    .cfi_startproc
#if MCUPROF_ARCS || MCUPROF_BLOCKS
#if !MCUPROF_ARCS
    b       0f                          /* no call is counted */
#endif
hook:
    ldr     ip, =mcuprof_state
    ldr     ip, [ip, #MCUPROF_HOOKS_ON_OFFSET]
    add     pc, pc, ip                  /* from 8 bytes on; no flag is touched */
    nop
#endif
0:  /* stopped */
    .cfi_remember_state
    mov     ip, lr
    pop     {lr}
    .cfi_register lr, sp                /* this means that lr is not known */
    bx      ip
    .cfi_restore_state
#if MCUPROF_ARCS || MCUPROF_BLOCKS
    .org    0b + MCUPROF_ARCS_ON        /* running */
    push    {r0, r1, r2, r3}
    .cfi_adjust_cfa_offset 16
    ldr     r1, [sp, #16]               /* from */
    orr     r2, lr, #1                  /* to */
    ldr     r3, =mcuprof_state
    add     ip, r1, r2
    locate  r3, ip, 0, r0
    mrs     r0, cpsr
    orr     ip, r0, #0xC0
    msr     cpsr_c, ip
#if MCUPROF_ENTRIES
    ldr     ip, [r3, #MCUPROF_ENTRY_FROM]
    cmp     ip, r1
    ldreq   ip, [r3, #MCUPROF_ENTRY_TO]
    cmpeq   ip, r2
    bne     2f
1:
    ldr     ip, [r3, #MCUPROF_ENTRY_COUNT]
    adds    ip, ip, #1
    beq     3f                          /* it would overflow */
    str     ip, [r3, #MCUPROF_ENTRY_COUNT]
#else
    b       3f
#endif
9:
    msr     cpsr_cf, r0
    mov     ip, lr
    .cfi_remember_state
    pop     {r0, r1, r2, r3, lr}
    .cfi_register lr, sp                /* this means that lr is not known */
    bx      ip
    .cfi_restore_state
2:  /* the second entry */
#if MCUPROF_ENTRIES > 1
    add     r3, r3, #MCUPROF_ENTRY_BYTES
    ldr     ip, [r3, #MCUPROF_ENTRY_FROM]
    cmp     ip, r1
    ldreq   ip, [r3, #MCUPROF_ENTRY_TO]
    cmpeq   ip, r2
    beq     1b
#endif
3:
    push    {r0, r3, lr}                /* the stack stays aligned to 8 bytes */
    .cfi_remember_state
    .cfi_adjust_cfa_offset 12
    .cfi_offset lr, -20
    mov     r3, r1
    mov     r1, r2
    mov     r2, r0
    mov     r0, r3
    bl      mcuprof_count
    pop     {r0, r3, lr}
    .cfi_restore_state
    b       9b
#endif
    .cfi_endproc
    .size   __gnu_mcount_nc, . - __gnu_mcount_nc

/*
 * __cyg_profile_func_enter, __cyg_profile_func_exit: what -finstrument-functions calls at
 * each function's entry and exit, as any function of C.
 * In:  r0 the function, r1 its return address.
 * Out: nothing; goes on to mcuprof_enter() or _exit(), which gets in r2 the stack pointer,
 *      with bit 0 set in IRQ mode, which has a stack of its own.
 * Instructions: stopped 4; 11 until the function of C.
 */
#if MCUPROF_CALLS
    .macro timed name, function
    begin   \name
    ldr     ip, =mcuprof_state
    ldr     ip, [ip, #MCUPROF_HOOKS_ON_OFFSET]
    cmp     ip, #0
    bxeq    lr
    mrs     ip, cpsr
    mov     r2, sp
    and     ip, ip, #0x1F
    cmp     ip, #0x12                   /* IRQ mode */
    orreq   r2, r2, #1
    ldr     ip, =\function
    bx      ip
    .pool
    .endm
    timed   __cyg_profile_func_enter, mcuprof_enter
    timed   __cyg_profile_func_exit, mcuprof_exit
#endif

/*
 * mcuprof_sample_isr: the FIQ's vector branches here. It uses only the FIQ's own r8 to
 * r14 where the counter is in its own two entries. mcuprof_timer_set() must be A32 code
 * that gets the ticks in r8 and changes no more than r8 to r11 and the flags.
 * Stack, of FIQ mode: none; if the counter is elsewhere, 24 bytes and mcuprof_count()'s.
 * Instructions: 30 and mcuprof_timer_set()'s.
 */
    begin   mcuprof_sample_isr
    sub     r12, lr, #4                 /* the interrupted pc */
#if MCUPROF_SAMPLES
#if MCUPROF_PATHS
    /* The stack pointer and lr are those of the interrupted mode; user mode has those of
     * system mode. */
    push    {r0, r1, r2, r3, r12, lr}
    mrs     r3, spsr
    mov     r8, r12
    mov     r2, sp
    ands    r3, r3, #0xF
    moveq   r3, #0xF
    orr     r3, r3, #0xD0
    msr     cpsr_c, r3
    str     r12, [r2, #16]              /* in place of FIQ mode's */
    str     lr, [r2, #20]
    mov     r1, sp
    mov     r3, r11                     /* the frame pointer of A32 */
    msr     cpsr_c, #0xD1
    ldr     r9, =mcuprof_unwind_table
    ldrh    r9, [r9, #MCUPROF_UNWIND_FP_OFFSET]
    cmp     r9, #7
    moveq   r3, r7                      /* that of T32 */
    mov     r0, r8
    bl      mcuprof_sample_at
    pop     {r0, r1, r2, r3, r12, lr}
    mov     r12, r8
#else
#if MCUPROF_ENTRIES
    ldr     r9, =mcuprof_state
    mov     r8, r12
    locate  r9, r8, 1, r10
    ldr     r8, [r9, #MCUPROF_ENTRY_TO]
    cmp     r8, r12
#if MCUPROF_ENTRIES > 1
    addne   r9, r9, #MCUPROF_ENTRY_BYTES        /* the second entry */
    ldrne   r8, [r9, #MCUPROF_ENTRY_TO]
    cmpne   r8, r12
#endif
    bne     1f
    ldr     r8, [r9, #MCUPROF_ENTRY_COUNT]
    adds    r8, r8, #1
    strne   r8, [r9, #MCUPROF_ENTRY_COUNT]
    bne     2f                          /* else it would overflow */
1:
#endif
    push    {r0, r1, r2, r3, r4, r12}
    mov     r0, r12
    mov     r1, r12
    bl      mcuprof_count
    pop     {r0, r1, r2, r3, r4, r12}
2:
#if MCUPROF_FLUSH_SAMPLES
    push    {r0, r1, r2, r3, r4, r12}
    bl      mcuprof_sweep
    pop     {r0, r1, r2, r3, r4, r12}
#endif
#endif
    ldr     r8, =MCUPROF_PERIOD
#if MCUPROF_DITHER /* half of it to one and a half: see core/mcuprof_sample.h */
    ldr     r9, =mcuprof_state
    ldr     r10, [r9, #MCUPROF_RANDOM_OFFSET]
    ldr     r11, =1664525
    mul     lr, r11, r10
    add     lr, lr, #1
    str     lr, [r9, #MCUPROF_RANDOM_OFFSET]
    umull   r10, r11, lr, r8
    movs    r9, r8, lsr #1
    addscc  r10, r10, r10               /* rounds, if that has not lost a half */
    adc     r8, r11, r9
#endif
    bl      mcuprof_timer_set
#endif
    movs    pc, r12                     /* with the mode and state as they were */

    begin   mcuprof_irq_mask
    mrs     r0, cpsr
    orr     r1, r0, #0xC0
    msr     cpsr_c, r1
    bx      lr
    begin   mcuprof_irq_restore
    msr     cpsr_c, r0
    bx      lr
