/* SPDX-License-Identifier: MIT */
/* Random numbers for examples: Marsaglia's xorshift with 13, 17, 5. */
#ifndef XORSHIFT_H
#define XORSHIFT_H

#include <stdint.h>

#include "mcuprof.h"

/* The number after *x, which must not be 0. */
static inline MCUPROF_NOT_PROFILED uint32_t xorshift(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x;
}

#endif
