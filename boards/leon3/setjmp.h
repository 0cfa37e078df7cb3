/* SPDX-License-Identifier: MIT */
/* What a C library would have: see setjmp.S. */
#ifndef SETJMP_H
#define SETJMP_H

typedef unsigned long jmp_buf[2]; /* %sp, %o7: the rest is in the caller's window */

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);

#endif
