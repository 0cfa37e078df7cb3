/* SPDX-License-Identifier: MIT */
/*
 * RISC-V: little-endian instructions of 32 and of 16 bits. Source of the encodings:
 * RISC-V Unprivileged ISA 20191213 (JAL, JALR, BRANCH, AUIPC; C.J, C.JAL, C.JR, C.BEQZ).
 */
#include "internal.h"

/* Takes `count` bits of the word, from bit `from` on, to bit `to` of an immediate. */
static uint32_t bits(uint32_t word, unsigned from, unsigned count, unsigned to)
{
    return (word >> from & ((1u << count) - 1)) << to;
}

static uint64_t jump_distance(uint32_t word)
{
    return arch_signed(bits(word, 31, 1, 20) | bits(word, 21, 10, 1) |
                           bits(word, 20, 1, 11) | bits(word, 12, 8, 12),
                       21);
}

static uint64_t branch_distance(uint32_t word)
{
    return arch_signed(bits(word, 31, 1, 12) | bits(word, 7, 1, 11) |
                           bits(word, 25, 6, 5) | bits(word, 8, 4, 1),
                       13);
}

static uint64_t short_jump_distance(uint32_t half)
{
    return arch_signed(bits(half, 12, 1, 11) | bits(half, 11, 1, 4) |
                           bits(half, 9, 2, 8) | bits(half, 8, 1, 10) |
                           bits(half, 7, 1, 6) | bits(half, 6, 1, 7) |
                           bits(half, 3, 3, 1) | bits(half, 2, 1, 5),
                       12);
}

static uint64_t short_branch_distance(uint32_t half)
{
    return arch_signed(bits(half, 12, 1, 8) | bits(half, 10, 2, 3) | bits(half, 5, 2, 6) |
                           bits(half, 3, 2, 1) | bits(half, 2, 1, 5),
                       9);
}

/* Registers with return addresses. */
static bool links(uint32_t reg)
{
    return reg == 1 || reg == 5;
}

static void decode_short(const struct arch_code *code, uint64_t at, uint32_t half,
                         struct arch_instruction *found)
{
    unsigned kind = half & 0xe003;
    if (kind == 0xa001) /* C.J */
        arch_goes_to(code, found, ARCH_JUMP, at + short_jump_distance(half));
    else if (kind == 0x2001 && !code->wide) /* C.JAL, of RV32 only */
        arch_goes_to(code, found, ARCH_CALL, at + short_jump_distance(half));
    else if (kind == 0xc001 || kind == 0xe001) /* C.BEQZ, C.BNEZ */
        arch_goes_to(code, found, ARCH_BRANCH, at + short_branch_distance(half));
    else if ((half & 0xf07f) == 0x8002) /* C.JR */
        found->kind = ARCH_LEAVE;
    bool calls = (half & 0xf07f) == 0x9002 && (half & 0xf80) != 0; /* C.JALR */
    found->by_pointer = calls || (found->kind == ARCH_LEAVE && !links(half >> 7 & 0x1f));
}

/* Decodes AUIPC, if a JALR of its register follows. */
static void decode_pair(const struct arch_code *code, uint64_t at, uint32_t word,
                        uint32_t next, struct arch_instruction *found)
{
    if ((next & 0x707f) != 0x67 || (next >> 15 & 0x1f) != (word >> 7 & 0x1f))
        return;
    arch_goes_to(code, found, (next & 0xf80) != 0 ? ARCH_CALL : ARCH_JUMP,
                 at + arch_signed(word & 0xfffff000, 32) + arch_signed(next >> 20, 12));
    found->delay = 4;
}

static void decode(const struct arch_code *code, enum arch_state state, uint64_t at,
                   const uint8_t *bytes, size_t left, struct arch_instruction *found)
{
    uint32_t word = arch_word(bytes, left < 4 ? 2 : 4, false);
    bool calls = (word & 0xf80) != 0;
    (void)state;
    if ((word & 3) != 3) {
        decode_short(code, at, word & 0xffff, found);
        return;
    }
    found->bytes = 4;
    if (left < 4)
        return;
    if ((word & 0x7f) == 0x6f) /* JAL */
        arch_goes_to(code, found, calls ? ARCH_CALL : ARCH_JUMP,
                     at + jump_distance(word));
    else if ((word & 0x7f) == 0x63)
        arch_goes_to(code, found, ARCH_BRANCH, at + branch_distance(word));
    else if ((word & 0x7f) == 0x67 && !calls) /* JALR */
        found->kind = ARCH_LEAVE;
    else if ((word & 0x7f) == 0x17 && left >= 8)
        decode_pair(code, at, word, arch_word(bytes + 4, 4, false), found);
    found->by_pointer = (word & 0x707f) == 0x67 && (calls || !links(word >> 15 & 0x1f));
}

static const struct arch_flags flags[] = {
    {.pattern = "rv32*", .counts = ARCH_COUNTS},
    {0},
};

static const struct arch_port port = {
    .wire = MCUPROF_WIRE_ARCH_RISCV,
    .name = "riscv",
    .flags = flags,
    .cpus = "rv32imac rv32imc rv32i rv32emac rv32ec",
};

const struct arch arch_riscv = {
    .machines = (const struct arch_machine[]){{EM_RISCV, "RISC-V"}, {0}},
    .ports = (const struct arch_port *const[]){&port, NULL},
    .unit = 2,
    .align = 4,
    .short_flag = EF_RISCV_RVC,
    .mapping = "xd",
    .package = "binutils-riscv64-unknown-elf",
    .programs = {"riscv64-unknown-elf-objdump", "riscv32-unknown-elf-objdump",
                 "llvm-objdump"},
    .decode = decode,
};
