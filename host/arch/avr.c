/* SPDX-License-Identifier: MIT */
/*
 * AVR: code is words of 16 bits, and addresses in instructions count words. Source of the
 * encodings: AVR Instruction Set Manual (CALL, JMP, RCALL, RJMP, BRBS, BRBC, RET, IJMP,
 * LDS, STS).
 */
#include "internal.h"

static void decode(const struct arch_code *code, enum arch_state state, uint64_t at,
                   const uint8_t *bytes, size_t left, struct arch_instruction *found)
{
    uint32_t word = arch_word(bytes, 2, false);
    bool is_long = (word & 0xfe0c) == 0x940c; /* JMP, CALL */
    (void)state;
    if (is_long || (word & 0xfc0f) == 0x9000) /* LDS, STS */
        found->bytes = 4;
    if (is_long && left >= 4) {
        uint32_t high = (word >> 3 & 0x3e) | (word & 1);
        arch_goes_to(code, found, (word & 2) != 0 ? ARCH_CALL : ARCH_JUMP,
                     (uint64_t)(high << 16 | arch_word(bytes + 2, 2, false)) * 2);
    } else if ((word & 0xe000) == 0xc000) { /* RJMP, RCALL */
        arch_goes_to(code, found, (word & 0x1000) != 0 ? ARCH_CALL : ARCH_JUMP,
                     at + 2 + arch_signed(word, 12) * 2);
    } else if ((word & 0xffef) == 0x9508 || (word & 0xffef) == 0x9409) {
        found->kind = ARCH_LEAVE;           /* RET, RETI; IJMP, EIJMP */
    } else if ((word & 0xf800) == 0xf000) { /* BRBS, BRBC */
        arch_goes_to(code, found, ARCH_BRANCH, at + 2 + arch_signed(word >> 3, 7) * 2);
    }
    found->by_pointer = (word & 0xfeef) == 0x9409; /* IJMP, EIJMP, ICALL, EICALL */
}

/* With -pg avr-gcc makes no calls. */
#define COUNTS    "-finstrument-functions -fno-optimize-sibling-calls -fno-lto"
#define NO_BLOCKS "avr-gcc 5 has no hook"
static const struct arch_flags flags[] = {
    {.pattern = "atmega*", .counts = COUNTS, .no_blocks = NO_BLOCKS},
    {.pattern = "at90*", .counts = COUNTS, .no_blocks = NO_BLOCKS},
    {0},
};

static const struct arch_port port = {
    .wire = MCUPROF_WIRE_ARCH_AVR,
    .name = "avr",
    .flags = flags,
    .cpus = "atmega328p atmega1284p atmega2560",
};

const struct arch arch_avr = {
    .machines = (const struct arch_machine[]){{EM_AVR, "AVR"}, {0}},
    .ports = (const struct arch_port *const[]){&port, NULL},
    .unit = 2,
    .align = 2,
    .package = "binutils-avr",
    .programs = {"avr-objdump", "llvm-objdump"},
    .decode = decode,
};
