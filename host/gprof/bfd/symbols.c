/* SPDX-License-Identifier: MIT */
/* Reads the ELF's symbols. Those of .text name code for which the debug information has
 * no name. */
#include <stdlib.h>

#include "../../base/search.h"
#include "internal.h"

bool bfd_symbol(const struct elf_file *elf, size_t number, GElf_Sym *symbol,
                uint32_t *section)
{
    GElf_Shdr header;
    if (!elf_file_symbol(elf, number, symbol, section))
        return false;
    symbol->st_value = elf_file_code_address(elf, symbol);
    if (elf->header.e_type == ET_REL && *section < elf->section_count &&
        elf_file_header(elf, *section, &header))
        symbol->st_value += header.sh_addr;
    symbol->st_value = elf_file_address(elf, symbol->st_value);
    /* This is a Thumb function from the time before the EABI; its address is even. */
    if (elf->header.e_machine == EM_ARM && GELF_ST_TYPE(symbol->st_info) == STT_ARM_TFUNC)
        symbol->st_info = GELF_ST_INFO(GELF_ST_BIND(symbol->st_info), STT_FUNC);
    return true;
}

static int compare_elf_names(const void *left, const void *right)
{
    const struct bfd_name *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Whether the symbol is a mapping symbol: these mark code and data in the midst of
 * functions. */
static bool is_mapping(const struct elf_file *elf, const GElf_Sym *symbol,
                       const char *name)
{
    if (name[0] != '$' || GELF_ST_BIND(symbol->st_info) != STB_LOCAL)
        return false;
    switch (elf->header.e_machine) {
    case EM_ARM:
    case EM_AARCH64:
        return true;
    case EM_RISCV:
        return name[1] == 'x' || name[1] == 'd';
    default:
        return false;
    }
}

enum { STT_RELC = 8, STT_SRELC = 9 };

static bool code_type(const struct elf_file *elf, unsigned type)
{
    switch (type) {
    case STT_NOTYPE:
    case STT_FUNC:
        return true;
    case STT_SECTION:
    case STT_FILE:
    case STT_OBJECT:
    case STT_COMMON:
    case STT_TLS:
    case STT_RELC:
    case STT_SRELC:
        return false;
    default:
        return elf->header.e_machine != EM_ARM && elf->header.e_machine != EM_AARCH64;
    }
}

/* Whether the symbol names code: sections, files, data and the marks of annobin do not.
 */
static bool names_code(const struct elf_file *elf, const GElf_Sym *symbol,
                       const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool annobin = symbol->st_size == 0 && type == STT_NOTYPE &&
                   GELF_ST_BIND(symbol->st_info) == STB_LOCAL &&
                   GELF_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN;
    return !annobin && code_type(elf, type) && !is_mapping(elf, symbol, name);
}

bool bfd_read_names(const struct elf_file *elf, const struct bfd_text *text,
                    struct bfd_names *names)
{
    size_t count = 0, kept = 0;
    struct bfd_name *items = calloc(elf->symbol_count + 1, sizeof(*items));
    if (items == NULL)
        return false;
    for (size_t i = 1; i < elf->symbol_count && i < UINT32_MAX; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!bfd_symbol(elf, i, &symbol, &section))
            continue;
        const char *name = elf_file_string(elf, symbol.st_name);
        uint64_t size = symbol.st_size == 0 ? 1 : symbol.st_size;
        if (section == text->index && names_code(elf, &symbol, name))
            items[count++] =
                (struct bfd_name){symbol.st_value - text->low, size, name, (uint32_t)i};
    }
    qsort(items, count, sizeof(*items), compare_elf_names);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || items[i].offset != items[kept - 1].offset)
            items[kept++] = items[i];
    names->items = items;
    names->count = kept;
    return true;
}

/* The number, from 1, of the last symbol at or before the offset; 0: none. */
static size_t search(const struct bfd_names *names, uint64_t offset)
{
    size_t low = 0, high = names->count;
    if (names->last > 0 && names->last <= high &&
        names->items[names->last - 1].offset <= offset)
        low = names->last;
    if (low < high && names->items[low].offset > offset)
        high = low;
    SEARCH(low, high, names->items[middle].offset <= offset);
    return low;
}

static uint64_t end_of(const struct bfd_name *name)
{
    uint64_t end = name->offset + name->size;
    return end < name->offset ? UINT64_MAX : end;
}

const struct bfd_name *bfd_name_at(struct bfd_names *names, uint64_t offset,
                                   uint64_t *until)
{
    size_t at = names->last;
    /* BFD keeps to the last symbol up to its end, whatever else begins within it. */
    if (at == 0 || offset - names->items[at - 1].offset >= names->items[at - 1].size)
        at = search(names, offset);
    names->last = at;
    *until = at < names->count ? names->items[at].offset : UINT64_MAX;
    if (at > 0 && offset - names->items[at - 1].offset < names->items[at - 1].size)
        *until = end_of(&names->items[at - 1]);
    return at == 0 ? NULL : &names->items[at - 1];
}
