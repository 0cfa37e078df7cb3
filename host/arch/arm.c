/* SPDX-License-Identifier: MIT */
/*
 * ARM: A32 and T32. Sources of the encodings: ARM DDI 0406C (A8.8: B, BL, BLX, BX, LDM,
 * LDR, MOV, POP), ARM DDI 0403E (A7.7: CBZ, IT, TBB), ARM DDI 0553B (CSEL, LE, WLS).
 */
#include "internal.h"

/* ---- A32 ---- */

/* Whether it is BX, or a load, a move or a sum whose destination is the PC. */
static bool sets_pc(uint32_t word)
{
    bool to_pc = (word >> 12 & 15) == 15;
    bool computes =
        (word & 0x01800000) != 0x01000000; /* other words compare, or are special */
    switch (word >> 25 & 7) {
    case 0: /* bits 7 and 4 mark a product, or a load of other than words */
        return (word & 0x0ffffff0) == 0x012fff10 ||
               (to_pc && computes && (word & 0x90) != 0x90);
    case 1:
        return to_pc && computes;
    case 2:
        return to_pc && (word & 0x00500000) == 0x00100000; /* LDR */
    case 3:
        return to_pc && (word & 0x00500010) == 0x00100000;
    case 4:
        return (word & 0x00108000) == 0x00108000; /* LDM */
    default:
        return false;
    }
}

/* Whether the word, which sets the PC, is a return, or a switch relative to the PC. */
static bool returns_a32(uint32_t word)
{
    unsigned base = word >> 16 & 15;
    switch (word >> 25 & 7) {
    case 0: /* BX LR; MOV PC, LR; ADD PC, PC, R3 */
        if ((word & 0x0ffffff0) == 0x012fff10)
            return (word & 15) == 14;
        return (word & 0x0fefffff) == 0x01a0f00e || base == 14 || base == 15;
    case 1: /* SUBS PC, LR, #4; ADD PC, PC, #8 */
        return base == 14 || base == 15;
    case 2: /* LDR PC, [SP], #4 */
        return base == 13;
    case 3: /* LDR PC, [PC, R3, LSL #2] */
        return base == 15;
    default:
        return true;
    }
}

static void decode_a32(const struct arch_code *code, uint64_t at, const uint8_t *bytes,
                       size_t left, struct arch_instruction *found)
{
    uint32_t word = left < 4 ? 0 : arch_word(bytes, 4, code->big_endian);
    uint64_t target = at + 8 + arch_signed(word, 24) * 4;
    unsigned condition = word >> 28;
    found->bytes = 4;
    if ((word & 0x0e000000) == 0x0a000000 && condition == 15) /* BLX, to T32 */
        arch_goes_to(code, found, ARCH_CALL, target + (word >> 23 & 2));
    else if ((word & 0x0e000000) == 0x0a000000)
        arch_goes_to(code, found, (word >> 24 & 1) != 0 ? ARCH_CALL : ARCH_JUMP, target);
    else if (condition != 15 && sets_pc(word))
        found->kind = ARCH_LEAVE;
    found->conditional = condition < 14 && found->kind != ARCH_JUMP;
    found->by_pointer =
        condition != 15 && ((word & 0x0ffffff0) == 0x012fff30 || /* BLX */
                            (found->kind == ARCH_LEAVE && !returns_a32(word)));
}

/* ---- T32 ---- */

/* Decodes branches. The longest distances have 25 bits, two of them mixed with the
 * sign. */
