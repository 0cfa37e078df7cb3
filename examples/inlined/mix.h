/* SPDX-License-Identifier: MIT */
/* This code is inlined elsewhere: where does its time show? Marks are as in inlined.c. */
#ifndef MIX_H
#define MIX_H

#include <stdint.h>

#define INLINED static inline __attribute__((always_inline))

INLINED uint32_t turn(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits); /* [6000] */
}

INLINED uint32_t mix(uint32_t value, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        value ^= turn(value, 7) * 0x9E3779B1u; /* [6000] */
        value += value / (i + 3);
    }
    return value;
}

#endif
