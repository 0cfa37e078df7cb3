/* SPDX-License-Identifier: MIT */
/* The hooks of timed calls. */
#include "asm.h"
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_CALLS
    .macro  end_unless_on
    lds     r18, mcuprof_state + MCUPROF_HOOKS_ON_OFFSET
    sbrs    r18, 0
    ret
    .endm

#ifdef MCUPROF_S_CALLS
/* Addresses in mcuprof_state: the shadow stack, its times, the calls lost. Distances in a frame, which is
 * stack, entered, children, and in a counter, which is its keys, count, total, self, shortest, longest. */
#define ENTRIES  (mcuprof_state + MCUPROF_ENTRIES_OFFSET)
#define TOP      (ENTRIES - 42)
#define FRAMES   (ENTRIES + MCUPROF_ENTRY_BYTES * MCUPROF_ENTRIES + MCUPROF_RING_BYTES)
#define ABOVE    (FRAMES + FRAME * (1 + MCUPROF_DEPTH))
#define HIDDEN   (TOP + 4)
#define BEYOND   (TOP + 8)
#define INSIDE   (TOP + 14)
#define OUTSIDE  (TOP + 18)
#define OTHER    (TOP + 22)
#define LOST     (mcuprof_state + MCUPROF_RANDOM_OFFSET + 4 * MCUPROF_RANDOM + 8 * MCUPROF_KINDS - 4)
#define FRAME    10
#define ENTERED  2
#define CHILDREN 6
#define COUNT    4
#define TOTAL_TOP 9

/* Begins a hook, and masks interrupts until its end, at `advance` or `go_back`. The clock is then in r21:r18,
 * the top frame in Z, and T is clear. Code that takes more than the hooks' measured cost sets T. */
    .macro  begin
    in      r0, __SREG__
    push    r0
    cli
    rcall   top_and_clock
    .endm

    .macro  load_x to
    ldi     r26, lo8(\to)
    ldi     r27, hi8(\to)
    .endm

    .macro  load_sp
    in      r26, __SP_L__
    in      r27, __SP_L__ + 1
    .endm

/* Subtracts the 4 bytes at \base from r21:r18, or adds them: \first is sub or add, \then the same with carry,
 * \load what reads them. */
    .macro  each first, then, load, base
    \load    r0, \base
    \first   r18, r0
    \load    r0, \base + 1
    \then    r19, r0
    \load    r0, \base + 2
    \then    r20, r0
    \load    r0, \base + 3
    \then    r21, r0
    .endm

/* r21:r18 = 0: ticks are coarse, so more was taken off than there was. */
    .macro  none
    clr     r18
    clr     r19
    movw    r20, r18
    .endm

    .macro  top_frame_is_z
    sts     TOP + 1, r31
    sts     TOP, r30
    .endm

/* Sets the flag Z if the counter at X is of this call. X goes behind its keys. */
    .macro  compare
    ld      r0, X+
    cp      r0, r22
    .irp    register, r23, r24, r25
    ld      r0, X+
    cpc     r0, \register
    .endr
    .endm

/* Sets the 24 bits at X to r20:r18, unless the branch \unless is taken after comparing it with them. X goes
 * behind them. */
    .macro  replace unless
    ld      r22, X+
    ld      r23, X+
    ld      r24, X+
    cp      r18, r22
    cpc     r19, r23
    cpc     r20, r24
    \unless  0f
    st      -X, r20
    st      -X, r19
    st      -X, r18
    adiw    r26, 3
0:
    .endm

/*
 * __cyg_profile_func_enter: what -finstrument-functions calls at each function's entry.
 * In:  r25:r24 the function, r23:r22 its return address, both in words.
 * Out: nothing; clobbers what a function of C may.
 * Cycles, call included: 112; stopped 11. Stack, a program counter having 2 bytes: 5 to 9.
 */
    function __cyg_profile_func_enter, mcuprof_call
    end_unless_on
    begin
.Llast:
    load_sp
    ld      r22, Z
    ldd     r23, Z + 1
    cp      r26, r22
    cpc     r27, r23
    breq    2f                          /* it may be expanded inline */
    brsh    3f
2:
    adiw    r30, FRAME
    top_frame_is_z
    ldi     r24, hi8(ABOVE)
    cpi     r30, lo8(ABOVE)
    cpc     r31, r24
    breq    4f
    st      Z, r26
    std     Z + 1, r27
    std     Z + ENTERED, r18
    std     Z + ENTERED + 1, r19
    std     Z + ENTERED + 2, r20
    std     Z + ENTERED + 3, r21
    .irp    at, 0, 1, 2, 3
    std     Z + CHILDREN + \at, r1
    .endr
    movw    r22, r18
    movw    r24, r20
    lds     r18, INSIDE
    lds     r19, INSIDE + 1

