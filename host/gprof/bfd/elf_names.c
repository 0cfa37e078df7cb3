/* SPDX-License-Identifier: MIT */
/* The ELF's symbols of .text, for code of which the debug information knows no name. */
#include <stdlib.h>
#include <string.h>

#include "../../base/search.h"
#include "lines.h"

static int compare_elf_names(const void *left, const void *right)
{
    const struct gprof_elf_name *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* What marks code and data in the midst of functions. */
static bool is_mapping(const struct gprof_image *image, const GElf_Sym *symbol,
                       const char *name)
{
    if (name[0] != '$' || GELF_ST_BIND(symbol->st_info) != STB_LOCAL)
        return false;
    switch (image->file.header.e_machine) {
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

static bool code_type(const struct gprof_image *image, unsigned type)
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
        return image->file.header.e_machine != EM_ARM &&
               image->file.header.e_machine != EM_AARCH64;
    }
}

/* Not sections, files, data, nor the marks of annobin. */
static bool names_code(const struct gprof_image *image, const GElf_Sym *symbol,
                       uint32_t section, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool annobin = symbol->st_size == 0 && type == STT_NOTYPE &&
                   GELF_ST_BIND(symbol->st_info) == STB_LOCAL &&
                   GELF_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN;
    return section == image->text_index && !annobin && code_type(image, type) &&
           !is_mapping(image, symbol, name);
}

bool gprof_read_elf_names(const struct gprof_image *image, struct gprof_elf_names *names)
{
    size_t count = 0, kept = 0;
    struct gprof_elf_name *items = calloc(image->file.symbol_count + 1, sizeof(*items));
    if (items == NULL)
        return false;
    for (size_t i = 1; i < image->file.symbol_count && i < UINT32_MAX; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!gprof_image_symbol(image, i, &symbol, &section))
            continue;
        const char *name = elf_file_string(&image->file, symbol.st_name);
        uint64_t size = symbol.st_size == 0 ? 1 : symbol.st_size;
        if (names_code(image, &symbol, section, name))
            items[count++] = (struct gprof_elf_name){symbol.st_value - image->text_low,
                                                     size, name, (uint32_t)i};
    }
    qsort(items, count, sizeof(*items), compare_elf_names);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || items[i].offset != items[kept - 1].offset)
            items[kept++] = items[i];
    names->items = items;
    names->count = kept;
    return true;
}

/* The last at or before the offset; 0: none. */
static size_t search(const struct gprof_elf_names *names, uint64_t offset)
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

static uint64_t end_of(const struct gprof_elf_name *name)
{
    uint64_t end = name->offset + name->size;
    return end < name->offset ? UINT64_MAX : end;
}

const struct gprof_elf_name *gprof_elf_name_at(struct gprof_elf_names *names,
                                               uint64_t offset, uint64_t *until)
{
    size_t at = names->last;
    /* BFD stays with the last one to its end, whatever begins within it. */
    if (at == 0 || offset - names->items[at - 1].offset >= names->items[at - 1].size)
        at = search(names, offset);
    names->last = at;
    *until = at < names->count ? names->items[at].offset : UINT64_MAX;
    if (at > 0 && offset - names->items[at - 1].offset < names->items[at - 1].size)
        *until = end_of(&names->items[at - 1]);
    return at == 0 ? NULL : &names->items[at - 1];
}
