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

/* Where the indices have 8 bits, all of the ring's state is within reach of loads and stores from
 * mcuprof_state itself: one constant less. Else it is from the hash. */
#if MCUPROF_INDEX_BYTES == 1
    .set    STATE_AT, 0
#else
    .set    STATE_AT, MCUPROF_HASH_OFFSET
#endif
    .set    HASH_AT, MCUPROF_HASH_OFFSET - STATE_AT

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
 * or what lies behind it, is another. r6 is mcuprof_state + STATE_AT, or
 * the hash is at \hash from it. Leaves the number in \moves. 5 cycles. */
    .macro moved moves, hash=HASH_AT
#if MCUPROF_LETS_IN
    ldr     \moves, [r6, #\hash + MOVES] /* 2 */
    adds    \moves, #1                  /* 1 */
    str     \moves, [r6, #\hash + MOVES] /* 2 */
#endif
    .endm


/* For a record that is made in registers (count.inc): r3 is its check's accumulator, r4 the hash, r5
 * where its last byte was written. */

/* Writes \value's lowest group, \group, at r5 + \at. 4 cycles. */
    .macro write_group group, value, at
    lsls    \group, \value, #25         /* 1 */
    lsrs    \group, \group, #25         /* 1 */
    strb    \group, [r5, #\at]          /* 2 */
    .endm
/* r7 is a sum of groups, each 257 times more than the next: a step of the hash for all of them at
 * once, and of the check, for 257 is 3 modulo 127. This makes place for another group. Clobbers
 * r6. 2 cycles. */
    .macro next_group
    lsls    r6, r7, #8                  /* 1 */
    adds    r7, r6                      /* 1 */
    .endm
/* Adds r7, three groups, to r3, the check's accumulator, and to r4, the hash. Clobbers r6.
 * 7 cycles. */
    .macro add_groups
    movs    r6, #27                     /* 1 */
    muls    r3, r6, r3                  /* 1 */
    adds    r3, r7                      /* 1 */
    ldr     r6, =257 * 257 * 257        /* 2 */
    muls    r4, r6, r4                  /* 1 */
    adds    r4, r7                      /* 1 */
    .endm
/* Appends the three groups of \value. Clobbers r6, r7 and \value. 25 cycles. */
    .macro append_three value
    write_group r7, \value, 1           /* 4 */
    next_group                          /* 2 */
    lsls    r6, \value, #18             /* 1 */
    lsrs    r6, r6, #25                 /* 1 */
    strb    r6, [r5, #2]                /* 2 */
    adds    r7, r6                      /* 1 */
    next_group                          /* 2 */
    lsrs    \value, \value, #14         /* 1 */
    strb    \value, [r5, #3]            /* 2 */
    adds    r7, \value                  /* 1 */
    add_groups                          /* 7 */
    adds    r5, #3                      /* 1 */
    .endm

/* Appends a group behind others that were written. Clobbers r6. 9 cycles. */
    .macro append_byte group, written=0
    adds    r5, #1 + \written           /* 1 */
    strb    \group, [r5]                /* 2 */
    lsls    r6, r3, #1                  /* 1 */
    adds    r3, r6                      /* 1 */
    adds    r3, \group                  /* 1 */
    append_hash \group                  /* 3 */
    .endm
    .macro append_hash group
    lsls    r6, r4, #8                  /* 1 */
    adds    r4, r6                      /* 1 */
    adds    r4, \group                  /* 1 */
    .endm
/* clang-format on */

#endif
