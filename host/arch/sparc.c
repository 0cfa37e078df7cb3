/* SPDX-License-Identifier: MIT */
/*
 * SPARC: code is big-endian words, and the instruction behind a branch is run, too.
 * Source of the encodings: The SPARC Architecture Manual, Version 9 (CALL, Bicc, BPcc,
 * FBfcc, FBPfcc, BPr, JMPL), and Version 8 (CBccc).
 */
#include "internal.h"

enum { ALWAYS = 8 };

/* How many bits a branch's distance, in words, has; 0: it is no branch. */
static unsigned distance_bits(uint32_t word)
{
    static const uint8_t of_kind[8] = {0, 19, 22, 16, 0, 19, 22, 22};
    return word >> 30 == 0 ? of_kind[word >> 22 & 7] : 0;
}

/* A branch with the annul bit that is always taken runs nothing behind it: GNU as fills
 * gaps between functions with such branches. */
static void decode_branch(const struct arch_code *code, uint64_t at, uint32_t word,
                          unsigned bits, struct arch_instruction *found)
{
    bool annuls = (word >> 29 & 1) != 0, by_register = bits == 16;
    bool always = !by_register && (word >> 25 & 15) == ALWAYS;
    bool by_integers = (word >> 22 & 7) <= 2;
    uint32_t words = by_register ? (word >> 20 & 3) << 14 | (word & 0x3fff) : word;
    arch_goes_to(code, found, always && by_integers && !annuls ? ARCH_JUMP : ARCH_BRANCH,
                 at + arch_signed(words, bits) * 4);
    found->delay = annuls && always ? 0 : 4;
    found->annuls = annuls && !always;
}

static void decode(const struct arch_code *code, enum arch_state state, uint64_t at,
                   const uint8_t *bytes, size_t left, struct arch_instruction *found)
{
    uint32_t word = arch_word(bytes, 4, true);
    unsigned bits = distance_bits(word);
    (void)state;
    (void)left;
    if (bits != 0) {
        decode_branch(code, at, word, bits, found);
    } else if (word >> 30 == 1) {
        arch_goes_to(code, found, ARCH_CALL, at + arch_signed(word, 30) * 4);
        found->delay = 4;
    } else if ((word & 0xfff80000) == 0x81c00000) { /* JMPL without a return address */
        found->kind = ARCH_LEAVE;
        found->delay = 4;
    }
    /* JMPL, but for `ret` and `retl` */
    found->by_pointer =
        (word & 0xc1f80000) == 0x81c00000 && (word & 0xfffbe000) != 0x81c3e000;
}

static const struct arch_flags flags[] = {
    {.pattern = "leon*", .counts = ARCH_COUNTS},
    {0},
};

static const struct arch_port port = {
    .wire = MCUPROF_WIRE_ARCH_SPARC,
    .name = "sparc",
    .flags = flags,
    .cpus = "leon3",
};

const struct arch arch_sparc = {
    .machines = (const struct arch_machine[]){{EM_SPARC, "SPARC"},
                                              {EM_SPARC32PLUS, "SPARC"},
                                              {EM_SPARCV9, "SPARC V9"},
                                              {0}},
    .ports = (const struct arch_port *const[]){&port, NULL},
    .unit = 4,
    .align = 4,
    .package = "binutils-sparc64-linux-gnu",
    .programs = {"sparc64-linux-gnu-objdump"},
    .decode = decode,
};
