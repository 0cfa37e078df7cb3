/* SPDX-License-Identifier: MIT */
/* Where things are in struct mcuprof_paths and struct mcuprof_context, for assembly;
 * mcuprof_control.c asserts each. */
#ifndef MCUPROF_PATH_LAYOUT_H
#define MCUPROF_PATH_LAYOUT_H

#include "mcuprof_layout.h"

/* in struct mcuprof */
#define MCUPROF_PATHS_OFFSET (MCUPROF_RING_OFFSET + MCUPROF_RING_BYTES)

#define MCUPROF_PATHS_PAGES     0
#define MCUPROF_PATHS_ROWS      __SIZEOF_POINTER__
#define MCUPROF_PATHS_USED      (2 * __SIZEOF_POINTER__)
#define MCUPROF_PATHS_ROOT      (MCUPROF_PATHS_USED + 2)
#define MCUPROF_PATHS_SAYING    (MCUPROF_PATHS_USED + 3)
#define MCUPROF_PATHS_KNOWN     (MCUPROF_PATHS_USED + 4)
#define MCUPROF_PATHS_SAID      (MCUPROF_PATHS_USED + 6)
#define MCUPROF_PATHS_LINK      (MCUPROF_PATHS_USED + 8)
#define MCUPROF_PATHS_SAID_LINK (MCUPROF_PATHS_USED + 12)
#define MCUPROF_PATHS_SAID_PC   (MCUPROF_PATHS_USED + 16)
#define MCUPROF_PATHS_REPEATS   (MCUPROF_PATHS_USED + 20)
#define MCUPROF_PATHS_SAID_USED (MCUPROF_PATHS_USED + 22)
#define MCUPROF_PATHS_TASK      (MCUPROF_PATHS_BLOCK - 8) /* if MCUPROF_BY_TASK */
#define MCUPROF_PATHS_CONTEXT   (MCUPROF_PATHS_BLOCK - 4) /* as well */
#define MCUPROF_PATHS_BLOCK                                                              \
    (MCUPROF_PATHS_USED + 24 + 20 * MCUPROF_SAMPLES_TIMED + 8 * MCUPROF_BY_TASK)
#define MCUPROF_PATHS_FRAME (MCUPROF_PATHS_BLOCK + 4)
#ifdef MCUPROF_S_WALK
#define MCUPROF_PATHS_SLOT                                                               \
    (MCUPROF_PATHS_FRAME + 4 * MCUPROF_PATH_CACHE + __SIZEOF_POINTER__)
#else
#define MCUPROF_PATHS_SLOT (MCUPROF_PATHS_FRAME + 4 * MCUPROF_PATH_CACHE)
#endif

#define MCUPROF_CONTEXT_PC        0
#define MCUPROF_CONTEXT_SP        4
#define MCUPROF_CONTEXT_TOP       (4 + __SIZEOF_POINTER__)
#define MCUPROF_CONTEXT_FP        (4 + 2 * __SIZEOF_POINTER__)
#define MCUPROF_CONTEXT_REGISTERS (4 + 3 * __SIZEOF_POINTER__)

#ifdef __ASSEMBLER__
/* clang-format off */
    .set    PAGES, MCUPROF_PATHS_PAGES
    .set    ROWS, MCUPROF_PATHS_ROWS
    .set    USED, MCUPROF_PATHS_USED
    .set    ROOT, MCUPROF_PATHS_ROOT
    .set    SAYING, MCUPROF_PATHS_SAYING
    .set    KNOWN, MCUPROF_PATHS_KNOWN
    .set    SAID, MCUPROF_PATHS_SAID
    .set    LINK, MCUPROF_PATHS_LINK
    .set    SAID_LINK, MCUPROF_PATHS_SAID_LINK
    .set    SAID_PC, MCUPROF_PATHS_SAID_PC
    .set    REPEATS, MCUPROF_PATHS_REPEATS
    .set    SAID_USED, MCUPROF_PATHS_SAID_USED
    .set    WHOSE, MCUPROF_PATHS_TASK
    .set    BLOCK, MCUPROF_PATHS_BLOCK
    .set    CONTEXT, MCUPROF_PATHS_CONTEXT
    .set    FRAME, MCUPROF_PATHS_FRAME
    .set    SLOT, MCUPROF_PATHS_SLOT
    .set    SLOTS, mcuprof_state + MCUPROF_PATHS_OFFSET + SLOT /* the first one's address */
    .set    CACHE_BITS, 3 /* the exponent of MCUPROF_PATH_CACHE */
    .if MCUPROF_PATH_CACHE >= 16
    .set    CACHE_BITS, CACHE_BITS + 1
    .endif
    .if MCUPROF_PATH_CACHE >= 32
    .set    CACHE_BITS, CACHE_BITS + 1
    .endif
    .if MCUPROF_PATH_CACHE >= 64
    .set    CACHE_BITS, CACHE_BITS + 1
    .endif
/* clang-format on */
#endif

#endif
