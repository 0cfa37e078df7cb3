/* SPDX-License-Identifier: MIT */
/*
 * Sources of the encodings: ARM DDI 0403E (A7.7: B, BL, CBZ, TBB, BX, POP), ARM DDI 0406C
 * (A8.8: B, BL, BX, LDM), RISC-V Unprivileged ISA 20191213 (JAL, JALR, BRANCH; C.J, C.JR,
 * C.BEQZ), SPARC V9 (CALL, Bicc, BPcc, FBfcc, FBPfcc, BPr, JMPL).
 */
#include "blocks.h"

static void put(uint8_t *bytes, uint32_t word, unsigned size, bool big_endian)
{
    for (unsigned i = 0; i < size; i++)
        bytes[big_endian ? size - 1 - i : i] = (uint8_t)(word >> 8 * i);
}

static uint32_t get(const uint8_t *bytes, unsigned size, bool big_endian)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < size; i++)
        word = word << 8 | bytes[big_endian ? i : size - 1 - i];
    return word;
}

/* The low `bits` of the word as a number with a sign. */
static uint64_t with_sign(uint32_t word, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1), value = word & (sign | (sign - 1));
    return (value ^ sign) - sign;
}

static void goes_to(struct branch *branch, uint64_t target)
{
    branch->ends = branch->bytes;
    branch->has_target = true;
    branch->target = target;
}

/* ---- ARM ---- */

static unsigned call_t32(uint32_t distance, bool big_endian, uint8_t call[CALL_MAX])
{
    uint32_t offset = distance - 4, sign = offset >> 24 & 1;
    uint32_t j1 = !((offset >> 23 & 1) ^ sign), j2 = !((offset >> 22 & 1) ^ sign);
    put(call, 0xf000 | sign << 10 | (offset >> 12 & 0x3ff), 2, big_endian);
    put(call + 2, 0xd000 | j1 << 13 | j2 << 11 | (offset >> 1 & 0x7ff), 2, big_endian);
    return 4;
}

static void branch_t32_long(uint64_t at, uint32_t high, uint32_t low,
                            struct branch *branch)
{
    uint32_t sign = high >> 10 & 1, j1 = low >> 13 & 1, j2 = low >> 11 & 1;
    uint32_t i1 = !(j1 ^ sign), i2 = !(j2 ^ sign);
    bool is_branch = high >> 11 == 0x1e;
    if (is_branch && (low & 0xd000) == 0x9000)
        goes_to(branch, at + 4 +
                            with_sign(sign << 24 | i1 << 23 | i2 << 22 |
                                          (high & 0x3ff) << 12 | (low & 0x7ff) << 1,
                                      25));
    else if (is_branch && (low & 0xd000) == 0x8000 && (high & 0x380) != 0x380)
        goes_to(branch, at + 4 +
                            with_sign(sign << 20 | j2 << 19 | j1 << 18 |
                                          (high & 0x3f) << 12 | (low & 0x7ff) << 1,
                                      21));
    else if (((high & 0xfff0) == 0xe8d0 && (low & 0xffe0) == 0xf000) || /* TBB, TBH */
             (high == 0xe8bd && (low & 0x8000) != 0)) /* POP to the PC */
        branch->ends = branch->bytes;
}

static void branch_t32(uint64_t at, const uint8_t *bytes, size_t left, bool big_endian,
                       struct branch *branch)
{
    uint32_t half = get(bytes, 2, big_endian);
    branch->bytes = half >> 11 >= 0x1d ? 4 : 2;
    if (branch->bytes == 4 && left >= 4)
        branch_t32_long(at, half, get(bytes + 2, 2, big_endian), branch);
    else if (half >> 11 == 0x1c)
        goes_to(branch, at + 4 + with_sign(half, 11) * 2);
    else if (half >> 12 == 0xd && (half >> 9 & 7) != 7)
        goes_to(branch, at + 4 + with_sign(half, 8) * 2);
    else if ((half & 0xf500) == 0xb100) /* CBZ, CBNZ */
        goes_to(branch, at + 4 + ((half >> 9 & 1) << 6 | (half >> 3 & 0x1f) << 1));
    else if ((half & 0xff87) == 0x4700 ||
             (half & 0xff00) == 0xbd00) /* BX, POP {..., PC} */
        branch->ends = branch->bytes;
}

static unsigned call_a32(uint32_t distance, bool big_endian, uint8_t call[CALL_MAX])
{
    put(call, 0xeb000000 | ((distance - 8) >> 2 & 0xffffff), 4, big_endian);
    return 4;
}

static void branch_a32(uint64_t at, const uint8_t *bytes, size_t left, bool big_endian,
                       struct branch *branch)
{
    uint32_t word = left < 4 ? 0 : get(bytes, 4, big_endian);
    branch->bytes = 4;
    if (word >> 28 == 15)
        return;
    if ((word & 0x0f000000) == 0x0a000000)
        goes_to(branch, at + 8 + with_sign(word, 24) * 4);
    else if ((word & 0x0ffffff0) == 0x012fff10 || /* BX */
             (word & 0x0e108000) == 0x08108000)   /* LDM to the PC */
        branch->ends = branch->bytes;
}

/* ---- RISC-V ---- */

static unsigned call_riscv(uint32_t distance, bool big_endian, uint8_t call[CALL_MAX])
{
    put(call,
        (distance >> 20 & 1) << 31 | (distance >> 1 & 0x3ff) << 21 |
            (distance >> 11 & 1) << 20 | (distance >> 12 & 0xff) << 12 | 0xef,
        4, big_endian);
    return 4;
}

