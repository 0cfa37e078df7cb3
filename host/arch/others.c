/* SPDX-License-Identifier: MIT */
/*
 * Architectures without a port, as far as they are known: gprof reads programs of any
 * machine. Sources of encodings: ARM DDI 0487 (C6.2: B, BL); MIPS32 vol. II (JAL).
 */
#include "internal.h"

#define MACHINES(...)                                                                    \
    (const struct arch_machine[])                                                        \
    {                                                                                    \
        __VA_ARGS__,                                                                     \
        {                                                                                \
            0                                                                            \
        }                                                                                \
    }

/* ---- Their calls are known ---- */

static void decode_aarch64(const struct arch_code *code, enum arch_state state,
                           uint64_t at, const uint8_t *bytes, size_t left,
                           struct arch_instruction *found)
{
    uint32_t word = arch_word(bytes, 4, false);
    (void)code;
    (void)state;
    (void)left;
    if ((word & 0x7c000000) != 0x14000000) /* B, BL */
        return;
    found->kind = word >> 31 != 0 ? ARCH_CALL : ARCH_JUMP;
    found->target = at + arch_signed(word, 26) * 4;
}

const struct arch arch_aarch64 = {
    .machines = MACHINES({EM_AARCH64, "AArch64"}),
    .unit = 4,
    .align = 4,
    .package = "binutils-aarch64-linux-gnu",
    .programs = {"aarch64-linux-gnu-objdump", "aarch64-none-elf-objdump", "llvm-objdump"},
    .decode = decode_aarch64,
};

static void decode_mips(const struct arch_code *code, enum arch_state state, uint64_t at,
                        const uint8_t *bytes, size_t left, struct arch_instruction *found)
{
    uint32_t word = arch_word(bytes, 4, code->big_endian);
    (void)state;
    (void)left;
    if (word >> 26 != 3) /* JAL */
        return;
    found->kind = ARCH_CALL;
    found->delay = 4;
    found->target = ((at + 4) & ~(uint64_t)0x0fffffff) | (uint64_t)(word & 0x3ffffff)
                                                             << 2;
}

const struct arch arch_mips = {
    .machines = MACHINES({EM_MIPS, "MIPS"}),
    .unit = 4,
    .align = 4,
    .state_bit = 1, /* MIPS16 and microMIPS, whose code is not decoded */
    .decode = decode_mips,
};

/* ---- Only their objdump or their name is known ---- */

const struct arch arch_x86 = {
    .machines = MACHINES({EM_386, "x86"}, {EM_X86_64, "x86-64"}, {EM_IAMCU, "Intel MCU"}),
    .unit = 1,
    .align = 1,
    .package = "binutils",
    .programs = {"objdump", "llvm-objdump"},
};

const struct arch arch_xtensa = {
    .machines = MACHINES({EM_XTENSA, "Xtensa"}),
    .unit = 1,
    .align = 1,
    .package = "binutils-xtensa-lx106",
    .programs = {"xtensa-lx106-elf-objdump"},
};

const struct arch arch_of_bytes = {
    .machines = MACHINES({EM_RX, "RX"}),
    .unit = 1,
    .align = 1,
};

const struct arch arch_of_halves = {
    .machines = MACHINES({EM_MSP430, "MSP430"}, {EM_68K, "m68k"}, {EM_SH, "SuperH"},
                         {EM_TRICORE, "TriCore"}, {EM_ARC, "ARC"}, {EM_ARCV2, "ARC"},
                         {EM_V850, "V850"}),
    .unit = 2,
    .align = 2,
};

const struct arch arch_of_words = {
    .machines = MACHINES({EM_PPC, "PowerPC"}, {EM_PPC64, "PowerPC 64"}),
    .unit = 4,
    .align = 4,
};

/* The tests on the PC have a port, too. */
static const struct arch_port port_pc = {
    .wire = MCUPROF_WIRE_ARCH_PC,
    .name = "pc",
};

const struct arch arch_unknown = {
    .machines = MACHINES({EM_NONE, "unknown machine"}),
    .ports = (const struct arch_port *const[]){&port_pc, NULL},
    .unit = 1,
    .align = 1,
};