static void decode_t32_branch(const struct arch_code *code, uint64_t at, uint32_t high,
                              uint32_t low, struct arch_instruction *found)
{
    uint32_t sign = high >> 10 & 1, j1 = low >> 13 & 1, j2 = low >> 11 & 1;
    uint32_t i1 = !(j1 ^ sign), i2 = !(j2 ^ sign);
    uint64_t pc = at + 4;
    uint64_t far = arch_signed(
        sign << 24 | i1 << 23 | i2 << 22 | (high & 0x3ff) << 12 | (low & 0x7ff) << 1, 25);
    uint64_t near = arch_signed(
        sign << 20 | j2 << 19 | j1 << 18 | (high & 0x3f) << 12 | (low & 0x7ff) << 1, 21);
    uint64_t loop = (low >> 1 & 0x3ff) << 2 | (low >> 11 & 1) << 1;
    if ((low & 0xd000) == 0xd000)
        arch_goes_to(code, found, ARCH_CALL, pc + far);
    else if ((low & 0xd000) == 0x9000)
        arch_goes_to(code, found, ARCH_JUMP, pc + far);
    else if ((low & 0xd001) == 0xc000) /* BLX, to A32 */
        arch_goes_to(code, found, ARCH_CALL, (pc & ~(uint64_t)3) + far);
    else if ((low & 0xf001) == 0xc001) /* LE, WLS */
        arch_goes_to(code, found, ARCH_BRANCH, (high & 15) == 15 ? pc - loop : pc + loop);
    else if ((low & 0xd000) == 0x8000 && (high & 0x380) != 0x380) /* B<c>.W */
        arch_goes_to(code, found, ARCH_JUMP, pc + near);
}

/* IT's mask ends in a 1; so many instructions behind it are conditional. */
static unsigned conditional_behind(uint32_t half)
{
    if ((half & 0xff00) != 0xbf00 || (half & 15) == 0)
        return 0;
    return 4 - (unsigned)__builtin_ctz(half);
}

static void decode_t32_wide(const struct arch_code *code, uint64_t at, uint32_t high,
                            uint32_t low, struct arch_instruction *found)
{
    if (high >> 11 == 0x1e && (low & 0x8000) != 0)
        decode_t32_branch(code, at, high, low, found);
    else if (((high & 0xfff0) == 0xe8d0 && (low & 0xffe0) == 0xf000) || /* TBB, TBH */
             ((high & 0xfe50) == 0xe810 && (low & 0x8000) != 0) ||      /* LDM */
             ((high & 0xff70) == 0xf850 && low >> 12 == 15))            /* LDR */
        found->kind = ARCH_LEAVE;
    found->conditional =
        (high & 0xfff0) == 0xea50 && low >> 12 >= 8 && low >> 12 <= 11; /* CSEL */
}

/* BLX, and BX, MOV PC and LDR PC that are no return. */
static bool is_by_pointer_t32(uint32_t half, uint32_t low)
{
    bool by_low = (half & 0xff80) == 0x4700 || (half & 0xff87) == 0x4687; /* BX, MOV PC */
    return (half & 0xff80) == 0x4780 || (by_low && (half >> 3 & 15) != 14) ||
           ((half & 0xff70) == 0xf850 && low >> 12 == 15 && (half & 15) != 13);
}

static void decode_t32(const struct arch_code *code, uint64_t at, const uint8_t *bytes,
                       size_t left, struct arch_instruction *found)
{
    uint32_t half = arch_word(bytes, 2, code->big_endian);
    uint64_t pc = at + 4;
    found->bytes = half >> 11 >= 0x1d ? 4 : 2;
    if (found->bytes == 4 && left >= 4)
        decode_t32_wide(code, at, half, arch_word(bytes + 2, 2, code->big_endian), found);
    else if (half >> 11 == 0x1c) /* B */
        arch_goes_to(code, found, ARCH_JUMP, pc + arch_signed(half, 11) * 2);
    else if (half >> 12 == 0xd && (half >> 9 & 7) != 7) /* B<c> */
        arch_goes_to(code, found, ARCH_JUMP, pc + arch_signed(half, 8) * 2);
    else if ((half & 0xf500) == 0xb100) /* CBZ, CBNZ */
        arch_goes_to(code, found, ARCH_BRANCH,
                     pc + ((half >> 9 & 1) << 6 | (half >> 3 & 0x1f) << 1));
    else if ((half & 0xff87) == 0x4700 || /* BX */
             (half & 0xfd87) == 0x4487 || /* ADD, MOV to the PC */
             (half & 0xff00) == 0xbd00)   /* POP {..., PC} */
        found->kind = ARCH_LEAVE;
    found->conditional_next = conditional_behind(half);
    found->by_pointer = is_by_pointer_t32(
        half,
        found->bytes == 4 && left >= 4 ? arch_word(bytes + 2, 2, code->big_endian) : 0);
    found->always = found->kind == ARCH_LEAVE || half >> 11 == 0x1c ||
                    (found->kind == ARCH_JUMP && half >> 11 == 0x1e &&
                     (bytes[code->big_endian ? 2 : 3] & 0xd0) == 0x90);
}

