/* SPDX-License-Identifier: MIT */
/* What is at an address of the code. */
#include "code.h"

#include <string.h>

#include "../base/search.h"

size_t code_units(const struct code *code)
{
    uint64_t bytes = code->ram_high - code->ram_low + code->unit - 1;
    return (size_t)((code->high - code->low + code->unit - 1) / code->unit +
                    bytes / code->unit);
}

bool code_at(const struct code *code, uint64_t address)
{
    return code_end(code, address) != 0 && address % code->unit == 0 &&
           code->kinds[code_index(code, address)] >= CODE_NARROW;
}

const struct code_function *code_in(const struct code *code, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, code->function_count, code->functions[middle].low <= address);
    if (low == 0 || address >= code->functions[low - 1].high)
        return NULL;
    return &code->functions[low - 1];
}

const struct code_function *code_begins(const struct code *code, uint64_t address)
{
    const struct code_function *function = code_in(code, address);
    return function != NULL && function->low == address ? function : NULL;
}

uint64_t code_object_end(const struct code *code, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, code->object_count, code->objects[middle].low <= address);
    bool inside = low > 0 && address < code->objects[low - 1].high;
    return inside ? code->objects[low - 1].high : 0;
}

struct arch_instruction code_instruction(const struct code *code, uint64_t at)
{
    struct arch_instruction found = {.bytes = code->unit};
    for (size_t i = 0; i < code->section_count; i++) {
        const struct code_section *section = &code->sections[i];
        uint64_t offset = at - section->low;
        if (at < section->low || offset >= section->size ||
            section->size - offset < code->unit)
            continue;
        arch_decode(&code->arch, at, section->bytes + offset,
                    (size_t)(section->size - offset), &found);
        break;
    }
    return found;
}

unsigned code_length(const struct code *code, uint64_t at)
{
    return code_instruction(code, at).bytes;
}

uint64_t code_target(const struct code *code, uint64_t at)
{
    struct arch_instruction found = code_instruction(code, at);
    bool goes_there = found.kind != ARCH_GOES_ON && found.kind != ARCH_LEAVE;
    return goes_there ? found.target : UINT64_MAX;
}

static bool fetch(const struct code *code, uint64_t address, unsigned bytes, bool big,
                  bool fixed, uint32_t *word)
{
    for (size_t i = 0; i < code->section_count; i++) {
        const struct code_section *section = &code->sections[i];
        uint64_t offset = address - section->low;
        if (address < section->low || offset >= section->size ||
            section->size - offset < bytes || (fixed && !section->fixed))
            continue;
        *word = 0;
        for (unsigned k = 0; k < bytes; k++)
            *word = *word << 8 | section->bytes[offset + (big ? k : bytes - 1 - k)];
        return true;
    }
    return false;
}

bool code_fetch(const struct code *code, uint64_t address, unsigned bytes, uint32_t *word)
{
    return fetch(code, address, bytes, code->arch.big_endian, false, word);
}

bool code_data(const struct code *code, uint64_t address, unsigned bytes, uint32_t *word)
{
    return fetch(code, address, bytes, code->big_endian, false, word);
}

bool code_constant(const struct code *code, uint64_t address, unsigned bytes,
                   uint32_t *word)
{
    return fetch(code, address, bytes, code->big_endian, true, word);
}
