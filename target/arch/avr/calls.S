/* SPDX-License-Identifier: MIT */
/* The hooks of timed calls. */
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
#define __SP_L__ 0x3D
#define __SREG__ 0x3F

    .macro  function name
    .section .text.\name, "ax", @progbits
    .global \name
    .type   \name, @function
\name:
    .endm

    .macro  end_unless_on
    lds     r18, mcuprof_state + MCUPROF_HOOKS_ON_OFFSET
    tst     r18
    brne    0f
    ret
0:
    .endm

#ifdef MCUPROF_EXIT_AT
/* struct mcuprof_stack, and of struct mcuprof_time; of a frame: stack, entered, children */
#define ENTRIES   (mcuprof_state + MCUPROF_ENTRIES_OFFSET)
#define TOP       (ENTRIES - 36)
#define LIMIT     (TOP + 2)
#define HIDDEN    (TOP + 4)
#define INSIDE    (TOP + 16)
#define OUTSIDE   (TOP + 20)
#define FRAME     10
#define COUNT     4 /* in a counter, behind its keys; then total, self, shortest, longest */
#define TOTAL_TOP (COUNT + 5)

/* Masks interrupts; whether they were not is in T. r21:r18 = the time. Clobbers r0. */
    .macro  begin
    in      r0, __SREG__
    bst     r0, 7
    cli
    lds     r18, MCUPROF_TIMER_COUNT
    lds     r19, MCUPROF_TIMER_COUNT + 1
    sbic    MCUPROF_TIMER_FLAGS, 0
    rcall   overflow
    lds     r20, MCUPROF_TIMER_HIGH
    lds     r21, MCUPROF_TIMER_HIGH + 1
    .endm

    .macro  unmask
    brtc    0f
    sei
0:
    .endm

/* \first (sub or add) and \then (with carry) of 4 bytes at \base, by \load. */
    .macro  each first, then, load, base, a, b, c, d
    \load    r0, \base
    \first   \a, r0
    \load    r0, \base + 1
    \then    \b, r0
    \load    r0, \base + 2
    \then    \c, r0
    \load    r0, \base + 3
    \then    \d, r0
    .endm

/* Adds the registers to 4 bytes at X; X += 4. */
    .macro  add_to_x a, b, c, d
    ld      r0, X
    add     r0, \a
    st      X+, r0
    .irp    register, \b, \c, \d
    ld      r0, X
    adc     r0, \register
    st      X+, r0
    .endr
    .endm

    .macro  load_x
    ld      r22, X+
    ld      r23, X+
    ld      r24, X+
    .endm

    .macro  store_before_x
    st      -X, r20
    st      -X, r19
    st      -X, r18
    adiw    r26, 3
    .endm

    .section .text.mcuprof_call, "ax", @progbits
/* The timer's overflow is pending: what its interrupt would do. */
overflow:
    lds     r20, MCUPROF_TIMER_HIGH
    lds     r21, MCUPROF_TIMER_HIGH + 1
    subi    r20, 0xFF
    sbci    r21, 0xFF
    sts     MCUPROF_TIMER_HIGH + 1, r21
    sts     MCUPROF_TIMER_HIGH, r20
    ldi     r20, 1
    out     MCUPROF_TIMER_FLAGS, r20
    lds     r18, MCUPROF_TIMER_COUNT
    lds     r19, MCUPROF_TIMER_COUNT + 1
    ret

/*
 * __cyg_profile_func_enter: what -finstrument-functions calls at each function's entry.
 * In:  r25:r24 the function, r23:r22 its return address, both in words.
 * Out: nothing; clobbers what a function of C may.
 * Where calls were left by longjmp, or no frame is left, goes on to mcuprof_enter().
 * Cycles, call included: 102. Stack: 2 bytes at most.
 */
    .global __cyg_profile_func_enter
    .type   __cyg_profile_func_enter, @function
__cyg_profile_func_enter:
    end_unless_on
    begin
    lds     r30, TOP
    lds     r31, TOP + 1
    in      r26, __SP_L__
    in      r27, __SP_L__ + 1
    ld      r22, Z
    ldd     r23, Z + 1
    cp      r22, r26
    cpc     r23, r27
    brlo    9f
    lds     r22, LIMIT
    lds     r23, LIMIT + 1
    cp      r30, r22
    cpc     r31, r23
    breq    9f
    adiw    r30, FRAME
    sts     TOP + 1, r31
    sts     TOP, r30
    st      Z, r26
    std     Z + 1, r27
    lds     r22, HIDDEN
    lds     r23, HIDDEN + 1
    lds     r24, HIDDEN + 2
    lds     r25, HIDDEN + 3
    sub     r18, r22
    sbc     r19, r23
    sbc     r20, r24
    sbc     r21, r25
    std     Z + 2, r18
    std     Z + 3, r19
    std     Z + 4, r20
    std     Z + 5, r21
    lds     r18, INSIDE
    lds     r19, INSIDE + 1
    add     r22, r18
    adc     r23, r19
    adc     r24, r1
    adc     r25, r1
    sts     HIDDEN, r22
    sts     HIDDEN + 1, r23
    sts     HIDDEN + 2, r24
    sts     HIDDEN + 3, r25
    .irp    at, 6, 7, 8, 9
    std     Z + \at, r1
    .endr
    unmask
    ret
