/* SPDX-License-Identifier: MIT */
/* What the random programs share. */
#ifndef ATTACK_H
#define ATTACK_H

#include <setjmp.h>
#include <stdint.h>

#include "board.h"
#include "real.h"

#ifdef __clang__
#define NI __attribute__((noinline))
#else
#define NI __attribute__((noinline, noclone))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned (*fn)(unsigned depth, unsigned number);

extern volatile unsigned sink;
extern volatile unsigned fuel; /* calls that are left in this round */
extern jmp_buf *volatile jump; /* where longjmp() goes */

void spin(unsigned turns);
void touch(unsigned char *bytes, unsigned count);
void rare(unsigned number) __attribute__((cold));
unsigned many(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f,
              unsigned g, unsigned h);
int compare(const void *a, const void *b);

/* What handlers call. */
void handle(unsigned depth, unsigned turns);

#ifdef __cplusplus
}
#endif

#endif
