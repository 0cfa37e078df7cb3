/* SPDX-License-Identifier: MIT */
/* What the files of arch/ share. Nobody else includes this. */
#ifndef MCUPROF_HOST_ARCH_INTERNAL_H
#define MCUPROF_HOST_ARCH_INTERNAL_H

#include "arch.h"
#include "mcuprof_wire.h"

/* ---- For the table ---- */

extern const struct arch_port port_cortex_m;
extern const struct arch arch_xtensa;
extern const struct arch arch_of_bytes, arch_of_halves, arch_of_words; /* for these only
                                                                        * names are
                                                                        * known */
extern const struct arch arch_unknown; /* for a machine that no other serves */

/* ---- Decoders ---- */

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

/* ---- Compilers' flags ---- */

/* A sibling call would show its callee as called by the caller's caller; link-time
 * optimisation would drop the hook's calls. */
#define ARCH_COUNTS    "-pg -fno-optimize-sibling-calls -fno-lto"
#define ARCH_ARM_LINKS " -Wl,--wrap=__cxa_end_cleanup"

/* GCC's Thumb-1 prologue saves r8 to r11 through lr before it calls the hook: the
 * caller's address is then lost. Without them it has nothing to save. */
#define ARCH_THUMB1 " -ffixed-r8 -ffixed-r9 -ffixed-r10 -ffixed-r11"

#endif
