/* SPDX-License-Identifier: MIT */
/*
 * Direct calls and jumps of each machine. Sources: Intel SDM vol. 2 (CALL); ARM DDI 0487
 * (C6.2) and DDI 0406C (A8.8: B, BL, BLX); RISC-V Unprivileged ISA 20191213 (JAL, JALR,
 * C.J, C.JAL); AVR Instruction Set Manual (CALL, JMP, RCALL, RJMP); SPARC V9 (CALL, BA);
 * MIPS32 vol. II (JAL).
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/search.h"
#include "code.h"

static uint32_t word_of(const uint8_t *bytes, size_t count, bool big_endian)
{
    uint32_t word = 0;
    for (size_t i = 0; i < count; i++)
        word = word << 8 | bytes[big_endian ? i : count - 1 - i];
    return word;
}

/* The low `bits` of the word as a number with a sign. */
static uint64_t with_sign(uint32_t word, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    uint64_t value = word & (sign | (sign - 1));
    return (value ^ sign) - sign;
}

static void target_is(struct gprof_instruction *instruction, uint64_t target)
{
    instruction->has_target = true;
    instruction->target = target;
}

/* GNU gprof tries every byte, and takes the distance for one without a sign: it finds
 * calls forward only. */
static void decode_x86(const struct gprof_decoder *decoder, uint64_t at,
                       const uint8_t *bytes, size_t left,
                       struct gprof_instruction *instruction)
{
    (void)decoder;
    instruction->bytes = 1;
    if (left >= 5 && bytes[0] == 0xe8)
        target_is(instruction, at + 5 + word_of(bytes + 1, 4, false));
}

static void decode_aarch64(const struct gprof_decoder *decoder, uint64_t at,
                           const uint8_t *bytes, size_t left,
                           struct gprof_instruction *instruction)
{
    (void)decoder;
    instruction->bytes = 4;
    if (left < 4)
        return;
    uint32_t word = word_of(bytes, 4, false);
    if ((word & 0x7c000000) == 0x14000000) /* B, BL */
        target_is(instruction, at + with_sign(word, 26) * 4);
}

static void decode_mips(const struct gprof_decoder *decoder, uint64_t at,
                        const uint8_t *bytes, size_t left,
                        struct gprof_instruction *instruction)
{
    instruction->bytes = 4;
    if (left < 4)
        return;
    uint32_t word = word_of(bytes, 4, decoder->big_endian);
    if (word >> 26 == 3) /* JAL */
        target_is(instruction,
                  ((at + 4) & ~(uint64_t)0x0fffffff) | (uint64_t)(word & 0x3ffffff) << 2);
}

/* Not BA,a: GNU as fills gaps behind functions with one over the gap. */
static void decode_sparc(const struct gprof_decoder *decoder, uint64_t at,
                         const uint8_t *bytes, size_t left,
                         struct gprof_instruction *instruction)
{
    instruction->bytes = 4;
    if (left < 4)
        return;
    uint32_t word = word_of(bytes, 4, true);
    uint64_t target = at;
    if (word >> 30 == 1) /* CALL */
        target += with_sign(word, 30) * 4;
    else if ((word & 0xffc00000) == 0x10800000) /* BA */
        target += with_sign(word, 22) * 4;
    else if ((word & 0xffc00000) == 0x10400000) /* BA with prediction */
        target += with_sign(word, 19) * 4;
    else
        return;
    target_is(instruction, decoder->wide ? target : (uint32_t)target);
}

/* J-immediate: imm[20|10:1|11|19:12] in bits 31..12. */
static uint64_t riscv_jump(uint32_t word)
{
    uint32_t value = (word >> 31 & 1) << 20 | (word >> 21 & 0x3ff) << 1 |
                     (word >> 20 & 1) << 11 | (word >> 12 & 0xff) << 12;
    return with_sign(value, 21);
}

/* CJ-immediate: imm[11|4|9:8|10|6|7|3:1|5] in bits 12..2. */
static uint64_t riscv_short_jump(uint32_t half)
{
    uint32_t value = (half >> 12 & 1) << 11 | (half >> 11 & 1) << 4 |
                     (half >> 9 & 3) << 8 | (half >> 8 & 1) << 10 | (half >> 7 & 1) << 6 |
                     (half >> 6 & 1) << 7 | (half >> 3 & 7) << 1 | (half >> 2 & 1) << 5;
    return with_sign(value, 12);
}

