/* SPDX-License-Identifier: MIT */
/* Replaces a C library's header: see setjmp.S. */
#ifndef SETJMP_H
#define SETJMP_H

typedef unsigned long jmp_buf[14]; /* ra, sp, s0 to s11 */

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);

#endif