/* Takes r19:r18 off the clock, or, with T set, all time since the clock was r25:r22; then ends. */
advance:
    lds     r0, HIDDEN
    add     r0, r18
    sts     HIDDEN, r0
    lds     r0, HIDDEN + 1
    adc     r0, r19
    sts     HIDDEN + 1, r0
    brcc    1f
    clr     r20
    clr     r21
    load_x  HIDDEN + 2
    rcall   add_upper
1:
    brts    2f
end:
    pop     r0
    out     __SREG__, r0
    ret

3:
    rcall   forget_left
    brcc    .Llast
4:                                      /* no frame is left for it */
    load_x  BEYOND
    ld      r24, X+
    ld      r25, X
    adiw    r24, 1
    breq    5f                          /* it stays at its maximum */
    st      X, r25
    st      -X, r24
5:
    rcall   mcuprof_call_lost

/* Sets the clock back to r21:r18, and ends. */
go_back:
    movw    r22, r18
    movw    r24, r20
2:
    lds     r0, INSIDE                  /* about the time of the code outside of this */
    sub     r22, r0
    lds     r0, INSIDE + 1
    sbc     r23, r0
    sbc     r24, r1
    sbc     r25, r1
    rcall   mcuprof_hide
    rjmp    end

/* mcuprof_hide(r25:r22 clock) */
    function mcuprof_hide, mcuprof_call
    rcall   clock
    sub     r18, r22
    sbc     r19, r23
    sbc     r20, r24
    sbc     r21, r25
    load_x  OTHER
    rcall   add_to_x
    load_x  HIDDEN
/* Adds r21:r18 to 4 bytes at X, which goes on behind them. */
add_to_x:
    ld      r0, X
    add     r0, r18
    st      X+, r0
    ld      r0, X
    adc     r0, r19
    st      X+, r0
add_upper:                              /* adds the upper two and the carry */
    ld      r0, X
    adc     r0, r20
    st      X+, r0
    ld      r0, X
    adc     r0, r21
    st      X+, r0
    ret

/* `begin` calls this: Z = the top frame, T is cleared, and the clock follows. */
top_and_clock:
    clt
    lds     r30, TOP
    lds     r31, TOP + 1
/* r21:r18 = the clock: the time less what is hidden. */
clock:
    lds     r18, MCUPROF_TIMER_COUNT
    lds     r19, MCUPROF_TIMER_COUNT + 1
    lds     r20, MCUPROF_TIMER_HIGH
    lds     r21, MCUPROF_TIMER_HIGH + 1
    sbic    MCUPROF_TIMER_FLAGS, 0
    rjmp    overflow
    each    sub, sbc, lds, HIDDEN
    ret

/* Does what the timer's overflow interrupt would do, for it is pending; then reads anew. */
overflow:
    subi    r20, 0xFF
    sbci    r21, 0xFF
    sts     MCUPROF_TIMER_HIGH + 1, r21
    sts     MCUPROF_TIMER_HIGH, r20
    ldi     r18, 1
    out     MCUPROF_TIMER_FLAGS, r18
    rjmp    clock

/* Drops the top frame, at Z, whose stack pointer is below X: its call was left by longjmp, and its children
 * become its caller's. Calls without a frame, on top, are dropped only if the frame below them was left, too;
 * if it was not, this returns with carry set and Z = that frame. Carry is clear otherwise. Keeps r25:r18. */
forget_left:
    ldd     r0, Z + 1                   /* 0 only at ABOVE */
    tst     r0
    brne    3f
    sbiw    r30, FRAME
    ld      r0, Z
    cp      r0, r26
    ldd     r0, Z + 1
    cpc     r0, r27
    brlo    2f
    sec
    ret
2:
    sts     BEYOND, r1
    sts     BEYOND + 1, r1
3:
    movw    r26, r30
    adiw    r26, CHILDREN
    sbiw    r30, FRAME - CHILDREN
    push    r25
    ldi     r25, 4
    clc
1:                                      /* its children are its caller's */
    ld      r0, X+
    ld      r1, Z
    adc     r0, r1
    st      Z+, r0
    dec     r25
    brne    1b
    pop     r25
    clr     r1
    sbiw    r30, FRAME
    top_frame_is_z
    set
/* Clobbers r0 and X; carry is clear. */
    function mcuprof_call_lost, mcuprof_call
    load_x  LOST
1:
    ld      r0, X
    inc     r0
    st      X+, r0
    brne    2f
    cpi     r26, lo8(LOST + 4)
    brne    1b
