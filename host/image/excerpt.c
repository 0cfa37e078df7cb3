/* SPDX-License-Identifier: MIT */
#include "excerpt.h"

#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "internal.h"

/* Ranges so near to each other are one piece: to disassemble what lies between them takes
 * objdump less than another section, for each of which it sorts all symbols. */
enum { GAP_BYTES = 1024 };

/* A range with its bytes, and what follows up to the next one in its section: two
 * sections of the excerpt. */
struct piece {
    uint64_t low, high, end; /* [high, end) is the rest */
    size_t section;          /* of the image: the one that it was cut from */
    bool is_first;           /* of that section */
    const uint8_t *bytes;
    GElf_Sym mapping; /* the last mapping symbol up to `low`, which tells how the first
                       * instruction is read; st_name 0: none */
};

/* The pieces [first, end): all of a section's are among these. */
struct pieces {
    size_t first, end;
};

struct excerpt {
    const struct image *image;
    const struct elf_file *in; /* its file */
    Elf *out;
    struct piece *pieces; /* ascending */
    size_t count;
    struct pieces *of;     /* by section of the image */
    const uint64_t *named; /* see excerpt_write() */
    size_t named_count;
    uint64_t *nearest; /* for each of these, where the last symbol up to it is */
    Elf_Data *symbols;
    int symbol_count;
};

/* ---- Pieces ---- */

/* Finds the section that has the bytes of an address; 0: none. */
static size_t find_section(const struct elf_file *in, uint64_t address, GElf_Shdr *header)
{
    for (size_t i = 1; i < in->section_count; i++)
        if (elf_file_header(in, i, header) && (header->sh_flags & SHF_EXECINSTR) != 0 &&
            address >= header->sh_addr && address - header->sh_addr < header->sh_size &&
            elf_file_bytes(in, i) != NULL)
            return i;
    return 0;
}

/* Makes a range longer or, if it is not near the last piece, a piece of its own, as far
 * as it has bytes. */
static void add_range(struct excerpt *excerpt, const struct image_range *range)
{
    GElf_Shdr header = {0};
    size_t section = find_section(excerpt->in, range->low, &header);
    Elf_Data *data = section != 0 ? elf_file_bytes(excerpt->in, section) : NULL;
    uint64_t offset = range->low - header.sh_addr, size = range->high - range->low;
    struct piece *piece = &excerpt->pieces[excerpt->count];
    struct piece *last = piece - (excerpt->count > 0);

    if (data == NULL || offset >= data->d_size)
        return;
    if (size > data->d_size - offset)
        size = data->d_size - offset;
    bool follows = last->section == section;
    if (follows && (range->low <= last->high || range->low - last->high <= GAP_BYTES)) {
        last->high = range->low + size > last->high ? range->low + size : last->high;
        return;
    }
    *piece = (struct piece){
        .low = range->low,
        .high = range->low + size,
        .end = header.sh_addr + header.sh_size,
        .section = section,
        .is_first = !follows,
        .bytes = (const uint8_t *)data->d_buf + offset,
    };
    if (follows)
        last->end = piece->low;
    if (excerpt->of[section].end == 0)
        excerpt->of[section].first = excerpt->count;
    excerpt->of[section].end = ++excerpt->count;
}

/* The number of the piece's own section in the excerpt; its rest is the next one. */
static size_t section_of(const struct excerpt *excerpt, size_t piece)
{
    return excerpt->in->section_count + 2 * piece;
}

static bool is_shown(const struct excerpt *excerpt, size_t place)
{
    return place >= excerpt->in->section_count && place < SHN_LORESERVE &&
           (place - excerpt->in->section_count) % 2 == 0;
}

/* None of a section that the image does not have, as that of absolute symbols. */
static struct pieces pieces_of(const struct excerpt *excerpt, size_t section)
{
    return section < excerpt->in->section_count ? excerpt->of[section]
                                                : (struct pieces){0, 0};
}

/* The last piece of a section that begins at or before an address; SIZE_MAX: none. */
static size_t piece_before(const struct excerpt *excerpt, size_t section,
                           uint64_t address)
{
    const struct pieces of = pieces_of(excerpt, section);
    size_t low = of.first;
    SEARCH(low, of.end, excerpt->pieces[middle].low <= address);
    while (low > of.first && excerpt->pieces[low - 1].section != section)
        low--;
    return low > of.first ? low - 1 : SIZE_MAX;
}

