/* SPDX-License-Identifier: MIT */
/* Where things are in struct mcuprof_paths, for assembly; sample.c asserts each. */
#ifndef MCUPROF_PATH_H
#define MCUPROF_PATH_H

#include "mcuprof_layout.h"

#define MCUPROF_PATHS_USED  8
#define MCUPROF_PATHS_ROOT  10
#define MCUPROF_PATHS_KNOWN 12
#define MCUPROF_PATHS_SAID  14
#define MCUPROF_PATHS_LINK  16
#define MCUPROF_PATHS_BLOCK (32 + 20 * MCUPROF_SAMPLES_TIMED + 4 * MCUPROF_BY_TASK)
#define MCUPROF_PATHS_FRAME (MCUPROF_PATHS_BLOCK + 4)
#define MCUPROF_PATHS_SLOT  (MCUPROF_PATHS_FRAME + 4 * MCUPROF_PATH_CACHE)

#define MCUPROF_CONTEXT_FP        12
#define MCUPROF_CONTEXT_REGISTERS 16

#ifdef __ASSEMBLER__
/* clang-format off */
    .set    USED, MCUPROF_PATHS_USED
    .set    ROOT, MCUPROF_PATHS_ROOT
    .set    KNOWN, MCUPROF_PATHS_KNOWN
    .set    SAID, MCUPROF_PATHS_SAID
    .set    LINK, MCUPROF_PATHS_LINK
    .set    BLOCK, MCUPROF_PATHS_BLOCK
    .set    FRAME, MCUPROF_PATHS_FRAME
    .set    SAID_LINK, LINK + 4
    .set    SLOT, MCUPROF_PATHS_SLOT
    .set    SLOT_BYTES, 8
    .set    CACHE_BITS, 3
    .if MCUPROF_PATH_CACHE >= 16
    .set    CACHE_BITS, 4
    .endif
    .if MCUPROF_PATH_CACHE >= 32
    .set    CACHE_BITS, 5
    .endif
    .if MCUPROF_PATH_CACHE >= 64
    .set    CACHE_BITS, 6
    .endif

    /* \register = \value, which may be more than 255. */
    .macro set register, value
    .if \value < 256
    movs    \register, #\value
    .else
    ldr     \register, =\value
    .endif
    .endm
/* clang-format on */
#endif

#endif