/* ---- T32: targets of long branches (A7.7.12 B, A7.7.18 BL) ---- */

static void put_half(uint8_t *bytes, uint32_t half)
{
    bytes[0] = (uint8_t)half;
    bytes[1] = (uint8_t)(half >> 8);
}

/* BL and B.W: a sign and 24 bits, of which two are mixed with the sign. */
static void put_far(uint8_t *bytes, uint32_t low, uint32_t distance)
{
    uint32_t sign = distance >> 24 & 1;
    uint32_t j1 = !((distance >> 23 & 1) ^ sign), j2 = !((distance >> 22 & 1) ^ sign);
    put_half(bytes, 0xf000 | sign << 10 | (distance >> 12 & 0x3ff));
    put_half(bytes + 2, (low & 0xd000) | j1 << 13 | j2 << 11 | (distance >> 1 & 0x7ff));
}

/* B<c>.W: a sign and 20 bits. */
static void put_near(uint8_t *bytes, uint32_t high, uint32_t distance)
{
    put_half(bytes,
             (high & 0xfbc0) | (distance >> 20 & 1) << 10 | (distance >> 12 & 0x3f));
    put_half(bytes + 2, 0x8000 | (distance >> 18 & 1) << 13 | (distance >> 19 & 1) << 11 |
                            (distance >> 1 & 0x7ff));
}

static bool reaches(int64_t distance, unsigned bits)
{
    int64_t end = (int64_t)1 << (bits - 1);
    return distance >= -end && distance < end && (distance & 1) == 0;
}

static bool retarget(uint8_t bytes[4], uint64_t at, uint64_t to)
{
    uint32_t high = arch_word(bytes, 2, false), low = arch_word(bytes + 2, 2, false);
    int64_t distance = (int64_t)(to - at - 4);
    if (high >> 11 != 0x1e)
        return false;
    if (((low & 0xd000) == 0xd000 || (low & 0xd000) == 0x9000) && reaches(distance, 25))
        put_far(bytes, low, (uint32_t)distance);
    else if ((low & 0xd000) == 0x8000 && (high & 0x380) != 0x380 && reaches(distance, 21))
        put_near(bytes, high, (uint32_t)distance);
    else
        return false;
    return true;
}

static void decode(const struct arch_code *code, enum arch_state state, uint64_t at,
                   const uint8_t *bytes, size_t left, struct arch_instruction *found)
{
    if (state == ARCH_WIDE)
        decode_a32(code, at, bytes, left, found);
    else
        decode_t32(code, at, bytes, left, found);
}

/* ---- ARMv4T and ARMv5: ARM7, ARM9, ARM10 ---- */

static const struct arch_flags flags[] = {
    {.pattern = "arm7*",
     .counts = ARCH_COUNTS,
     .thumb = ARCH_THUMB1,
     .links = ARCH_ARM_LINKS},
    {.pattern = "arm9*",
     .counts = ARCH_COUNTS,
     .thumb = ARCH_THUMB1,
     .links = ARCH_ARM_LINKS},
    {.pattern = "arm10*",
     .counts = ARCH_COUNTS,
     .thumb = ARCH_THUMB1,
     .links = ARCH_ARM_LINKS},
    {0},
};

static const struct arch_port port = {
    .wire = MCUPROF_WIRE_ARCH_ARM,
    .name = "arm",
    .flags = flags,
    .cpus = "arm7tdmi arm920t arm926ej-s arm946e-s arm966e-s",
};

const struct arch arch_arm = {
    .machines = (const struct arch_machine[]){{EM_ARM, "ARM"}, {0}},
    .ports = (const struct arch_port *const[]){&port_cortex_m, &port, NULL},
    .unit = 2,
    .align = 4,
    .little_flag = EF_ARM_BE8,
    .state_bit = 1,
    .mapping = "atd",
    .package = "binutils-arm-none-eabi",
    .programs = {"arm-none-eabi-objdump", "llvm-objdump"},
    .decode = decode,
    .retarget = retarget,
};