2:
    clc
    ret

/*
 * __cyg_profile_func_exit: what -finstrument-functions calls at each function's exit, with
 * the same registers.
 * Cycles, call included: 279 to 307 where the counter is at its own place. Stack: 5 to 9
 * bytes; if it is not there, 9 (with MCUPROF_WAIT 10) and mcuprof_call_counter()'s.
 */
    function __cyg_profile_func_exit, mcuprof_call
    end_unless_on
    begin
1:
    load_sp
    ld      r0, Z
    cp      r0, r26
    ldd     r0, Z + 1
    cpc     r0, r27
    breq    3f
    brsh    2f
    rcall   forget_left
    brcc    1b
    load_x  BEYOND                      /* this one has no frame */
    ld      r24, X+
    ld      r25, X
    sbiw    r24, 1
    st      X, r25
    st      -X, r24
    brne    5f
    top_frame_is_z
5:
    rjmp    go_back
2:                                      /* not the top call */
    inc     r0
    breq    5b                          /* it began before the profiler */
3:                                      /* the top call; or it has lowered its stack pointer */
    each    sub, sbc, ldd, Z + ENTERED
    tst     r21                         /* r21:r18 = total */
    brne    6f
7:
    mov     r26, r24                    /* mcuprof_own() */
    add     r26, r22
    andi    r26, MCUPROF_ENTRIES - 2
    ldi     r27, MCUPROF_ENTRY_BYTES
    mul     r26, r27
    movw    r26, r0
    clr     r1
    subi    r26, lo8(-(ENTRIES))
    sbci    r27, hi8(-(ENTRIES))
    compare
    breq    1f
    adiw    r26, MCUPROF_ENTRY_BYTES - COUNT
    compare
    breq    1f
2:
    ldi     r30, lo8(gs(mcuprof_call_counter))
    ldi     r31, hi8(gs(mcuprof_call_counter))
    rcall   in_c
    movw    r26, r24
    adiw    r26, COUNT
    sbiw    r24, 0
    brne    3f
    rjmp    4f
6:
    brpl    2b
    none
    rjmp    7b
1:                                      /* is there room for some more? */
    adiw    r26, 1
    ld      r0, X
    inc     r0
    breq    2b
    adiw    r26, TOTAL_TOP - COUNT - 1
    ld      r0, X
    tst     r0
    brmi    2b
    sbiw    r26, TOTAL_TOP - COUNT
3:
    ld      r24, X
    subi    r24, 0xFF
    st      X+, r24
    ld      r24, X
    sbci    r24, 0xFF
    st      X+, r24
    rcall   add_to_x
    movw    r22, r18
    movw    r24, r20
    each    sub, sbc, ldd, Z + CHILDREN
    brpl    8f
    none
8:
    rcall   add_to_x                    /* self */
    movw    r18, r22
    movw    r20, r24
    replace brsh                        /* shortest */
    replace brlo                        /* longest */
    tst     r21
    breq    4f
    movw    r24, r26
    sbiw    r24, MCUPROF_ENTRY_BYTES
    ldi     r30, lo8(gs(mcuprof_send_counter))
    ldi     r31, hi8(gs(mcuprof_send_counter))
    rcall   in_c
4:
    movw    r26, r30                    /* its caller's children */
    sbiw    r26, FRAME - CHILDREN
    rcall   add_to_x
    sbiw    r30, FRAME
    top_frame_is_z
    brtc    5f
    each    add, adc, ldd, Z + FRAME + ENTERED
    movw    r22, r18
    movw    r24, r20
5:
    lds     r18, OUTSIDE
    lds     r19, OUTSIDE + 1
    rjmp    advance

/* Calls the function of C at Z with r25:r18 as they are and r16, the state of interrupts before. Returns
 * what it returns; Z = the top frame; keeps r21:r18. */
in_c:
    .irp    register, r21, r20, r19, r18
    push    \register
    .endr
#if MCUPROF_WAIT
    push    r16
    load_sp
    adiw    r26, 6 + PC_BYTES
    ld      r16, X
    icall
    pop     r16
#else
    icall
#endif
    .irp    register, r18, r19, r20, r21
    pop     \register
    .endr
    lds     r30, TOP
    lds     r31, TOP + 1
    set
    ret
#else
/* The same hooks in C, which get the stack pointer in r21:r20. */
    .macro  hook name, goal
    function \name, mcuprof_call
    end_unless_on
    in      r20, __SP_L__
    in      r21, __SP_L__ + 1
    jmp     \goal
    .endm

    hook    __cyg_profile_func_enter, mcuprof_enter
    hook    __cyg_profile_func_exit, mcuprof_exit
#endif
#endif
