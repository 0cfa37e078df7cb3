/* SPDX-License-Identifier: MIT */
/*
 * The walk along the stack, as mcuprof_path.c has it for other ports: see there. From
 * that file GCC 5 makes more than twice the instructions. The unwind table is in flash,
 * perhaps where 16 bits do not reach, so paths.pages and .rows are distances from its
 * begin. Return addresses count words. Their highest byte is first on the stack, their
 * lowest byte is first in slots.
 */
#include "asm.h"
#include "mcuprof_arch.h"
#include "mcuprof_path_layout.h"
#include "mcuprof_unwind.h"
#include "mcuprof_wire.h"

#if MCUPROF_PATHS
#ifndef MCUPROF_STACK_TOP
#define MCUPROF_STACK_TOP __stack
#endif

    .set    MAGIC, MCUPROF_UNWIND_MAGIC
    .set    FRAMES, 24
    .set    AHEAD, SLOT_BYTES * (1 + MCUPROF_PATHS) /* from `none` to the end of the slots */

#ifdef __AVR_HAVE_ELPMX__
    .macro  load to, from
    elpm    \to, \from
    .endm

/* Turns Z, with \above for the bits from 16 on, from a distance behind \offset in the
 * table into an address. */
    .macro  table_z offset, above
    subi    r30, lo8(-(mcuprof_unwind_table + \offset))
    sbci    r31, hi8(-(mcuprof_unwind_table + \offset))
    sbci    \above, hh8(-(mcuprof_unwind_table + \offset))
    out     __RAMPZ__, \above
    .endm

    .macro  back_z bytes, above
    sbiw    r30, \bytes
    sbc     \above, r1
    out     __RAMPZ__, \above
    .endm
#else
    .macro  load to, from
    lpm     \to, \from
    .endm

    .macro  table_z offset, above
    subi    r30, lo8(-(mcuprof_unwind_table + \offset))
    sbci    r31, hi8(-(mcuprof_unwind_table + \offset))
    .endm

    .macro  back_z bytes, above
    sbiw    r30, \bytes
    .endm
#endif

    .macro  start_of_table offset, above
    clr     r30
    clr     r31
    clr     \above
    table_z \offset, \above
    .endm

/* mcuprof_find_table(r25:r24 paths). Context: task. */
    function mcuprof_find_table
#ifdef __AVR_HAVE_ELPMX__
    in      r19, __RAMPZ__
#endif
    movw    r26, r24
    start_of_table 0, r18
    .irp    shift, 0, 8, 16, 24
    load    r20, Z+
    cpi     r20, lo8(MAGIC >> \shift)
    brne    1f
    .endr
    start_of_table 8, r18
    load    r20, Z+                     /* pages */
    load    r21, Z+
    load    r22, Z+                     /* frames */
    load    r23, Z+
    .rept   2
    lsl     r22
    rol     r23
    .endr
    subi    r22, lo8(-FRAMES)           /* no more than 512 frames, 1024 pages */
    sbci    r23, hi8(-FRAMES)
    st      X+, r22
    st      X+, r23
    subi    r20, lo8(-1)
    sbci    r21, hi8(-1)
    lsl     r20
    rol     r21
    add     r20, r22
    adc     r21, r23
    st      X+, r20
    st      X, r21
1:
#ifdef __AVR_HAVE_ELPMX__
    out     __RAMPZ__, r19
#endif
    ret

/* Sets carry if the table covers the byte at the address r24:r22; X is then its page.
 * Clobbers r0, r18 to r21, Z. */
    .section .text.mcuprof_walk, "ax", @progbits
    .type   find_page, @function
find_page:
    start_of_table 5, r18
    load    r20, Z+                     /* base, whose lowest byte is 0 */
    load    r21, Z+
    load    r0, Z+
    load    r18, Z+                     /* pages */
    load    r19, Z
    mov     r26, r23
    mov     r27, r24
    sub     r26, r20
    sbc     r27, r21
    cp      r26, r18
    cpc     r27, r19
    ret

/* r25:r24 = the number of the frame at r24:r22, the address of a byte; 0: nothing is
 * known of it. In: r13:r12 the paths. Clobbers r0, r18 to r27, Z. */
    .type   frame_at, @function
frame_at:
    rcall   find_page
    brcs    1f
    clr     r24
    clr     r25
    ret
1:
    movw    r30, r12
    ldd     r20, Z + PAGES
    ldd     r21, Z + PAGES + 1
    ldd     r18, Z + ROWS
    ldd     r19, Z + ROWS + 1
    lsl     r26
    rol     r27
    movw    r30, r26
    add     r30, r20
    adc     r31, r21
    clr     r25
    table_z 0, r25
    load    r20, Z+                     /* the first row of the page */
    load    r21, Z+
    load    r26, Z+                     /* that of the next page */
    load    r27, Z
    mov     r21, r26
    sub     r21, r20
    clr     r25
    lsl     r26
    rol     r27
    rol     r25
    movw    r30, r26
    add     r30, r18
    adc     r31, r19
    adc     r25, r1
    table_z 1, r25                      /* a row's higher byte: its unit, and 1 bit */
    ori     r22, 1
