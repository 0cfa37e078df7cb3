/* SPDX-License-Identifier: MIT */
/* The compiler's flags that ports share. Private to arch/. */
#ifndef MCUPROF_HOST_ARCH_FLAGS_H
#define MCUPROF_HOST_ARCH_FLAGS_H

/* A sibling call would show its callee as called by the caller's caller; link-time
 * optimisation would drop the hook's calls. */
#define ARCH_COUNTS "-pg -fno-optimize-sibling-calls -fno-lto"

/* GCC's Thumb-1 prologue saves r8 to r11 through lr before it calls the hook: the
 * caller's address is then lost. Without them it has nothing to save. */
#define ARCH_THUMB1 " -ffixed-r8 -ffixed-r9 -ffixed-r10 -ffixed-r11"

#endif
