/* SPDX-License-Identifier: MIT */
/*
 * Include this in place of <setjmp.h> in files whose calls are timed (MCUPROF_CALLS) and
 * that call setjmp(): when a longjmp() comes back there, the calls that it left are known
 * at once, and counted as lost. Without it they are found by the stack being above theirs
 * again, and take a frame of the shadow stack until then; and the end of a function in
 * which one that was left is expanded inline is taken for that one's. It is as setjmp()
 * where calls are not timed.
 */
#ifndef MCUPROF_SETJMP_H
#define MCUPROF_SETJMP_H

#include <setjmp.h>

#include "mcuprof.h"
#include "mcuprof_config.h"

#if MCUPROF_CALLS
#undef setjmp
#define setjmp(env) mcuprof_setjmp_returned(setjmp(env), MCUPROF_STACK_POINTER)
#if defined(__AVR__)
#define MCUPROF_READ_SP "in %A0, 0x3D\n\tin %B0, 0x3E"
#elif defined(__sparc__)
#define MCUPROF_READ_SP "mov %%sp, %0"
#elif defined(__riscv)
#define MCUPROF_READ_SP "mv %0, sp"
#else
#define MCUPROF_READ_SP "mov %0, sp"
#endif
#define MCUPROF_STACK_POINTER                                                            \
    __extension__({                                                                      \
        uintptr_t mcuprof_sp;                                                            \
        __asm__ volatile(MCUPROF_READ_SP : "=r"(mcuprof_sp));                            \
        mcuprof_sp;                                                                      \
    })
#endif
#endif