9:
    movw    r20, r26
    unmask
    jmp     mcuprof_enter

/*
 * __cyg_profile_func_exit: at each function's exit, the same. Where the call is not the
 * top one, or its counter not at its own place, or has no room for it, goes on to
 * mcuprof_exit_at().
 * Cycles, call included: 261 to 290. Stack: 2 bytes; 5 before that.
 */
    .global __cyg_profile_func_exit
    .type   __cyg_profile_func_exit, @function
__cyg_profile_func_exit:
    end_unless_on
    begin
    lds     r30, TOP
    lds     r31, TOP + 1
    in      r26, __SP_L__
    in      r27, __SP_L__ + 1
    ld      r0, Z
    cp      r0, r26
    ldd     r0, Z + 1
    cpc     r0, r27
    brne    8f
    movw    r26, r24                    /* mcuprof_own() */
    add     r26, r22
    adc     r27, r23
    lsr     r27
    ror     r26
    andi    r26, MCUPROF_ENTRIES / 2 - 1
    ldi     r27, 2 * MCUPROF_ENTRY_BYTES
    mul     r26, r27
    movw    r26, r0
    clr     r1
    subi    r26, lo8(-(ENTRIES))
    sbci    r27, hi8(-(ENTRIES))
    rcall   compare
    breq    1f
    adiw    r26, MCUPROF_ENTRY_BYTES - COUNT
    rcall   compare
    breq    1f
8:
    rjmp    late
1:
    adiw    r26, 1                      /* is there room for some more? */
    ld      r0, X
    inc     r0
    breq    8b
    adiw    r26, TOTAL_TOP - COUNT - 1
    ld      r0, X
    inc     r0
    breq    8b
    sbiw    r26, TOTAL_TOP - COUNT
    each    sub, sbc, lds, HIDDEN, r18, r19, r20, r21
    each    sub, sbc, ldd, Z+2, r18, r19, r20, r21
    tst     r21
    breq    1f                          /* r20:r18 = total */
    rjmp    long
1:
    ld      r24, X+                     /* count */
    ld      r25, X
    adiw    r24, 1
    st      X, r25
    st      -X, r24
    adiw    r26, 2
    add_to_x r18, r19, r20, r1
    movw    r22, r18                    /* self = total - children */
    movw    r24, r20
    each    sub, sbc, ldd, Z+6, r22, r23, r24, r25
    brpl    2f
    clr     r22                         /* ticks coarser than what is taken off */
    clr     r23
    movw    r24, r22
2:
    add_to_x r22, r23, r24, r25
    load_x                              /* shortest */
    cp      r18, r22
    cpc     r19, r23
    cpc     r20, r24
    brsh    3f
    store_before_x
3:
    load_x                              /* longest */
    cp      r22, r18
    cpc     r23, r19
    cpc     r24, r20
    brsh    4f
    store_before_x
4:
    movw    r26, r30                    /* the caller's children */
    sbiw    r26, 4
    add_to_x r18, r19, r20, r1
    sbiw    r30, FRAME
    sts     TOP + 1, r31
    sts     TOP, r30
    ldi     r26, lo8(HIDDEN)
    ldi     r27, hi8(HIDDEN)
    lds     r22, OUTSIDE
    lds     r23, OUTSIDE + 1
    add_to_x r22, r23, r1, r1
    unmask
    ret

/* The time again, which is in no counter yet. */
long:
    each    add, adc, ldd, Z+2, r18, r19, r20, r21
    each    add, adc, lds, HIDDEN, r18, r19, r20, r21
late:
    push    r14
    push    r16
    push    r17
    clr     r14                         /* interrupts as they were */
    bld     r14, 7
    movw    r16, r18
    movw    r18, r20
    in      r20, __SP_L__
    in      r21, __SP_L__ + 1
    subi    r20, lo8(-3)
    sbci    r21, hi8(-3)
    call    mcuprof_exit_at
    pop     r17
    pop     r16
    pop     r14
    ret

/* Whether the counter at X is of this call: then Z is set. X goes behind its keys. */
compare:
    ld      r0, X+
    cp      r0, r22
    .irp    register, r23, r24, r25
    ld      r0, X+
    cpc     r0, \register
    .endr
    ret
#else
/* The same, all in C: r21:r20 gets the stack pointer. */
    .macro  hook name, goal
    function \name
    end_unless_on
    in      r20, __SP_L__
    in      r21, __SP_L__ + 1
    jmp     \goal
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
#endif