/* ---- Symbols ---- */

static bool is_mapping(const struct elf_file *in, const GElf_Sym *symbol)
{
    const char *name = elf_file_string(in, symbol->st_name);

    return in->arch->mapping != NULL && name[0] == '$' && name[1] != '\0' &&
           strchr(in->arch->mapping, name[1]) != NULL;
}

/* Has the first piece behind a mapping symbol start with it, unless another is nearer. */
static void carry(struct excerpt *excerpt, const GElf_Sym *symbol, size_t section)
{
    const struct pieces of = pieces_of(excerpt, section);
    size_t at = of.first;
    SEARCH(at, of.end, excerpt->pieces[middle].low < symbol->st_value);
    while (at < of.end && excerpt->pieces[at].section != section)
        at++;
    if (at == of.end)
        return;
    GElf_Sym *mapping = &excerpt->pieces[at].mapping;
    if (mapping->st_name == 0 || symbol->st_value >= mapping->st_value)
        *mapping = *symbol;
}

/* The section of the excerpt that has a symbol. */
static size_t place_of(const struct excerpt *excerpt, const GElf_Sym *symbol,
                       size_t section)
{
    uint64_t address = elf_file_code_address(excerpt->in, symbol);
    size_t at = piece_before(excerpt, section, address);

    if (at == SIZE_MAX)
        return section;
    return section_of(excerpt, at) + (address >= excerpt->pieces[at].high);
}

static void add_symbol(struct excerpt *excerpt, GElf_Sym *symbol, size_t section)
{
    /* a section number too large for a symbol: as a symbol of none it keeps its name */
    symbol->st_shndx = section < SHN_LORESERVE ? (Elf64_Section)section : SHN_ABS;
    gelf_update_sym(excerpt->symbols, excerpt->symbol_count++, symbol);
}

/* Whether a symbol of no code has the address where a function begins: objdump prefers
 * names of the section that it reads, but the function may be in another one now. */
static bool is_beside(const struct excerpt *excerpt, const GElf_Sym *symbol,
                      size_t section)
{
    const struct image_symbol *function =
        image_symbol_at(excerpt->image, symbol->st_value);
    GElf_Shdr header = {.sh_flags = 0};

    if (function == NULL || function->address != symbol->st_value)
        return false;
    if (section < excerpt->in->section_count)
        elf_file_header(excerpt->in, section, &header);
    return (header.sh_flags & SHF_EXECINSTR) == 0;
}

/* The first of `named` at or behind a symbol. */
static size_t named_by(const struct excerpt *excerpt, const GElf_Sym *symbol)
{
    uint64_t address = elf_file_code_address(excerpt->in, symbol);
    size_t at = 0;
    SEARCH(at, excerpt->named_count, excerpt->named[middle] < address);
    return at;
}

/* Reads a symbol and finds its section in the excerpt. false: it is of no use. */
static bool read_symbol(struct excerpt *excerpt, size_t number, GElf_Sym *symbol,
                        size_t *place)
{
    uint32_t section;

    if (!elf_file_symbol(excerpt->in, number, symbol, &section) || section == SHN_UNDEF ||
        GELF_ST_TYPE(symbol->st_info) == STT_FILE || is_beside(excerpt, symbol, section))
        return false;
    *place = place_of(excerpt, symbol, section);
    if (!is_mapping(excerpt->in, symbol))
        return true;
    carry(excerpt, symbol, section);
    return is_shown(excerpt, *place);
}

/* Finds `nearest`. */
static void find_nearest(struct excerpt *excerpt)
{
    GElf_Sym symbol;
    size_t place;

    for (size_t i = 0; i < excerpt->in->symbol_count; i++) {
        if (!read_symbol(excerpt, i, &symbol, &place) || is_mapping(excerpt->in, &symbol))
            continue;
        size_t at = named_by(excerpt, &symbol);
        uint64_t address = elf_file_code_address(excerpt->in, &symbol);
        if (at < excerpt->named_count && address > excerpt->nearest[at])
            excerpt->nearest[at] = address;
    }
    for (size_t i = 1; i < excerpt->named_count; i++)
        if (excerpt->nearest[i] == 0)
            excerpt->nearest[i] = excerpt->nearest[i - 1];
}

