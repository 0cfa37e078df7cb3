/* SPDX-License-Identifier: MIT */
/* Where the ring's indices are, for assembly. */
#ifndef MCUPROF_RING_PLACES_H
#define MCUPROF_RING_PLACES_H

#include "mcuprof_layout.h"

/* clang-format off */
    /* distances from the hash */
    .set    HEAD, MCUPROF_HEAD_DISTANCE
    .set    TAIL, MCUPROF_TAIL_DISTANCE
    .set    DUE, MCUPROF_DUE_DISTANCE
    .set    MOVES, MCUPROF_MOVES_DISTANCE

/* \to = the index at this distance from the hash, which is at \hash. */
    .macro load_index to, hash, distance
#if MCUPROF_INDEX_BYTES == 2
    ldrh    \to, [\hash, #\distance]
#else
    ldrb    \to, [\hash, #\distance]   /* 2 */
#endif
    .endm

/* \index modulo the ring's size. */
    .macro wrap index
#if MCUPROF_RING_BYTES == 256
    uxtb    \index, \index              /* 1 */
#else
    .set    BITS, 0
    .set    BYTES, MCUPROF_RING_BYTES
    .rept   16
    .if BYTES > 1
    .set    BYTES, BYTES / 2
    .set    BITS, BITS + 1
    .endif
    .endr
    lsls    \index, \index, #32 - BITS  /* 1 */
    lsrs    \index, \index, #32 - BITS  /* 1 */
#endif
    .endm

/* \head = the next place in the ring. */
    .macro advance head
    adds    \head, #1                   /* 1 */
    wrap    \head                       /* 1 */
    .endm
/* Appends the group r7 of a record that is being made: r0 its check's accumulator, r3 the ring, r4
 * the hash, r5 the head. Clobbers r1. 10 cycles. */
    .macro append_group
    strb    r7, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    lsls    r1, r0, #1                  /* 1 */
    adds    r0, r1                      /* 1 */
    adds    r0, r7                      /* 1 */
    lsls    r1, r4, #8                  /* 1 */
    adds    r4, r1                      /* 1 */
    adds    r4, r7                      /* 1 */
    .endm
/* Appends the check of a record, of whose bytes r0 has the accumulator: modulo 127, where 128 is 1.
 * r3 is the ring, r4 the hash, r5 the head. Clobbers r1. */
    .macro append_check
.Lmodulo\@:
    lsrs    r1, r0, #7                  /* 1 */
    lsls    r0, r0, #25                 /* 1 */
    lsrs    r0, r0, #25                 /* 1 */
    adds    r0, r1                      /* 1 */
    cmp     r0, #127                    /* 1 */
    bhi     .Lmodulo\@                  /* 2 */
    bne     .Lcheck\@                   /* 2 */
    movs    r0, #0
.Lcheck\@:
    strb    r0, [r3, r5]                /* 2 */
    advance r5                          /* 2 */
    lsls    r1, r4, #8                  /* 1 */
    adds    r4, r1                      /* 1 */
    adds    r4, r0                      /* 1 */
    .endm
/* Counts a change in mcuprof_state.moves: other code that is making a record then sees that the ring,
 * or what lies behind it, is another. r6 is the address of the hash. Leaves the number in \moves.
 * 5 cycles. */
    .macro moved moves
#if MCUPROF_LETS_IN
    ldr     \moves, [r6, #MOVES]        /* 2 */
    adds    \moves, #1                  /* 1 */
    str     \moves, [r6, #MOVES]        /* 2 */
#endif
    .endm
/* clang-format on */

#endif