static void decode_riscv(const struct gprof_decoder *decoder, uint64_t at,
                         const uint8_t *bytes, size_t left,
                         struct gprof_instruction *instruction)
{
    uint64_t mask = decoder->wide ? UINT64_MAX : UINT32_MAX;
    instruction->bytes = 2;
    if (left < 2)
        return;
    uint32_t half = word_of(bytes, 2, false);
    if ((half & 3) != 3) {
        bool jump = (half & 0xe003) == 0xa001;                   /* C.J */
        bool call = (half & 0xe003) == 0x2001 && !decoder->wide; /* C.JAL */
        if (jump || call)
            target_is(instruction, (at + riscv_short_jump(half)) & mask);
        return;
    }
    instruction->bytes = 4;
    if (left < 4)
        return;
    uint32_t word = word_of(bytes, 4, false);
    if ((word & 0x7f) == 0x6f) { /* JAL */
        target_is(instruction, (at + riscv_jump(word)) & mask);
    } else if ((word & 0x7f) == 0x17 && left >= 8) { /* AUIPC, JALR of its register */
        uint32_t next = word_of(bytes + 4, 4, false);
        uint32_t part = word >> 7 & 0x1f;
        if ((next & 0x707f) == 0x67 && (next >> 15 & 0x1f) == part)
            target_is(instruction, (at + with_sign(word & 0xfffff000, 32) +
                                    with_sign(next >> 20, 12)) &
                                       mask);
    }
}

/* Words of 16 bits; addresses in instructions count words. */
static void decode_avr(const struct gprof_decoder *decoder, uint64_t at,
                       const uint8_t *bytes, size_t left,
                       struct gprof_instruction *instruction)
{
    (void)decoder;
    instruction->bytes = 2;
    if (left < 2)
        return;
    uint32_t word = word_of(bytes, 2, false);
    if ((word & 0xfe0c) == 0x940c && left >= 4) { /* JMP, CALL */
        uint32_t high = (word >> 4 & 0x1f) << 1 | (word & 1);
        instruction->bytes = 4;
        target_is(instruction, (uint64_t)(high << 16 | word_of(bytes + 2, 2, false)) * 2);
    } else if ((word & 0xfc0f) == 0x9000) { /* LDS, STS */
        instruction->bytes = 4;
    } else if ((word & 0xe000) == 0xc000) { /* RJMP, RCALL */
        target_is(instruction, at + 2 + with_sign(word, 12) * 2);
    }
}

static void decode_a32(const struct gprof_decoder *decoder, uint64_t at,
                       const uint8_t *bytes, size_t left,
                       struct gprof_instruction *instruction)
{
    instruction->bytes = 4;
    if (left < 4)
        return;
    uint32_t word = word_of(bytes, 4, decoder->big_endian);
    if ((word & 0x0e000000) != 0x0a000000) /* B, BL; with condition 15: BLX */
        return;
    uint64_t target = at + 8 + with_sign(word, 24) * 4;
    if (word >> 28 == 15)
        target += word >> 23 & 2;
    target_is(instruction, (uint32_t)target);
}

/* Both halves of BL, BLX and B.W: the distance has 25 bits, two of them mixed with its
 * sign; that of a conditional one has 21. */
static void decode_t32_branch(uint64_t at, uint32_t high, uint32_t low,
                              struct gprof_instruction *instruction)
{
    uint32_t sign = high >> 10 & 1, j1 = low >> 13 & 1, j2 = low >> 11 & 1;
    uint32_t i1 = !(j1 ^ sign), i2 = !(j2 ^ sign);
    uint64_t distance = with_sign(
        sign << 24 | i1 << 23 | i2 << 22 | (high & 0x3ff) << 12 | (low & 0x7ff) << 1, 25);
    if ((low & 0xd000) == 0xd000 || (low & 0xd000) == 0x9000) { /* BL, B.W */
        target_is(instruction, (uint32_t)(at + 4 + distance));
    } else if ((low & 0xd001) == 0xc000) { /* BLX, to A32 */
        target_is(instruction, (uint32_t)(((at + 4) & ~(uint64_t)3) + distance));
    } else if ((low & 0xd000) == 0x8000 && (high & 0x380) != 0x380) { /* B<c>.W */
        distance = with_sign(sign << 20 | j2 << 19 | j1 << 18 | (high & 0x3f) << 12 |
                                 (low & 0x7ff) << 1,
                             21);
        target_is(instruction, (uint32_t)(at + 4 + distance));
    }
}

