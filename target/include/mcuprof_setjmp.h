/* SPDX-License-Identifier: MIT */
/*
 * Include this in place of <setjmp.h>, in all files that use a jmp_buf, where calls are
 * timed (MCUPROF_CALLS): a longjmp() then takes the shadow stack back to what it was at
 * the setjmp(), and the calls that it leaves are counted as lost. Without it they are
 * found when the stack is above theirs, which may be never: until then they take frames,
 * and where one of them, or of their callers, was expanded inline or has lowered its
 * stack pointer, another function's end may be taken for theirs.
 *
 * jmp_buf, setjmp() and longjmp() are used as ever. Where calls are not timed, this is
 * <setjmp.h>.
 */
#ifndef MCUPROF_SETJMP_H
#define MCUPROF_SETJMP_H

#include <setjmp.h>

#include "mcuprof.h"
#include "mcuprof_config.h"

#if MCUPROF_CALLS
typedef struct {
    jmp_buf env;
    struct mcuprof_mark mark;
} mcuprof_jmp_buf[1];

#undef setjmp
#undef longjmp
#define jmp_buf                mcuprof_jmp_buf
#define setjmp(buffer)         mcuprof_setjmp_returned(setjmp((buffer)->env), &(buffer)->mark)
#define longjmp(buffer, value) longjmp((buffer)->env, value)
#endif
#endif