2:
    back_z  2, r25
    subi    r21, 1
    brcs    3f                          /* the row before the page's first */
    load    r20, Z
    cp      r22, r20
    brlo    2b
3:
    load    r20, Z
    back_z  1, r25
    load    r24, Z
    andi    r20, 1
    mov     r25, r20
    ret

/*
 * mcuprof_walk(r25:r24 paths, r23:r22 context), as any function of C.
 * Kept: r13:r12 the paths, r11:r10 `none`, that is a slot before the first, Y the last slot
 * that is kept or `none`, r15:r14 the first slot that was found, r17:r16 the stack pointer.
 * Stack: 20 bytes, its own return address included; 4 more if those have 3.
 * Cycles: 500 to 1,100 in the mean by program; some 350 of them for each frame that is not
 * remembered.
 */
    function mcuprof_walk
    for_each push, r10, r11, r12, r13, r14, r15, r16, r17, r28, r29
    movw    r12, r24
    movw    r30, r22
    ld      r22, Z
    ldd     r23, Z + 1
    ldd     r24, Z + 2
    ldd     r16, Z + MCUPROF_CONTEXT_SP
    ldd     r17, Z + MCUPROF_CONTEXT_SP + 1
    movw    r26, r12
    subi    r26, lo8(-SLOT)
    sbci    r27, hi8(-SLOT)
    movw    r28, r26
    sbiw    r28, SLOT_BYTES
    movw    r10, r28
    movw    r30, r12
    ldd     r20, Z + USED
    ldd     r21, Z + USED + 1
    add     r20, r26
    adc     r21, r27
1:                                      /* does it lie there still? */
    cp      r26, r20
    cpc     r27, r21
    breq    2f
    ld      r30, X+
    ld      r31, X+
    cp      r30, r16
    cpc     r31, r17
    brlo    2f
    .set    BYTE, PC_BYTES - 1
    .rept   PC_BYTES
    ld      r0, X+
    ldd     r18, Z + BYTE
    cpse    r0, r18
    rjmp    2f
    .set    BYTE, BYTE - 1
    .endr
    adiw    r28, SLOT_BYTES
#if SLOT_BYTES != 2 + PC_BYTES
    adiw    r26, SLOT_BYTES - 2 - PC_BYTES
#endif
    rjmp    1b
2:                                      /* if few are left of a path that was cut, keeps none */
    movw    r30, r12
    ldd     r18, Z + ROOT
    cpi     r18, MCUPROF_WIRE_ROOT_CUT
    brne    3f
    movw    r18, r28
    sub     r18, r10
    sbc     r19, r11
    cpi     r18, SLOT_BYTES * (MCUPROF_PATHS / 4)
    cpc     r19, r1
    brsh    3f
    movw    r28, r10
3:
    movw    r26, r10
    subi    r26, lo8(-AHEAD)
    sbci    r27, hi8(-AHEAD)
    movw    r14, r26
    ldd     r18, Z + ROWS
    ldd     r19, Z + ROWS + 1
    or      r18, r19
    brne    4f
    rjmp    .Lunsure
4:
    rcall   frame_at

.Lstep:                                   /* r25:r24: the number of a frame */
    .rept   2
    lsl     r24
    rol     r25
    .endr
    movw    r30, r24
    clr     r18
    table_z FRAMES, r18
    load    r20, Z+
    load    r21, Z+
    load    r22, Z+
    load    r23, Z
    cpi     r20, PC_BYTES - 1           /* its return address is on the stack */
    brne    .Lspecial
    lsl     r21
    rol     r22
    rol     r23
    add     r22, r16
    adc     r23, r17
    brcs    .Lunsure
    ldi     r18, lo8(MCUPROF_STACK_TOP)
    ldi     r19, hi8(MCUPROF_STACK_TOP)
    cp      r18, r22
    cpc     r19, r23
    brlo    .Lunsure
    movw    r16, r22
    movw    r30, r22
    sbiw    r30, PC_BYTES - 1
1:
    cp      r28, r10
    cpc     r29, r11
    breq    2f
    ld      r18, Y
    ldd     r19, Y + 1
    cp      r30, r18
    cpc     r31, r19
    brlo    2f
    breq    4f
    sbiw    r28, SLOT_BYTES
    rjmp    1b
4:
    rjmp    .Lmet

.Lspecial:
    ldi     r24, MCUPROF_WIRE_ROOT_WHOLE
    cpi     r20, MCUPROF_UNWIND_END
    breq    1f
    ldi     r24, MCUPROF_WIRE_ROOT_INTERRUPT
    cpi     r20, MCUPROF_UNWIND_HANDLER
    breq    1f
.Lunsure:
    ldi     r24, MCUPROF_WIRE_ROOT_UNSURE
1:
    rjmp    .Lended

