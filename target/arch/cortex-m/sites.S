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

/* Each thunk's code and data are told apart as those of the thunks to come. */
    .type mcuprof_thunks, %function
    .thumb_func
mcuprof_thunks:
    .rept   MCUPROF_SITES
    .rept   MCUPROF_THUNK_CODE / 2
    udf     #0
    .endr
    .hword  0
    .word   0, 0
    .endr
    .size mcuprof_thunks, . - mcuprof_thunks
#endif
