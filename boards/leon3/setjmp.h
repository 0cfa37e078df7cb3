/* SPDX-License-Identifier: MIT */
/* Replaces a C library's header: see setjmp.S. */
#ifndef SETJMP_H
#define SETJMP_H

typedef unsigned long long jmp_buf[9]; /* %l0 to %l7, %i0 to %i7, %sp, %o7 */

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);

#endif
