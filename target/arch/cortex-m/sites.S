/* SPDX-License-Identifier: MIT */
/* The room for the thunks of `mcuprof patch`: wire/mcuprof_sites.h. */
#include "mcuprof_arch.h"
#include "mcuprof_sites.h"

#if MCUPROF_SITES
    .syntax unified
    .thumb

    .section .text.mcuprof_sites, "ax", %progbits
    .balign 4
    .global mcuprof_sites, mcuprof_thunks
    .type mcuprof_sites, %object
mcuprof_sites:
    .word   0
    .size mcuprof_sites, . - mcuprof_sites

/* Code and data are told apart as those of the thunks to come. */
    .macro room halves
    .rept   \halves
    udf     #0
    .endr
    .endm

    .type mcuprof_thunks, %function
    .thumb_func
mcuprof_thunks:
    .set    place, 0
    .rept   MCUPROF_SITE_PLACES
    .if     MCUPROF_SITES_SHORT && place % MCUPROF_THUNK_GROUP < MCUPROF_THUNK_TAIL
    room    MCUPROF_THUNK_SHORT / 2
    .else
    .if     MCUPROF_SITES_SHORT
    room    (MCUPROF_THUNK_SHORT - MCUPROF_THUNK_STEP) / 2
    .else
    room    (MCUPROF_THUNK_FAST - MCUPROF_THUNK_STEP) / 2
    .endif
    .hword  0
    .word   0, 0
    .endif
    .set    place, place + 1
    .endr
    .size mcuprof_thunks, . - mcuprof_thunks
#endif
