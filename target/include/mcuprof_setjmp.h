/* SPDX-License-Identifier: MIT */
/*
 * Include this in place of <setjmp.h> in files that call setjmp(), where calls are
 * timed (MCUPROF_CALLS): when a longjmp() comes back, the shadow stack is taken back to
 * what it was at the setjmp(), and the calls that were left are counted as lost.
 * Without this header such calls are found only when the stack pointer is above theirs,
 * which may be never. Until then they occupy frames; and where one of them or of their
 * callers was expanded inline, or has lowered its stack pointer, the end of another
 * function may be taken for the end of one of them.
 *
 * jmp_buf and longjmp() are those of <setjmp.h>, and so is setjmp() where calls are not
 * timed. This header needs GCC, or a compiler with GCC's statement expressions.
 */
#ifndef MCUPROF_SETJMP_H
#define MCUPROF_SETJMP_H

#include <setjmp.h>

#include "mcuprof.h"
#include "mcuprof_config.h"

#if MCUPROF_CALLS
/* Nothing takes the mark's address, so the compiler keeps it until setjmp() returns
 * again, as it keeps the function's local variables. If its address were taken, another
 * variable could have its bytes by then. */
#undef setjmp
#define setjmp(env)                                                                      \
    __extension__({                                                                      \
        uint32_t mcuprof_mark_ = mcuprof_setjmp_mark();                                  \
                                                                                         \
        mcuprof_setjmp_returned(setjmp(env), mcuprof_mark_);                             \
    })
#endif
#endif