static bool is_wanted(const struct excerpt *excerpt, const GElf_Sym *symbol, size_t place)
{
    size_t at = excerpt->named != NULL ? named_by(excerpt, symbol) : 0;

    return excerpt->named == NULL || is_shown(excerpt, place) ||
           (at < excerpt->named_count &&
            excerpt->nearest[at] == elf_file_code_address(excerpt->in, symbol));
}

static void copy_symbols(struct excerpt *excerpt)
{
    GElf_Sym symbol = {.st_name = 0};
    size_t place;

    gelf_update_sym(excerpt->symbols, excerpt->symbol_count++, &symbol);
    for (size_t i = 1; i < excerpt->in->symbol_count; i++)
        if (read_symbol(excerpt, i, &symbol, &place) &&
            is_wanted(excerpt, &symbol, place))
            add_symbol(excerpt, &symbol, place);
}

/* Adds the mapping symbols that pieces start with. */
static void add_mappings(struct excerpt *excerpt)
{
    for (size_t i = 0; i < excerpt->count; i++) {
        struct piece *piece = &excerpt->pieces[i];
        if (piece->mapping.st_name == 0 && !piece->is_first)
            piece->mapping = piece[-1].mapping;
        if (piece->mapping.st_name == 0 || piece->mapping.st_value == piece->low)
            continue;
        piece->mapping.st_value = piece->low;
        add_symbol(excerpt, &piece->mapping, section_of(excerpt, i));
    }
}

/* ---- Sections ---- */

/* Appends a section of these bytes. NULL: libelf's error says why. */
static Elf_Data *add_section(struct excerpt *excerpt, GElf_Shdr header, const void *bytes,
                             size_t size)
{
    Elf_Scn *section = elf_newscn(excerpt->out);
    Elf_Data *data = section != NULL ? elf_newdata(section) : NULL;

    header.sh_size = size;
    header.sh_addralign = 1;
    if (data == NULL || gelf_update_shdr(section, &header) == 0)
        return NULL;
    data->d_buf = (void *)(uintptr_t)bytes;
    data->d_size = size;
    data->d_align = 1;
    return data;
}

/* A section of code, or of none (bytes NULL), named and flagged as the one it is cut
 * from. */
static bool add_code(struct excerpt *excerpt, GElf_Shdr header, const uint8_t *bytes,
                     uint64_t low, uint64_t high)
{
    header.sh_type = bytes != NULL ? SHT_PROGBITS : SHT_NOBITS;
    header.sh_link = header.sh_info = header.sh_entsize = 0;
    header.sh_addr = low;
    return add_section(excerpt, header, bytes, high > low ? high - low : 0) != NULL;
}

/* Whether a section says how code is read, as the attributes of ARM and RISC-V and the
 * tables of Xtensa do. */
static bool tells_of_code(const struct elf_file *in, const GElf_Shdr *header)
{
    const char *name = elf_file_section_name(in, header);
    bool of_processor = header->sh_type >= SHT_LOPROC && header->sh_type <= SHT_HIPROC;

    return of_processor || header->sh_type == SHT_GNU_ATTRIBUTES ||
           (name != NULL && strncmp(name, ".xt", 3) == 0);
}

/* Begins the symbols, with room for those that are added. */
static bool begin_symbols(struct excerpt *excerpt, GElf_Shdr header)
{
    size_t most = excerpt->in->symbol_count + excerpt->count + 1;
    size_t each = gelf_fsize(excerpt->out, ELF_T_SYM, 1, EV_CURRENT), size = most * each;
    void *symbols = calloc(1, size);

    if (symbols == NULL)
        return false;
    header.sh_info = 0; /* objdump does not ask which ones are local */
    header.sh_entsize = each;
    excerpt->symbols = add_section(excerpt, header, symbols, size);
    if (excerpt->symbols == NULL)
        free(symbols);
    else
        excerpt->symbols->d_type = ELF_T_SYM;
    return excerpt->symbols != NULL;
}

/* Where the first piece of a section begins. */
static uint64_t first_cut(const struct excerpt *excerpt, size_t section, uint64_t end)
{
    const struct pieces of = pieces_of(excerpt, section);

    return of.end > 0 ? excerpt->pieces[of.first].low : end;
}