2:                                      /* a return address: r24:r22 */
#if PC_BYTES == 3
    ld      r24, Z
    ldd     r23, Z + 1
    ldd     r22, Z + 2
#else
    clr     r24
    ld      r23, Z
    ldd     r22, Z + 1
#endif
    mov     r26, r22
    andi    r26, MCUPROF_PATH_CACHE - 1
    clr     r27
    lsl     r26
    lsl     r26
    add     r26, r12
    adc     r27, r13
    adiw    r26, FRAME
    movw    r18, r22
#if PC_BYTES == 3
    mov     r25, r24
#endif
    .rept   CACHE_BITS
#if PC_BYTES == 3
    lsr     r25
    ror     r19
#else
    lsr     r19
#endif
    ror     r18
    .endr
    ld      r20, X+
    ld      r21, X+
    ld      r0, X+
    cp      r0, r18
    ld      r0, X
    cpc     r0, r19
    brne    3f
    andi    r21, 1
    movw    r24, r20
    or      r20, r21
    brne    .Ltake
3:
    rjmp    .Lunknown
.Ltake:                                   /* r25:r24: the number of the frame behind it */
    movw    r30, r14
    sbiw    r30, SLOT_BYTES
    cp      r30, r28
    cpc     r31, r29
    brne    3f
    cp      r28, r10
    cpc     r29, r11
    breq    .Lcut
    sbiw    r28, SLOT_BYTES
3:
    movw    r14, r30
    movw    r26, r16
    sbiw    r26, PC_BYTES - 1
    st      Z, r26
    std     Z + 1, r27
    .set    BYTE, 1 + PC_BYTES
    .rept   PC_BYTES
    ld      r18, X+
    std     Z + BYTE, r18
    .set    BYTE, BYTE - 1
    .endr
    rjmp    .Lstep

.Lcut:                                    /* drops the outer half: the path may become longer */
    movw    r24, r14
    subi    r24, lo8(-(SLOT_BYTES * (MCUPROF_PATHS / 2)))
    sbci    r25, hi8(-(SLOT_BYTES * (MCUPROF_PATHS / 2)))
    movw    r14, r24
    ldi     r24, MCUPROF_WIRE_ROOT_CUT
.Lended:
    movw    r30, r12
    ldd     r18, Z + ROOT
    cp      r18, r24
    breq    1f
    std     Z + ROOT, r24
    ldi     r18, 1                        /* none is: the next sample is no repeat */
    std     Z + SAID_LINK, r18
1:
    movw    r28, r10
.Lmet:                                    /* puts what was found behind what is kept */
    movw    r30, r12
    movw    r18, r28
    sub     r18, r10
    sbc     r19, r11
    ldd     r20, Z + KNOWN
    ldd     r21, Z + KNOWN + 1
    cp      r18, r20
    cpc     r19, r21
    brsh    1f
    std     Z + KNOWN, r18
    std     Z + KNOWN + 1, r19
1:
    movw    r20, r10                    /* the end */
    subi    r20, lo8(-AHEAD)
    sbci    r21, hi8(-AHEAD)
    movw    r26, r14
    add     r18, r20
    adc     r19, r21
    sub     r18, r26
    sbc     r19, r27
    std     Z + USED, r18
    std     Z + USED + 1, r19
    adiw    r28, SLOT_BYTES
2:
    cp      r26, r20
    cpc     r27, r21
    breq    3f
    .rept   SLOT_BYTES
    ld      r0, X+
    st      Y+, r0
    .endr
    rjmp    2b
3:
    for_each pop, r29, r28, r17, r16, r15, r14, r13, r12, r11, r10
    ret

/* A return address that is not remembered, or no return address. X is the last byte of
 * its place in the cache, r19:r18 what is to be written there. */
.Lunknown:
    for_each push, r18, r19, r26, r27
    lsl     r22
    rol     r23
    rol     r24
    rcall   find_page
    brcc    9f
    cpi     r22, 6
    cpc     r23, r1
    cpc     r24, r1
    brlo    9f
    movw    r30, r22
#ifdef __AVR_HAVE_ELPMX__
    mov     r25, r24
#endif
    back_z  4, r25
    load    r18, Z+
    load    r19, Z+
    load    r20, Z+
    load    r21, Z
    andi    r18, 0x0E                   /* call */
    andi    r19, 0xFE
    cpi     r18, 0x0E
    brne    1f
    cpi     r19, 0x94
    breq    3f
1:
    andi    r20, 0xEF                   /* icall, eicall */
    cpi     r20, 0x09
    brne    2f
    cpi     r21, 0x95
    breq    3f
2:
    andi    r21, 0xF0                   /* rcall */
    cpi     r21, 0xD0
    brne    9f
3:
    subi    r22, 1
    sbc     r23, r1
    sbc     r24, r1
    rcall   frame_at
    for_each pop, r27, r26, r19, r18
    st      X, r19
    st      -X, r18
    st      -X, r25
    st      -X, r24
    rjmp    .Ltake
9:
    for_each pop, r27, r26, r19, r18
    rjmp    .Lunsure
#endif
