/* SPDX-License-Identifier: MIT */
/* Where things are in struct mcuprof_paths, for assembly; path.c asserts each. */
#ifndef MCUPROF_PATH_H
#define MCUPROF_PATH_H

#include "mcuprof_layout.h"

#define MCUPROF_PATHS_PAGES     0
#define MCUPROF_PATHS_ROWS      2
#define MCUPROF_PATHS_USED      4
#define MCUPROF_PATHS_ROOT      6
#define MCUPROF_PATHS_KNOWN     8
#define MCUPROF_PATHS_SAID      10
#define MCUPROF_PATHS_SAID_LINK 16
#define MCUPROF_PATHS_BLOCK     (28 + 4 * MCUPROF_BY_TASK)
#define MCUPROF_PATHS_FRAME     (MCUPROF_PATHS_BLOCK + 4)
#define MCUPROF_PATHS_SLOT      (MCUPROF_PATHS_FRAME + 4 * MCUPROF_PATH_CACHE)

#define MCUPROF_CONTEXT_SP 4

#ifdef __AVR_3_BYTE_PC__
#define MCUPROF_SLOT_BYTES 8
#else
#define MCUPROF_SLOT_BYTES 4
#endif

#ifdef __ASSEMBLER__
/* clang-format off */
#define __SP_L__  0x3D
#define __SREG__  0x3F
#define __RAMPZ__ 0x3B

    .set    ROOT, MCUPROF_PATHS_ROOT
    .set    PAGES, MCUPROF_PATHS_PAGES
    .set    ROWS, MCUPROF_PATHS_ROWS
    .set    USED, MCUPROF_PATHS_USED
    .set    KNOWN, MCUPROF_PATHS_KNOWN
    .set    SAID, MCUPROF_PATHS_SAID
    .set    SAID_LINK, MCUPROF_PATHS_SAID_LINK
    .set    BLOCK, MCUPROF_PATHS_BLOCK
    .set    FRAME, MCUPROF_PATHS_FRAME
    .set    SLOT, MCUPROF_PATHS_SLOT
    .set    SLOT_BYTES, MCUPROF_SLOT_BYTES
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

/* For each of these registers. */
    .macro  each instruction, registers:vararg
    .irp    register, \registers
    \instruction    \register
    .endr
    .endm

    .macro  function name
    .section .text.\name, "ax", @progbits
    .global \name
    .type   \name, @function
\name:
    .endm
/* clang-format on */
#endif

#endif