static void decode_t32(const struct gprof_decoder *decoder, uint64_t at,
                       const uint8_t *bytes, size_t left,
                       struct gprof_instruction *instruction)
{
    instruction->bytes = 2;
    if (left < 2)
        return;
    uint32_t high = word_of(bytes, 2, decoder->big_endian);
    if (high >> 11 >= 0x1d) {
        instruction->bytes = 4;
        if (left >= 4 && high >> 11 == 0x1e)
            decode_t32_branch(at, high, word_of(bytes + 2, 2, decoder->big_endian),
                              instruction);
    } else if (high >> 11 == 0x1c) { /* B */
        target_is(instruction, (uint32_t)(at + 4 + with_sign(high, 11) * 2));
    } else if (high >> 12 == 0xd && (high >> 9 & 7) != 7) { /* B<c> */
        target_is(instruction, (uint32_t)(at + 4 + with_sign(high, 8) * 2));
    }
}

static void decode_arm(const struct gprof_decoder *decoder, uint64_t at,
                       const uint8_t *bytes, size_t left,
                       struct gprof_instruction *instruction)
{
    size_t low = 0;
    SEARCH(low, decoder->mapping_count, decoder->mappings[middle].address <= at);
    char state = low == 0 ? 'a' : decoder->mappings[low - 1].state;
    if (state == 'd')
        instruction->bytes = 2;
    else if (state == 't')
        decode_t32(decoder, at, bytes, left, instruction);
    else
        decode_a32(decoder, at, bytes, left, instruction);
}

static int compare_mappings(const void *left, const void *right)
{
    const struct gprof_mapping *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->state < b->state ? -1 : a->state > b->state;
}

/* 'a', 't' or 'd' of a mapping symbol ("$t", "$d.1") or of a function; 0: says nothing.
 */
static char mapping_state(const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (type == STT_FUNC)
        return (symbol->st_value & 1) != 0 ? 't' : 'a';
    if (type == STT_NOTYPE && name[0] == '$' && strchr("atd", name[1]) != NULL &&
        (name[2] == '\0' || name[2] == '.'))
        return name[1];
    return '\0';
}

/* Functions are for images whose mapping symbols were stripped. */
static bool read_mappings(const struct gprof_image *image, struct gprof_decoder *decoder)
{
    decoder->mappings = calloc(image->file.symbol_count + 1, sizeof(*decoder->mappings));
    if (decoder->mappings == NULL)
        return false;
    for (size_t i = 1; i < image->file.symbol_count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(image->file.symbols, (int)i, &symbol) == NULL)
            continue;
        char state =
            mapping_state(&symbol, elf_file_string(&image->file, symbol.st_name));
        bool function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
        uint64_t address = function ? symbol.st_value & ~(uint64_t)1 : symbol.st_value;
        if (state != '\0')
            decoder->mappings[decoder->mapping_count++] =
                (struct gprof_mapping){address, state};
    }
    qsort(decoder->mappings, decoder->mapping_count, sizeof(*decoder->mappings),
          compare_mappings);
    return true;
}

bool gprof_choose_decoder(const struct gprof *gprof, struct gprof_decoder *decoder)
{
    const struct gprof_image *image = gprof->image;
    static const struct {
        unsigned machine;
        gprof_decode *decode;
        bool as_gnu;
    } machines[] = {
        {EM_386, decode_x86, true},        {EM_IAMCU, decode_x86, true},
        {EM_X86_64, decode_x86, true},     {EM_AARCH64, decode_aarch64, true},
        {EM_MIPS, decode_mips, true},      {EM_ARM, decode_arm, false},
        {EM_RISCV, decode_riscv, false},   {EM_AVR, decode_avr, false},
        {EM_SPARC, decode_sparc, false},   {EM_SPARC32PLUS, decode_sparc, false},
        {EM_SPARCV9, decode_sparc, false},
    };
    *decoder = (struct gprof_decoder){.wide = gprof->word_bytes == 8};
    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
        if (machines[i].machine == image->file.header.e_machine) {
            decoder->decode = machines[i].decode;
            decoder->as_gnu = machines[i].as_gnu;
        }
    }
    decoder->big_endian = gprof->big_endian;
    if (image->file.header.e_machine != EM_ARM)
        return true;
    /* BE8: data is big-endian, code is not. */
    if ((image->file.header.e_flags & EF_ARM_BE8) != 0)
        decoder->big_endian = false;
    return image->file.symbols == NULL || read_mappings(image, decoder);
}
