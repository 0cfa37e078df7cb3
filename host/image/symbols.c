/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/name.h"
#include "../base/search.h"
#include "internal.h"

/* A symbol that may become a function; for each address one of these is chosen. */
struct candidate {
    uint64_t address;
    uint64_t end; /* end of its section */
    const char *name;
    const char *source;
    size_t index;  /* in the table */
    unsigned rank; /* the lowest one is chosen */
    bool global;
};

/* An executable section, by its index in the ELF; size 0: not code. */
struct code_section {
    uint64_t low, size;
};

struct symbol_reader {
    struct image *image;
    struct code_section *sections; /* all sections of the ELF */
    struct candidate *found;
    size_t used;
    const char *source; /* file name of the local symbols that follow in the table */
};

static unsigned leading_underscores(const char *name)
{
    return (unsigned)(name_bare(name) - name);
}

/* mcuprof's own name comes first, so that its cost is seen as its cost; then typed, then
 * global names, then those with fewer leading underscores. */
static unsigned rank_of(const char *name, bool typed, bool global)
{
    unsigned underscores = leading_underscores(name);
    return (strncmp(name, "mcuprof_", 8) != 0) << 10 | !typed << 9 | !global << 8 |
           (underscores < 255 ? underscores : 255);
}

static void consider(struct symbol_reader *reader, const GElf_Sym *symbol,
                     uint32_t section, size_t index)
{
    const struct elf_file *file = &reader->image->file;
    const char *name = elf_file_string(file, symbol->st_name);
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool typed = type == STT_FUNC || type == STT_GNU_IFUNC;
    bool global = GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
    bool reserved = symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX;
    if (type == STT_FILE)
        reader->source = name;
    if (!typed && (type != STT_NOTYPE || !global))
        return;
    if (name[0] == '\0' || name[0] == '$' || reserved || section >= file->section_count)
        return;
    const struct code_section *code = &reader->sections[section];
    uint64_t address = elf_file_code_address(file, symbol);
    reader->image->short_code |= address != symbol->st_value;
    if (address < code->low || address - code->low >= code->size)
        return;
    reader->found[reader->used++] = (struct candidate){
        .address = address,
        .end = code->low + code->size,
        .name = name,
        .source = global ? NULL : reader->source,
        .index = index,
        .rank = rank_of(name, typed, global),
        .global = global,
    };
}

static bool read_sections(struct symbol_reader *reader)
{
    const GElf_Xword code = SHF_ALLOC | SHF_EXECINSTR;
    const struct elf_file *file = &reader->image->file;
    reader->sections = calloc(file->section_count + 1, sizeof *reader->sections);
    if (reader->sections == NULL)
        return false;
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (elf_file_header(file, i, &header) && (header.sh_flags & code) == code &&
            header.sh_addr + header.sh_size > header.sh_addr)
            reader->sections[i] = (struct code_section){header.sh_addr, header.sh_size};
    }
    return true;
}

static bool read_candidates(struct symbol_reader *reader)
{
    struct elf_file *file = &reader->image->file;
    elf_file_find_symbols(file);
    reader->found = calloc(file->symbol_count + 1, sizeof *reader->found);
    if (reader->found == NULL)
        return false;
    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (elf_file_symbol(file, i, &symbol, &section))
            consider(reader, &symbol, section, i);
    }
    return true;
}

static int by_address_then_rank(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    ORDER_BY(a->address, b->address);
    ORDER_BY(a->rank, b->rank);
    return (a->index > b->index) - (a->index < b->index);
}

static bool keep_best(struct symbol_reader *reader)
{
    struct image *image = reader->image;
    image->symbols = calloc(reader->used + 1, sizeof *image->symbols);
    if (image->symbols == NULL)
        return false;
    if (reader->used > 0)
        qsort(reader->found, reader->used, sizeof *reader->found, by_address_then_rank);
    struct demangle_budget budget = IMAGE_DEMANGLE_BUDGET;
    for (size_t i = 0; i < reader->used; i++) {
        const struct candidate *candidate = &reader->found[i];
        if (i > 0 && candidate->address == candidate[-1].address)
            continue;
        char *demangled = demangle(candidate->name, 0, &budget);
        image->symbols[image->symbol_count++] = (struct image_symbol){
            candidate->address, candidate->end,
            candidate->name,    demangled != NULL ? demangled : candidate->name,
            candidate->source,  candidate->global,
        };
    }
    for (size_t i = 0; i + 1 < image->symbol_count; i++)
        if (image->symbols[i].end > image->symbols[i + 1].address)
            image->symbols[i].end = image->symbols[i + 1].address;
    return true;
}

bool image_find_symbols(struct image *image, struct error *error)
{
    struct symbol_reader reader = {.image = image};
    /* libelf only reports that it cannot read the section; errno of malloc() tells why.
     */
    errno = 0;
    bool done = read_sections(&reader) && read_candidates(&reader) && keep_best(&reader);
    free(reader.sections);
    free(reader.found);
    if (!done || errno == ENOMEM)
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image->path);
    if (image->symbol_count == 0)
        return error_set(
            error, EXIT_BAD_INPUT,
            "%s: no function symbols; was it stripped? name the ELF as it was "
            "before: its build ID is the same",
            image->path);
    return true;
}

void image_release_symbols(struct image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++)
        if (image->symbols[i].demangled != image->symbols[i].name)
            free((char *)image->symbols[i].demangled);
    free(image->symbols);
}

size_t image_symbols(const struct image *image, const struct image_symbol **symbols)
{
    *symbols = image->symbols;
    return image->symbol_count;
}

const struct image_symbol *image_symbol_at(const struct image *image, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, image->symbol_count, image->symbols[middle].address <= address);
    if (low == 0 || address >= image->symbols[low - 1].end)
        return NULL;
    return &image->symbols[low - 1];
}
