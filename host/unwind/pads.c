/* SPDX-License-Identifier: MIT */
/* The tables are described in ARM IHI 0038 (.ARM.exidx, .ARM.extab) and, what C++ adds to
 * them, in the Itanium C++ ABI, "Exception Handling Tables". */
#include "pads.h"

#include <stdlib.h>

#include "../base/name.h"
#include "../base/search.h"
#include "../image/elf_file.h"

enum { OMITTED = 0xff, BY_LEB = 1, BY_WORD = 3, LEB_BYTES_MAX = 5, ENTRY_BYTES = 8 };

/* Reads on from `at`. `left`: so many lines of tables may still be read, for in an ELF
 * that somebody made up all functions may have one table. */
struct pads_reader {
    struct code *code;
    uint64_t at;
    size_t left;
    bool failed;
};

static uint32_t get(struct pads_reader *reader, unsigned bytes)
{
    uint32_t word = 0;
    reader->failed |= !code_data(reader->code, reader->at, bytes, &word);
    reader->at += bytes;
    return word;
}

static uint32_t get_leb(struct pads_reader *reader)
{
    uint32_t number = 0, byte = 0x80;
    for (unsigned i = 0; i < LEB_BYTES_MAX && (byte & 0x80) != 0; i++) {
        byte = get(reader, 1);
        number |= (byte & 0x7f) << 7 * i;
    }
    reader->failed |= (byte & 0x80) != 0;
    return number;
}

static uint32_t get_encoded(struct pads_reader *reader, unsigned encoding)
{
    return encoding == BY_LEB ? get_leb(reader) : get(reader, 4);
}

/* An address relative to its own place, of 31 bits. */
static uint64_t get_relative(struct pads_reader *reader)
{
    uint64_t at = reader->at;
    return (at + (uint64_t)code_signed(get(reader, 4), 31)) & UINT32_MAX;
}

/* Adds the landing pad of the next calls of the function. false: this is no table. */
static bool add(struct pads_reader *reader, const struct code_function *function,
                unsigned encoding)
{
    struct code *code = reader->code;
    uint64_t low = get_encoded(reader, encoding), bytes = get_encoded(reader, encoding);
    uint64_t pad = get_encoded(reader, encoding), most = function->high - function->low;
    get_leb(reader); /* what is caught */
    if (reader->failed || reader->left == 0 || low > most || bytes > most - low ||
        pad >= most)
        return false;
    reader->left--;
    if (pad != 0)
        code->pads[code->pad_count++] = (struct code_pad){
            function->low + low, function->low + low + bytes, function->low + pad};
    return true;
}

/* Reads which calls of the function have which landing pad. */
static void read_calls(struct pads_reader *reader, const struct code_function *function)
{
    bool other_base = get(reader, 1) != OMITTED;
    if (get(reader, 1) != OMITTED)
        get_leb(reader); /* where the types are */
    unsigned encoding = get(reader, 1);
    uint32_t size = get_leb(reader);
    uint64_t end = reader->at + size;
    if (other_base || (encoding != BY_LEB && encoding != BY_WORD))
        return;
    while (reader->at < end && add(reader, function, encoding))
        continue;
}

/* Whether the function reads tables of this kind, as __gxx_personality_v0 does. */
static bool is_personality(const struct code *code, uint64_t address)
{
    const struct code_function *function =
        code_begins(code, address & ~code->arch.arch->state_bit);
    return function != NULL && name_has(function->name, "personality");
}

/* Reads an entry of .ARM.exidx: a function, and its table in .ARM.extab, unless the word
 * is a number. */
static void read_entry(struct pads_reader *reader)
{
    const struct code *code = reader->code;
    uint64_t low = get_relative(reader) & ~code->arch.arch->state_bit;
    const struct code_function *function = code_begins(code, low);
    uint32_t word;
    if (function == NULL || !code_data(code, reader->at, 4, &word) || word >> 31 != 0 ||
        word == 1)
        return;
    reader->at = get_relative(reader);
    if (!code_data(code, reader->at, 4, &word) || word >> 31 != 0 ||
        !is_personality(code, get_relative(reader)))
        return;
    word = get(reader, 4); /* so many further words say what to pop */
    reader->at += 4 * (word >> 24);
    if (!reader->failed)
        read_calls(reader, function);
}

static int by_low(const void *left, const void *right)
{
    const struct code_pad *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

bool pads_read(struct code *code, const struct elf_file *file)
{
    struct pads_reader reader = {.code = code, .left = code_units(code)};
    GElf_Shdr header;
    if (code->arch.arch != &arch_arm)
        return true;
    code->pads = calloc(reader.left + 1, sizeof *code->pads);
    if (code->pads == NULL)
        return false;
    for (size_t i = 1; i < file->section_count; i++) {
        if (!elf_file_header(file, i, &header) || header.sh_type != SHT_ARM_EXIDX ||
            !elf_file_has(file, &header))
            continue;
        for (uint64_t at = 0; at + ENTRY_BYTES <= header.sh_size; at += ENTRY_BYTES) {
            reader.at = header.sh_addr + at;
            reader.failed = false;
            read_entry(&reader);
        }
    }
    qsort(code->pads, code->pad_count, sizeof *code->pads, by_low);
    return true;
}

uint64_t pads_of(const struct code *code, uint64_t at)
{
    size_t low = 0;
    SEARCH(low, code->pad_count, code->pads[middle].low <= at);
    return low > 0 && at < code->pads[low - 1].high ? code->pads[low - 1].pad : 0;
}
