/* SPDX-License-Identifier: MIT */
/* A delay in steps of one instruction. */
#ifndef DELAY_H
#define DELAY_H

#include "mcuprof.h"

enum { DELAY_STEPS = 64 };

#if __GNUC__ >= 7
#define FALL_THROUGH __attribute__((fallthrough));
#else
#define FALL_THROUGH
#endif
#define NOP    __asm__ volatile("nop");
#define NOPS_8 NOP NOP NOP NOP NOP NOP NOP NOP
#define DELAY_CASE(n)                                                                    \
    case n:                                                                              \
        NOP FALL_THROUGH
#define DELAY_4(n)  DELAY_CASE(n + 3) DELAY_CASE(n + 2) DELAY_CASE(n + 1) DELAY_CASE(n)
#define DELAY_16(n) DELAY_4(n + 12) DELAY_4(n + 8) DELAY_4(n + 4) DELAY_4(n)

/* Each of `steps`, 0 to DELAY_STEPS - 1, takes one instruction more than the one before,
 * and a turn takes fewer than DELAY_STEPS. So all (turns, steps) together skip no
 * instruction. */
static __attribute__((noinline, noclone)) MCUPROF_NOT_PROFILED void delay(unsigned turns,
                                                                          unsigned steps)
{
    while (turns-- > 0) {
        NOPS_8 NOPS_8 NOPS_8 NOPS_8 NOPS_8 NOPS_8
    }
    switch (steps) {
        DELAY_16(48)
        DELAY_16(32)
        DELAY_16(16)
        DELAY_16(0)
    default:
        break;
    }
}

#endif
