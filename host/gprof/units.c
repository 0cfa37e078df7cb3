/* SPDX-License-Identifier: MIT */
/* The units of the debug information, their line tables and functions. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_attr(die, name, &attribute) == NULL ||
        dwarf_formudata(&attribute, &value) != 0)
        return otherwise;
    return value;
}

static bool add_unit(struct gprof_lines *lines, const struct gprof_unit *unit)
{
    if (lines->unit_count == lines->unit_room) {
        size_t room = lines->unit_room == 0 ? 16 : lines->unit_room * 2;
        void *moved = reallocarray(lines->units, room, sizeof(*lines->units));
        if (moved == NULL)
            return false;
        lines->units = moved;
        lines->unit_room = room;
    }
    lines->units[lines->unit_count++] = *unit;
    return true;
}

/* The unit that comes first has what several have. */
static bool add_ranges(struct gprof *gprof, Dwarf_Die *die, uint64_t most)
{
    struct gprof_lines *lines = gprof->image->lines;
    uint32_t owner = (uint32_t)lines->unit_count;
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    while (most-- > 0 && (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
        struct gprof_span span = {gprof_image_address(gprof->image, low),
                                  gprof_image_address(gprof->image, high), owner, owner};
        if (span.low < span.high && !gprof_add_span(&lines->spans, &span))
            return false;
    }
    return true;
}

static bool read_units(struct gprof *gprof)
{
    struct gprof_lines *lines = gprof->image->lines;
    Dwarf_Off at = 0, next;
    size_t header;
    uint64_t none = UINT64_MAX;
    while (lines->unit_count < UINT32_MAX &&
           dwarf_nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        struct gprof_unit unit = {.bytes = next - at};
        if (dwarf_offdie(lines->dwarf, at + header, &unit.die) != NULL) {
            Dwarf_Attribute attribute;
            unit.directory =
                dwarf_formstring(dwarf_attr(&unit.die, DW_AT_comp_dir, &attribute));
            unit.table_offset = number_of(&unit.die, DW_AT_stmt_list, none);
            if (!add_ranges(gprof, &unit.die, gprof->image->file_bytes) ||
                !add_unit(lines, &unit))
                return false;
        }
        at = next;
    }
    return gprof_flatten_spans(&lines->spans);
}

static int compare_offsets(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int compare_offset_to_table(const void *key, const void *item)
{
    const struct gprof_line_table *table = item;
    return compare_offsets(key, &table->offset);
}

/* Each table once, though units may share it. */
static bool read_tables(struct gprof_lines *lines)
{
    size_t count = 0;
    uint64_t *offsets = calloc(lines->unit_count + 1, sizeof(*offsets));
    lines->tables = calloc(lines->unit_count + 1, sizeof(*lines->tables));
    bool done = offsets != NULL && lines->tables != NULL;
    for (size_t i = 0; done && i < lines->unit_count; i++)
        if (lines->units[i].table_offset != UINT64_MAX)
            offsets[count++] = lines->units[i].table_offset;
    if (done)
        qsort(offsets, count, sizeof(*offsets), compare_offsets);
    for (size_t i = 0; done && i < count; i++)
        if (i == 0 || offsets[i] != offsets[i - 1])
            done = gprof_read_line_table(&lines->sections, offsets[i],
                                         &lines->tables[lines->table_count++]);
    free(offsets);
    for (size_t i = 0; done && i < lines->unit_count; i++)
        lines->units[i].table =
            bsearch(&lines->units[i].table_offset, lines->tables, lines->table_count,
                    sizeof(*lines->tables), compare_offset_to_table);
    return done;
}

/* Bytes of a section of debug information, which libdw has decompressed if need be. */
static const void *debug_section(const struct gprof_image *image, const char *name,
                                 size_t *bytes)
{
    size_t names;
    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return NULL;
    for (size_t i = 1; i < image->section_count; i++) {
        GElf_Shdr header;
        Elf_Scn *section = elf_getscn(image->elf, i);
        if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
            continue;
        const char *other = elf_strptr(image->elf, names, header.sh_name);
        if (other == NULL || strcmp(other, name) != 0)
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_buf == NULL)
            return NULL;
        *bytes = data->d_size;
        return data->d_buf;
    }
    return NULL;
}

static void find_sections(struct gprof *gprof)
{
    const struct gprof_image *image = gprof->image;
    struct gprof_line_sections *sections = &image->lines->sections;
    sections->line = debug_section(image, ".debug_line", &sections->line_bytes);
    sections->strings = debug_section(image, ".debug_str", &sections->string_bytes);
    sections->line_strings =
        debug_section(image, ".debug_line_str", &sections->line_string_bytes);
    sections->address_bytes = gprof->word_bytes;
    sections->big_endian = gprof->big_endian;
    sections->image = image;
}

static int compare_elf_names(const void *left, const void *right)
{
    const struct gprof_elf_name *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Not sections, files, data; nor what marks Thumb code and data on ARM. */
static bool names_code(const struct gprof_image *image, const GElf_Sym *symbol,
                       uint32_t section, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool mapping = image->header.e_machine == EM_ARM && name[0] == '$' &&
                   GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
    return section == image->text_index && !mapping && type != STT_SECTION &&
           type != STT_FILE && type != STT_OBJECT && type != STT_TLS;
}

static bool read_elf_names(struct gprof *gprof)
{
    const struct gprof_image *image = gprof->image;
    struct gprof_lines *lines = image->lines;
    struct gprof_elf_name *names = calloc(image->symbol_count + 1, sizeof(*names));
    size_t count = 0, kept = 0;
    if (names == NULL)
        return false;
    for (size_t i = 1; i < image->symbol_count && i < UINT32_MAX; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!gprof_image_symbol(image, i, &symbol, &section))
            continue;
        const char *name = gprof_image_string(image, symbol.st_name);
        if (names_code(image, &symbol, section, name))
            names[count++] = (struct gprof_elf_name){symbol.st_value, symbol.st_size,
                                                     name, (uint32_t)i};
    }
    qsort(names, count, sizeof(*names), compare_elf_names);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || names[i].address != names[kept - 1].address)
            names[kept++] = names[i];
    lines->elf_names = names;
    lines->elf_name_count = kept;
    return true;
}

