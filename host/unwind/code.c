/* SPDX-License-Identifier: MIT */
/* The bytes of the code, and which of them are data. symbols.c finds the functions. */
#include "code.h"
#include "../base/search.h"

#include <stdlib.h>
#include <string.h>

#include "../image/elf_file.h"
#include "mcuprof_unwind.h"
#include "pads.h"
#include "symbols.h"

enum { GAP_MAX = 1 << 16 }; /* between two sections of one table */

static bool is_table(const struct elf_file *file, const GElf_Shdr *header)
{
    const char *name = elf_file_section_name(file, header);
    return name != NULL && strcmp(name, ".mcuprof_unwind") == 0;
}

static bool read_sections(struct code *code, const struct elf_file *file)
{
    code->sections = calloc(file->section_count + 1, sizeof *code->sections);
    if (code->sections == NULL)
        return false;
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (!elf_file_header(file, i, &header) || (header.sh_flags & SHF_ALLOC) == 0 ||
            header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED) != 0 ||
            is_table(file, &header))
            continue;
        Elf_Data *data = elf_file_bytes(file, i);
        if (data == NULL && header.sh_size > 0 && elf_file_has(file, &header))
            return false;
        if (data == NULL || data->d_size == 0 ||
            header.sh_addr + data->d_size < header.sh_addr)
            continue;
        code->sections[code->section_count++] =
            (struct code_section){header.sh_addr, data->d_size, data->d_buf,
                                  (header.sh_flags & SHF_WRITE) == 0};
    }
    return true;
}

/* The address of the section .text or, without that section, of the lowest code. */
static uint64_t text_address(const struct elf_file *file, uint64_t otherwise)
{
    GElf_Shdr header;
    size_t index = elf_file_find(file, 0, ".text", &header);
    while (index != 0 && header.sh_size == 0)
        index = elf_file_find(file, index, ".text", &header);
    return index != 0 ? header.sh_addr : otherwise;
}

static bool is_near(uint64_t from, uint64_t to)
{
    return to <= from || to - from <= GAP_MAX;
}

static size_t cluster_end(const struct image_range *ranges, size_t count, size_t first)
{
    size_t last = first;
    while (last + 1 < count && is_near(ranges[last].high, ranges[last + 1].low))
        last++;
    return last + 1;
}

static bool is_range(uint64_t low, uint64_t high)
{
    return high > low && high <= (uint64_t)UINT32_MAX + 1;
}

/* Of the other code, the range that has most of it is the code in RAM. */
static void find_ram(struct code *code, const struct image_range *ranges, size_t count,
                     uint64_t page)
{
    uint64_t most = 0;
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t bytes = 0;
        end = cluster_end(ranges, count, i);
        for (size_t k = i; k < end; k++)
            bytes += ranges[k].high - ranges[k].low;
        uint64_t low = ranges[i].low / page * page, high = ranges[end - 1].high;
        if (bytes <= most || !is_range(low, high) ||
            (low < code->high && high > code->low))
            continue;
        most = bytes;
        code->ram_low = low;
        code->ram_high = high;
    }
}

/* The table covers two ranges: .text and the code below and above it without large gaps,
 * and code elsewhere. */
static bool find_range(struct code *code, const struct image *image)
{
    const struct image_range *ranges;
    size_t count = image_code(image, &ranges);
    if (count == 0)
        return false;
    uint64_t text = text_address(image_file(image), ranges[0].low);
    size_t first = 0;
    while (first + 1 < count && ranges[first].high <= text)
        first++;
    size_t end = cluster_end(ranges, count, first);
    while (first > 0 && is_near(ranges[first - 1].high, ranges[first].low))
        first--;
    uint64_t page = (uint64_t)MCUPROF_UNWIND_PAGE_UNITS * code->unit;
    code->low = ranges[first].low / page * page;
    code->high = ranges[end - 1].high;
    find_ram(code, ranges, count, page);
    return is_range(code->low, code->high);
}

/* Marks the whole of the code sections; symbols later mark the data in them. */
static void mark_code(struct code *code, const struct image *image, unsigned kind)
{
    const struct image_range *ranges;
    size_t count = image_code(image, &ranges);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].high > code_end(code, ranges[i].low))
            continue;
        for (uint64_t at = ranges[i].low; at < ranges[i].high; at += code->unit)
            code->kinds[code_index(code, at)] = (uint8_t)kind;
    }
}

/* Whether the ranges are in proportion to the sections' bytes: a damaged ELF may claim
 * more. */
static bool fits(const struct code *code)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < code->section_count; i++)
        bytes += code->sections[i].size;
    return (uint64_t)code_units(code) * code->unit / 16 <= bytes + GAP_MAX;
}

bool code_read(struct code *code, const struct image *image, struct error *error)
{
    const char *path = image_path(image);
    const struct elf_file *file = image_file(image);
    *code = (struct code){.unit = file->arch->unit};
    if (file->word_bytes != 4)
        return error_set(error, EXIT_BAD_INPUT, "%s: not an ELF of 32 bits", path);
    code->big_endian = file->big_endian;
    code->flags = file->header.e_flags;
    if (!elf_file_code(file, &code->arch) || !read_sections(code, file))
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    if (!find_range(code, image) || !fits(code))
        return error_set(error, EXIT_BAD_INPUT, "%s: no code that could be followed",
                         path);
    code->kinds = calloc(code_units(code) + 1, 1);
    if (code->kinds == NULL)
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    mark_code(code, image, CODE_NARROW);
    if (!symbols_read(code, image) || !pads_read(code, file))
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    return true;
}

void code_release(struct code *code)
{
    arch_code_release(&code->arch);
    free(code->kinds);
    free(code->functions);
    free(code->objects);
    free(code->sections);
    free(code->pads);
}
