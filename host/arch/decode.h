/* SPDX-License-Identifier: MIT */
/* What decoders share. Private to arch/. */
#ifndef MCUPROF_HOST_ARCH_DECODE_H
#define MCUPROF_HOST_ARCH_DECODE_H

#include "arch.h"

static inline uint32_t arch_word(const uint8_t *bytes, unsigned size, bool big_endian)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < size; i++)
        word = word << 8 | bytes[big_endian ? i : size - 1 - i];
    return word;
}

/* The low `bits` of the word as a number with a sign. */
static inline uint64_t arch_signed(uint32_t word, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1), value = word & (sign | (sign - 1));
    return (value ^ sign) - sign;
}

static inline void arch_goes_to(const struct arch_code *code,
                                struct arch_instruction *found, enum arch_kind kind,
                                uint64_t target)
{
    found->kind = kind;
    found->target = code->wide ? target : (uint32_t)target;
}

#endif