/* C.JAL is of RV32 only. */
static unsigned call_riscv_short(uint32_t distance, bool big_endian,
                                 uint8_t call[CALL_MAX])
{
    put(call,
        0x2001 | (distance >> 11 & 1) << 12 | (distance >> 4 & 1) << 11 |
            (distance >> 8 & 3) << 9 | (distance >> 10 & 1) << 8 |
            (distance >> 6 & 1) << 7 | (distance >> 7 & 1) << 6 |
            (distance >> 1 & 7) << 3 | (distance >> 5 & 1) << 2,
        2, big_endian);
    return 2;
}

/* AUIPC, JALR of the return address' register. */
static unsigned call_riscv_far(uint32_t distance, bool big_endian, uint8_t call[CALL_MAX])
{
    put(call, ((distance + 0x800) & 0xfffff000) | 0x97, 4, big_endian);
    put(call + 4, (distance & 0xfff) << 20 | 0x80e7, 4, big_endian);
    return 8;
}

static void branch_riscv_short(uint64_t at, uint32_t half, struct branch *branch)
{
    unsigned kind = half & 0xe003;
    branch->bytes = 2;
    if (kind == 0xa001) /* C.J: imm[11|4|9:8|10|6|7|3:1|5] in bits 12..2 */
        goes_to(branch, at + with_sign((half >> 12 & 1) << 11 | (half >> 11 & 1) << 4 |
                                           (half >> 9 & 3) << 8 | (half >> 8 & 1) << 10 |
                                           (half >> 7 & 1) << 6 | (half >> 6 & 1) << 7 |
                                           (half >> 3 & 7) << 1 | (half >> 2 & 1) << 5,
                                       12));
    else if (kind == 0xc001 || kind == 0xe001) /* imm[8|4:3] and [7:6|2:1|5] */
        goes_to(branch, at + with_sign((half >> 12 & 1) << 8 | (half >> 10 & 3) << 3 |
                                           (half >> 5 & 3) << 6 | (half >> 3 & 3) << 1 |
                                           (half >> 2 & 1) << 5,
                                       9));
    else if ((half & 0xf07f) == 0x8002) /* C.JR */
        branch->ends = branch->bytes;
}

static void branch_riscv(uint64_t at, const uint8_t *bytes, size_t left, bool big_endian,
                         struct branch *branch)
{
    uint32_t word = get(bytes, left < 4 ? 2 : 4, big_endian);
    if ((word & 3) != 3) {
        branch_riscv_short(at, word & 0xffff, branch);
        return;
    }
    branch->bytes = 4;
    if ((word & 0xfff) == 0x6f) /* JAL without a return address */
        goes_to(branch,
                at + with_sign((word >> 31 & 1) << 20 | (word >> 21 & 0x3ff) << 1 |
                                   (word >> 20 & 1) << 11 | (word >> 12 & 0xff) << 12,
                               21));
    else if ((word & 0x7f) == 0x63)
        goes_to(branch,
                at + with_sign((word >> 31 & 1) << 12 | (word >> 7 & 1) << 11 |
                                   (word >> 25 & 0x3f) << 5 | (word >> 8 & 0xf) << 1,
                               13));
    else if ((word & 0xfff) == 0x67) /* JALR, likewise */
        branch->ends = branch->bytes;
}

/* ---- SPARC: behind a branch one more instruction is run ---- */

static unsigned call_sparc(uint32_t distance, bool big_endian, uint8_t call[CALL_MAX])
{
    put(call, 0x40000000 | (distance >> 2 & 0x3fffffff), 4, big_endian);
    return 4;
}

static void branch_sparc(uint64_t at, const uint8_t *bytes, size_t left, bool big_endian,
                         struct branch *branch)
{
    uint32_t word = left < 4 ? 0 : get(bytes, 4, big_endian);
    unsigned kind = word >> 30 == 0 ? word >> 22 & 7 : 0;
    branch->bytes = 4;
    if (kind == 2 || kind == 6) /* Bicc, FBfcc */
        goes_to(branch, at + with_sign(word, 22) * 4);
    else if (kind == 1 || kind == 5) /* BPcc, FBPfcc */
        goes_to(branch, at + with_sign(word, 19) * 4);
    else if (kind == 3) /* BPr */
        goes_to(branch, at + with_sign((word >> 20 & 3) << 14 | (word & 0x3fff), 16) * 4);
    else if ((word & 0xfff80000) == 0x81c00000) /* JMPL without a return address */
        branch->ends = branch->bytes;
    if (branch->ends == 0)
        return;
    /* annulled: that instruction is run only if the branch is taken, never if always */
    bool annulled = branch->has_target && (word >> 29 & 1) != 0;
    branch->ends = annulled ? 4 : 8;
    branch->also = annulled && (word >> 25 & 15) != 8 ? 8 : 0;
}

const struct form forms[] = {
    {EM_ARM, false, 0, 2, 1 << 24, call_t32, branch_t32},
    {EM_ARM, false, 0, 4, 1 << 25, call_a32, branch_a32},
    {EM_RISCV, false, 0, 2, 1 << 20, call_riscv, branch_riscv},
    {EM_RISCV, true, 0, 2, 1 << 11, call_riscv_short, branch_riscv},
    {EM_RISCV, false, 0, 2, (uint64_t)1 << 31, call_riscv_far, branch_riscv},
    {EM_SPARC, false, 4, 4, (uint64_t)1 << 31, call_sparc, branch_sparc},
    {EM_SPARC32PLUS, false, 4, 4, (uint64_t)1 << 31, call_sparc, branch_sparc},
    {EM_SPARCV9, false, 4, 4, (uint64_t)1 << 31, call_sparc, branch_sparc},
    {.call = NULL},
};