bool gprof_open_functions(struct gprof *gprof, struct gprof_unit *unit)
{
    if (unit->functions_read)
        return true;
    unit->functions_read = true;
    return gprof_read_functions(gprof->image, &unit->die, unit->bytes,
                                &unit->functions) &&
           gprof_flatten_spans(&unit->functions.spans);
}

static bool read_strays(struct gprof *gprof)
{
    struct gprof_lines *lines = gprof->image->lines;
    for (size_t i = 0; i < lines->unit_count; i++) {
        struct gprof_unit *unit = &lines->units[i];
        if (number_of(&unit->die, DW_AT_language, 0) != DW_LANG_Mips_Assembler)
            continue;
        if (!gprof_open_functions(gprof, unit))
            return false;
        for (size_t k = 0; k < unit->functions.spans.count; k++) {
            struct gprof_span span = unit->functions.spans.items[k];
            span.owner = (uint32_t)i;
            span.rank = i;
            if (!gprof_add_span(&lines->strays, &span))
                return false;
        }
    }
    return gprof_flatten_spans(&lines->strays);
}

bool gprof_open_lines(struct gprof *gprof)
{
    struct gprof_image *image = gprof->image;
    struct gprof_lines *lines = image->lines = calloc(1, sizeof(*lines));
    if (lines == NULL || !read_elf_names(gprof))
        return false;
    lines->dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
    if (lines->dwarf == NULL)
        return true;
    find_sections(gprof);
    return read_units(gprof) && read_tables(lines) && read_strays(gprof);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0, length = strlen(text); i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

/* The slot of the path, or a free one. */
static uint32_t *find_slot(const struct gprof *gprof, const char *path)
{
    const struct gprof_lines *lines = gprof->image->lines;
    size_t at = hash_of(path) & (lines->path_room - 1);
    while (lines->paths[at] != 0 &&
           strcmp(gprof->files[lines->paths[at] - 1].path, path) != 0)
        at = (at + 1) & (lines->path_room - 1);
    return &lines->paths[at];
}

static bool grow_files(struct gprof *gprof)
{
    struct gprof_lines *lines = gprof->image->lines;
    if (gprof->file_count < lines->file_room)
        return true;
    size_t room = lines->file_room == 0 ? 64 : lines->file_room * 2;
    void *moved = reallocarray(gprof->files, room, sizeof(*gprof->files));
    uint32_t *paths = calloc(room, 2 * sizeof(*paths));
    if (moved != NULL)
        gprof->files = moved;
    if (moved == NULL || paths == NULL) {
        free(paths);
        return false;
    }
    free(lines->paths);
    lines->paths = paths;
    lines->file_room = room;
    lines->path_room = 2 * room;
    for (size_t i = 0; i < gprof->file_count; i++)
        *find_slot(gprof, gprof->files[i].path) = (uint32_t)i + 1;
    return true;
}

/* Takes the path over. */
static bool number_path(struct gprof *gprof, char *path, uint32_t *number)
{
    if (path == NULL || !grow_files(gprof)) {
        free(path);
        return false;
    }
    uint32_t *slot = find_slot(gprof, path);
    if (*slot != 0) {
        free(path);
    } else {
        const char *slash = strrchr(path, '/');
        gprof->files[gprof->file_count] =
            (struct gprof_file){.path = path,
                                .base = slash == NULL ? path : slash + 1,
                                .order = gprof->file_count};
        *slot = (uint32_t)++gprof->file_count;
    }
    *number = *slot;
    return true;
}

/* comp_dir/directory/name, as far as each does not begin at the root. A new string. */
static char *join_path(const struct gprof_unit *unit, const struct gprof_file_entry *file)
{
    const struct gprof_line_table *table = unit->table;
    const char *base = unit->directory, *directory = NULL;
    uint64_t index = table->version >= 5 ? file->directory : file->directory - 1;
    if (file->name[0] == '/')
        return strdup(file->name);
    if (index < table->directory_count)
        directory = table->directories[index];
    if (directory != NULL && (directory[0] == '/' || base == NULL)) {
        base = directory;
        directory = NULL;
    }
    if (base == NULL)
        return strdup(file->name);
    size_t room = strlen(base) + strlen(file->name) + 3;
    room += directory == NULL ? 0 : strlen(directory);
    char *path = malloc(room);
    if (path != NULL && directory != NULL)
        snprintf(path, room, "%s/%s/%s", base, directory, file->name);
    else if (path != NULL)
        snprintf(path, room, "%s/%s", base, file->name);
    return path;
}

bool gprof_unit_file(struct gprof *gprof, struct gprof_unit *unit, uint32_t file,
                     uint32_t *number)
{
    const struct gprof_line_table *table = unit->table;
    uint32_t index = table->version >= 5 ? file : file - 1;
    if (index >= table->file_count)
        return number_path(gprof, strdup("<unknown>"), number);
    if (unit->files == NULL)
        unit->files = calloc(table->file_count, sizeof(*unit->files));
    if (unit->files == NULL)
        return false;
    if (unit->files[index] == 0 &&
        !number_path(gprof, join_path(unit, &table->files[index]), &unit->files[index]))
        return false;
    *number = unit->files[index];
    return true;
}

void gprof_lines_release(struct gprof_lines *lines)
{
    if (lines == NULL)
        return;
    for (size_t i = 0; i < lines->unit_count; i++) {
        free(lines->units[i].files);
        free(lines->units[i].functions.items);
        free(lines->units[i].functions.spans.items);
    }
    for (size_t i = 0; i < lines->table_count; i++)
        gprof_line_table_release(&lines->tables[i]);
    free(lines->units);
    free(lines->spans.items);
    free(lines->strays.items);
    free(lines->tables);
    free(lines->elf_names);
    free(lines->paths);
    dwarf_end(lines->dwarf);
    free(lines);
}
