/* SPDX-License-Identifier: MIT */
/* The encoder of samples with paths, as mcuprof_path_encoder.h has it for other ports: see
 * there. */
#include "asm.h"
#include "mcuprof_arch.h"
#include "mcuprof_path_layout.h"
#include "mcuprof_wire.h"

#if MCUPROF_PATHS
    .set    HEAD, mcuprof_state + MCUPROF_HASH_OFFSET + 4
    .set    HASH, mcuprof_state + MCUPROF_HASH_OFFSET
    .set    DUE, HEAD + 2 * MCUPROF_INDEX_BYTES
    .set    BUSY, DUE + 1
    .set    RING, mcuprof_state + MCUPROF_RING_OFFSET
    .set    RING_END, RING + MCUPROF_RING_BYTES

    .section .text.mcuprof_put_path, "ax", @progbits
/* Appends r24, a start byte or a group, at X, and takes it into the hash, r7:r4, and the
 * check, r21:r18. Clobbers r22, r23, r25, Z. */
    .type   put_group, @function
put_group:
    movw    r22, r18
    movw    r30, r20
    lsl     r22
    rol     r23
    rol     r30
    rol     r31
    add     r18, r22
    adc     r19, r23
    adc     r20, r30
    adc     r21, r31
    add     r18, r24
    adc     r19, r1
    adc     r20, r1
    adc     r21, r1
put_byte:                               /* not into the check */
    movw    r22, r4
    mov     r30, r6
    add     r5, r22
    adc     r6, r23
    adc     r7, r30
    add     r4, r24
    adc     r5, r1
    adc     r6, r1
    adc     r7, r1
    st      X+, r24
    cpi     r26, lo8(RING_END)
    brne    1f
    cpi     r27, hi8(RING_END)
    brne    1f                          /* QEMU hangs at a cpse before ret */
    ldi     r26, lo8(RING)
    ldi     r27, hi8(RING)
1:
    ret

/*
 * mcuprof_put_path(r25:r24 paths, r23:r22 frames, r21:r18 pc), as any function of C.
 * There is room.
 * Kept: Y the paths, r2 the frames to come, r3 whether they are all, r10:r8 pc in words,
 * r13:r12 the next frame's slot, r14, r17:r16 its return address, r15 the groups of pc
 * above 2.
 * Stack: 21 bytes, its own return address included; or that of mcuprof_link_start().
 * Cycles: 500 to 650 in the mean by program, 43 of them for each byte.
 */
    function mcuprof_put_path
    for_each push, r2, r3, r4, r5, r6, r7, r8, r9, r10, r12, r13, r14, r15, r16, r17, r28, r29
    movw    r28, r24
    lsr     r20
    ror     r19
    ror     r18
    movw    r8, r18
    mov     r10, r20
    clr     r15
    movw    r30, r18
    andi    r31, 0xC0
    or      r31, r20
    breq    1f
    inc     r15
1:
    ldi     r24, 1
    cpi     r22, MCUPROF_PATH_FRAMES + 1
    brlo    1f
    ldi     r22, MCUPROF_PATH_FRAMES
    clr     r24
1:
    mov     r2, r22
    mov     r3, r24                     /* whether the sample is in this record */
    ldd     r16, Y + KNOWN              /* r16 becomes frames that are known, r17 those gone */
    ldd     r17, Y + KNOWN + 1
    movw    r12, r28
    add     r12, r16
    adc     r13, r17
    ldi     r24, lo8(SLOT)
    add     r12, r24
    ldi     r24, hi8(SLOT)
    adc     r13, r24
    .set    SHIFT, SLOT_BYTES
    .rept   3
    .if     SHIFT > 1
    lsr     r17
    ror     r16
    .set    SHIFT, SHIFT / 2
    .endif
    .endr
    ldd     r17, Y + SAID
    sub     r17, r16

/* The start byte. */
    mov     r14, r16                    /* 0: the shape tells the root */
    ldi     r24, MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH)
    tst     r3
    breq    2f
    add     r16, r2                     /* frames that are known once these are said */
    ldi     r24, MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH_SAMPLE)
    add     r24, r15
    mov     r25, r17
    or      r25, r2
    brne    3f
    tst     r14
    breq    3f
    ldi     r24, MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0)
    sbrc    r15, 0
    subi    r24, lo8(-4)
    set                                 /* T: no shape */
    rjmp    4f
2:
    add     r16, r2
3:
    clt
4:
    std     Y + SAID, r16
    std     Y + SAID + 1, r1
    lds     r4, HASH
    lds     r5, HASH + 1
    lds     r6, HASH + 2
    lds     r7, HASH + 3
    lds     r26, HEAD
#if MCUPROF_INDEX_BYTES == 2
    lds     r27, HEAD + 1
#else
    clr     r27
#endif
    subi    r26, lo8(-(RING))
    sbci    r27, hi8(-(RING))
    rcall   put_byte
    mov     r18, r24
    clr     r19
    clr     r20
    clr     r21
    brtc    5f
    rjmp    .Lpc

/* The shape. */
5:
    mov     r25, r17
    cpi     r25, MCUPROF_WIRE_PATH_DROP_MORE
    brlo    5f
    ldi     r25, MCUPROF_WIRE_PATH_DROP_MORE
