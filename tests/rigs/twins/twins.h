/* SPDX-License-Identifier: MIT */
#ifndef TWINS_H
#define TWINS_H

#define ALONE __attribute__((noinline, noclone, noipa))

/* Another build may call step() instead. */
#ifdef TWINS_APART
#define STEP static ALONE
#else
#define STEP static inline __attribute__((always_inline))
#endif

void left(void);
void right(void);

#endif
