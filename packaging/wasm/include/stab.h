/* SPDX-License-Identifier: MIT */
/* glibc's <stab.h>, as far as host/image/stabs.c asks for it: types of stabs. */
#ifndef MCUPROF_WASM_STAB_H
#define MCUPROF_WASM_STAB_H

enum {
    N_FUN = 0x24,
    N_SLINE = 0x44,
    N_DSLINE = 0x46,
    N_BSLINE = 0x48,
    N_SO = 0x64,
    N_SOL = 0x84,
};

#endif