5:
    clr     r31
    tst     r14
    brne    6f
    ldd     r25, Y + ROOT
    ldi     r31, MCUPROF_WIRE_PATH_ANEW(0)
6:
    lsl     r25
    lsl     r25
    lsl     r25
    or      r25, r31
    or      r25, r2
    mov     r24, r25
    rcall   put_group
    tst     r14
    breq    .Lframe
    cpi     r17, MCUPROF_WIRE_PATH_DROP_MORE
    brlo    .Lframe
    mov     r24, r17
    rcall   put_group

.Lframe:
    dec     r2
    brpl    6f
    rjmp    .Lpc
6:
    movw    r30, r12
    ldd     r16, Z + 2
    ldd     r17, Z + 3
#ifdef __AVR_3_BYTE_PC__
    ldd     r14, Z + 4
    mov     r25, r14
#endif
    adiw    r30, SLOT_BYTES
    movw    r12, r30
    ldd     r24, Y + KNOWN
    ldd     r25, Y + KNOWN + 1
    adiw    r24, SLOT_BYTES
    std     Y + KNOWN, r24
    std     Y + KNOWN + 1, r25

/* Z = its entry in the cache of return addresses, r23:r22 = its tag. */
    mov     r30, r16
    andi    r30, MCUPROF_PATH_CACHE - 1
    clr     r31
    lsl     r30
    lsl     r30
    add     r30, r28
    adc     r31, r29
    adiw    r30, FRAME
    movw    r22, r16
#ifdef __AVR_3_BYTE_PC__
    mov     r25, r14
#endif
    .rept   CACHE_BITS
#ifdef __AVR_3_BYTE_PC__
    lsr     r25
    ror     r23
#else
    lsr     r23
#endif
    ror     r22
    .endr
    ldd     r25, Y + BLOCK + 1          /* in bits 1 to 7 */
    ldd     r24, Z + 1
    ldd     r0, Z + 2
    cp      r22, r0
    ldd     r0, Z + 3
    cpc     r23, r0
    brne    7f
    eor     r25, r24
    cpi     r25, 2
    brlo    9f                          /* it was said in this block */
    eor     r25, r24
    andi    r24, 1
    or      r24, r25
    rjmp    8f
7:
    andi    r24, 1
8:
    std     Z + 1, r24
#ifdef __AVR_3_BYTE_PC__
    tst     r14
    brne    .Lmiddle
#endif
    cpi     r17, 1 << (MCUPROF_WIRE_PATH_SHORT_BITS - 8)
    brsh    .Lmiddle
    mov     r24, r16
    andi    r24, 31
    ori     r24, MCUPROF_WIRE_PATH_SHORT
    rcall   put_group
    .rept   3
    lsl     r16
    rol     r17
    .endr
    mov     r24, r17
    rjmp    .Lput
9:
    mov     r24, r16
    andi    r24, MCUPROF_WIRE_PLACES - 1
    rjmp    .Lput
.Lmiddle:
    mov     r24, r16
    andi    r24, 15
    ori     r24, MCUPROF_WIRE_PATH_MIDDLE
    rcall   put_group
    .rept   4
#ifdef __AVR_3_BYTE_PC__
    lsr     r14
    ror     r17
#else
    lsr     r17
#endif
    ror     r16
    .endr
    mov     r24, r16
    andi    r24, 0x7F
    rcall   put_group
    lsl     r16
    rol     r17
    mov     r24, r17
.Lput:
    rcall   put_group
    rjmp    .Lframe

.Lpc:                                   /* the program counter */
    tst     r3
    breq    .Lcheck
    inc     r15
    inc     r15
1:
    mov     r24, r8
    andi    r24, 0x7F
    rcall   put_group
    lsl     r8                          /* 7 to the right */
    mov     r8, r9
    rol     r8
    mov     r9, r10
    rol     r9
    clr     r10
    dec     r15
    brne    1b

/* The check, modulo 127: 256 is 2 there, and 128 is 1. */
.Lcheck:
    mov     r22, r21
    clr     r23
    .irp    byte, r20, r19, r18
    lsl     r22
    rol     r23
    add     r22, \byte
    adc     r23, r1
    .endr
    lsl     r22
    rol     r23
    lsr     r22
    add     r22, r23
    cpi     r22, 127
    brlo    2f
    subi    r22, 127
2:
    mov     r24, r22
    rcall   put_byte
    sts     HASH, r4
    sts     HASH + 1, r5
    sts     HASH + 2, r6
    sts     HASH + 3, r7
    subi    r26, lo8(RING)
    sbci    r27, hi8(RING)
#if MCUPROF_INDEX_BYTES == 2
    sts     HEAD + 1, r27
#endif
    sts     HEAD, r26
    lds     r24, DUE
    mov     r25, r24
    andi    r25, 31                     /* else what is due stays due */
    breq    3f
    inc     r24
    sts     DUE, r24
3:
    for_each pop, r29, r28, r17, r16, r15, r14, r13, r12, r10, r9, r8, r7, r6, r5, r4, r3, r2
    lds     r24, BUSY
    tst     r24
    brne    4f
    ldi     r24, 1
    sts     BUSY, r24
    jmp     mcuprof_link_start
4:
    ret
#endif
