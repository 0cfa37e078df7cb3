/* SPDX-License-Identifier: MIT */
/* Where a key's counter is, for assembly. */
#ifndef MCUPROF_ENTRY_H
#define MCUPROF_ENTRY_H

#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

/* clang-format off */
    /* With RTT's control block before them, entries may be out of a load's reach. */
#if MCUPROF_RTT && MCUPROF_ENTRIES_OFFSET + MCUPROF_ENTRY_BYTES + 12 > 124
    .set    NEAR, MCUPROF_RING_STATE_BYTES
#else
    .set    NEAR, 0
#endif
    /* distances from mcuprof_state to a key's first entry, once NEAR + 2 * ENTRY_BYTES * pair is added
     * to it */
    .set    FROM, MCUPROF_ENTRIES_OFFSET - NEAR
    .set    TO, FROM + 4
    .set    COUNT, FROM + 8
    .set    TASK, FROM + 12
    .set    ENTRY_BYTES, MCUPROF_ENTRY_BYTES
#if MCUPROF_ENTRIES > 1
    .set    SECOND, ENTRY_BYTES
#else
    .set    SECOND, 0
#endif

/* Adds 2 * ENTRY_BYTES * pair to \at, which is mcuprof_state, for \hash = 16 * pair. Clobbers \hash. */
    .macro add_pair at, hash
#if MCUPROF_ENTRIES > 2
#if MCUPROF_CALLS && MCUPROF_BY_TASK    /* 64 * pair */
    lsls    \hash, \hash, #2
#elif MCUPROF_CALLS                     /* 56 * pair */
    lsrs    \hash, \hash, #1
    subs    \at, \hash
    lsls    \hash, \hash, #3
#elif MCUPROF_BY_TASK                   /* 32 * pair */
    lsls    \hash, \hash, #1
#else                                   /* 24 * pair */
    adds    \at, \hash                  /* 1 */
    lsrs    \hash, \hash, #1            /* 1 */
#endif
    adds    \at, \hash                  /* 1 */
#endif
    .endm

/* Adds NEAR to \at. */
    .macro go_near at
    .if     NEAR
    adds    \at, #NEAR
    .endif
    .endm

/* Does both for the key of \from and \to. Clobbers \hash and \scratch. If \first is the number of
 * a set's pairs less 1, the pair is the first of its set. */
    .macro locate_sum at, from, to, hash, scratch, first=0
#if MCUPROF_ENTRIES > 2
    adds    \hash, \from, \to          /* 1 */
#if MCUPROF_ENTRIES <= 32
    movs    \scratch, #((MCUPROF_ENTRIES / 2 - 1 - \first) * 16) /* 1 */
#else
    ldr     \scratch, =((MCUPROF_ENTRIES / 2 - 1 - \first) * 16)
#endif
    ands    \hash, \scratch             /* 1 */
    add_pair \at, \hash                 /* 3 */
#endif
    go_near \at
    .endm

/* Does the same for a key whose two addresses are \address, or \address and the one before it. */
    .macro locate at, address, hash, scratch
    locate_sum \at, \address, \address, \hash, \scratch
    .endm

/* \context = the number to which an event is counted: that of interrupt \interrupt or, where
 * \interrupt is 0, that of the task that runs. */
    .macro whose context, interrupt, scratch
    cmp     \interrupt, #0              /* 1 */
    beq     .Ltask\@                    /* 2 */
    movs    \context, #0x1000 >> 8 /* 1 */
    lsls    \context, \context, #8      /* 1 */
    adds    \context, \context, \interrupt /* 1 */
    b       .Lwhose\@                   /* 2 */
.Ltask\@:
    ldr     \scratch, =mcuprof_state    /* 2 */
    ldr     \context, [\scratch, #MCUPROF_TASK_OFFSET] /* 2 */
.Lwhose\@:
    .endm
/* clang-format on */

#endif