/* Puts a section in the place of the image's: with what is needed of it, or empty. */
static bool copy_section(struct excerpt *excerpt, size_t number, size_t names)
{
    const struct elf_file *in = excerpt->in;
    Elf_Data *bytes = NULL;
    GElf_Shdr header;

    if (!elf_file_header(in, number, &header))
        header = (GElf_Shdr){.sh_type = SHT_NULL};
    if (header.sh_type == SHT_SYMTAB && excerpt->symbols == NULL)
        return begin_symbols(excerpt, header);
    if ((header.sh_flags & SHF_ALLOC) != 0)
        return add_code(excerpt, header, NULL, header.sh_addr,
                        first_cut(excerpt, number, header.sh_addr + header.sh_size));
    if (header.sh_type == SHT_STRTAB || number == names || tells_of_code(in, &header))
        bytes = elf_file_bytes(in, number);
    if (bytes == NULL)
        return add_section(excerpt, (GElf_Shdr){.sh_type = SHT_NULL}, NULL, 0) != NULL;
    header.sh_link = header.sh_info = header.sh_entsize = 0;
    return add_section(excerpt, header, bytes->d_buf, bytes->d_size) != NULL;
}

static bool add_sections(struct excerpt *excerpt)
{
    size_t names = 0;
    bool done = elf_getshdrstrndx(excerpt->in->elf, &names) == 0;

    for (size_t i = 1; done && i < excerpt->in->section_count; i++)
        done = copy_section(excerpt, i, names);
    for (size_t i = 0; done && i < excerpt->count; i++) {
        const struct piece *piece = &excerpt->pieces[i];
        GElf_Shdr header;
        done = elf_file_header(excerpt->in, piece->section, &header) &&
               add_code(excerpt, header, piece->bytes, piece->low, piece->high) &&
               add_code(excerpt, header, NULL, piece->high, piece->end);
    }
    return done;
}

/* ---- All of it ---- */

static bool add_header(struct excerpt *excerpt)
{
    GElf_Ehdr header = excerpt->in->header;

    header.e_phoff = header.e_phnum = header.e_phentsize = 0;
    header.e_shoff = header.e_shnum = 0;
    return gelf_newehdr(excerpt->out, header.e_ident[EI_CLASS]) != NULL &&
           gelf_update_ehdr(excerpt->out, &header) != 0;
}

static bool write_all(struct excerpt *excerpt)
{
    if (!add_header(excerpt) || !add_sections(excerpt))
        return false;
    if (excerpt->symbols != NULL) {
        find_nearest(excerpt);
        copy_symbols(excerpt);
        add_mappings(excerpt);
        excerpt->symbols->d_size = (size_t)excerpt->symbol_count *
                                   gelf_fsize(excerpt->out, ELF_T_SYM, 1, EV_CURRENT);
    }
    return elf_update(excerpt->out, ELF_C_WRITE) >= 0;
}

bool excerpt_write(const struct image *image, const struct image_range *ranges,
                   size_t count, const uint64_t *named, size_t named_count, int file,
                   struct error *error)
{
    struct excerpt excerpt = {
        .image = image,
        .in = &image->file,
        .out = elf_begin(file, ELF_C_WRITE, NULL),
        .pieces = calloc(count + 1, sizeof *excerpt.pieces),
        .named = named,
        .named_count = named_count,
        .of = calloc(image->file.section_count + 1, sizeof *excerpt.of),
        .nearest = calloc(named_count + 1, sizeof *excerpt.nearest),
    };
    bool memory = excerpt.pieces != NULL && excerpt.of != NULL && excerpt.nearest != NULL;
    bool done = excerpt.out != NULL && memory;

    for (size_t i = 0; done && i < count; i++)
        add_range(&excerpt, &ranges[i]);
    done = done && write_all(&excerpt);
    if (!done)
        error_set(error, EXIT_BAD_INPUT, "%s: cannot copy its code for objdump: %s",
                  image->path, memory ? elf_errmsg(-1) : "out of memory");
    if (excerpt.symbols != NULL)
        free(excerpt.symbols->d_buf);
    elf_end(excerpt.out);
    free(excerpt.pieces);
    free(excerpt.of);
    free(excerpt.nearest);
    return done;
}
