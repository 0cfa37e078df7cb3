/* SPDX-License-Identifier: MIT */
/* The units of the debug information, their line tables and functions. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"
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
    if (!vector_grow(&lines->units, lines->unit_count, &lines->unit_room,
                     sizeof *lines->units))
        return false;
    lines->units[lines->unit_count++] = *unit;
    return true;
}

static uint64_t skip_leb(const uint8_t *bytes, uint64_t at, uint64_t end)
{
    while (at < end && (bytes[at] & 0x80) != 0)
        at++;
    return at + 1;
}

/*
 * Whether one of the unit's ranges is given by its index, as where its functions are in
 * another file (-gsplit-dwarf): BFD 2.40 reads neither that unit nor any behind it.
 */
static bool has_indexed_ranges(const struct gprof *gprof, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    Dwarf_Half version = 0;
    size_t bytes = 0;
    const uint8_t *ranges =
        debug_section(gprof->image->file.elf, ".debug_rnglists", &bytes);
    dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
    if (version < 5 || ranges == NULL ||
        dwarf_attr(die, DW_AT_ranges, &attribute) == NULL ||
        dwarf_whatform(&attribute) != DW_FORM_sec_offset ||
        dwarf_formudata(&attribute, &offset) != 0)
        return false;
    for (uint64_t at = offset; at < bytes;) {
        switch (ranges[at++]) {
        case DW_RLE_offset_pair:
            at = skip_leb(ranges, skip_leb(ranges, at, bytes), bytes);
            break;
        case DW_RLE_base_address:
            at += gprof->word_bytes;
            break;
        case DW_RLE_start_end:
            at += 2 * gprof->word_bytes;
            break;
        case DW_RLE_start_length:
            at = skip_leb(ranges, at + gprof->word_bytes, bytes);
            break;
        case DW_RLE_end_of_list:
            return false;
        default:
            return true;
        }
    }
    return false;
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
            if (has_indexed_ranges(gprof, &unit.die))
                break;
            unit.directory = debug_string(
                &lines->strings, dwarf_attr(&unit.die, DW_AT_comp_dir, &attribute));
            unit.table_offset = number_of(&unit.die, DW_AT_stmt_list, none);
            unit.is_assembler =
                number_of(&unit.die, DW_AT_language, 0) == DW_LANG_Mips_Assembler;
            if (!add_unit(lines, &unit))
                return false;
        }
        at = next;
    }
    return true;
}

static int compare_offsets(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int compare_offset_to_table(const void *key, const void *item)
{
    const struct line_table *table = item;
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
            done = line_table_read(&lines->sections, offsets[i],
                                   &lines->tables[lines->table_count++]);
    free(offsets);
    for (size_t i = 0; done && i < lines->unit_count; i++)
        lines->units[i].table =
            bsearch(&lines->units[i].table_offset, lines->tables, lines->table_count,
                    sizeof(*lines->tables), compare_offset_to_table);
    return done;
}

static int compare_lows(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    return a->low < b->low ? -1 : a->low > b->low;
}

/* Whether tables have some of .text in common: which is asked then depends on what was
 * asked before. So it is where functions left out count from 0 on, and code does too. */
static bool find_overlap(struct gprof_lines *lines, const struct gprof_image *image)
{
    struct spans all = {0};
    bool done = true;
    for (size_t i = 0; done && i < lines->table_count; i++) {
        const struct spans *sequences = &lines->tables[i].sequences;
        for (size_t k = 0; done && k < sequences->count; k++) {
            const struct span *sequence = &sequences->items[k];
            if (sequence->low < image->text_high && image->text_low < sequence->high)
                done = spans_add(&all, sequence);
        }
    }
    if (all.count > 0)
        qsort(all.items, all.count, sizeof(*all.items), compare_lows);
    uint64_t high = 0;
    for (size_t i = 0; i < all.count; i++) {
        lines->overlap = lines->overlap || all.items[i].low < high;
        high = all.items[i].high > high ? all.items[i].high : high;
    }
    free(all.items);
    return done;
}

bool gprof_read_unit(struct gprof *gprof, uint64_t address, bool *has)
{
    struct gprof_lines *lines = gprof->image->lines;
    struct span range = {.owner = (uint32_t)lines->known_units};
    Dwarf_Die *die = &lines->units[lines->known_units++].die;
    uint64_t left = gprof->image->file.bytes;
    Dwarf_Attribute first;
    Dwarf_Addr base;
    ptrdiff_t offset = 0;
    bool any = false;
    if (dwarf_attr(die, DW_AT_low_pc, &first) == NULL)
        first = (Dwarf_Attribute){0};
    *has = false;
    lines->changes++;
    while (gprof_has_ranges(die) && left-- > 0 &&
           (offset = dwarf_ranges(die, offset, &base, &range.low, &range.high)) > 0) {
        range.low = gprof_attribute_address(gprof->image, &first, range.low);
        range.high = gprof_attribute_address(gprof->image, &first, range.high);
        any = any || range.low < range.high;
        *has = *has || (address >= range.low && address < range.high);
        if (!gprof_add_to_units(&lines->tree, &range))
            return false;
    }
    *has = *has || !any;
    return true;
}

static bool add_spans(struct gprof_lines *lines, const struct gprof_unit *unit,
                      const struct spans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        struct span range = spans->items[i];
        range.owner = (uint32_t)(unit - lines->units);
        if (!gprof_add_to_units(&lines->tree, &range))
            return false;
    }
    return true;
}

bool gprof_open_functions(struct gprof *gprof, struct gprof_unit *unit)
{
    if (unit->functions_read)
        return true;
    unit->functions_read = true;
    gprof->image->lines->changes++;
    return gprof_read_functions(gprof->image, &gprof->image->lines->strings, &unit->die,
                                unit->bytes, &unit->functions) &&
           add_spans(gprof->image->lines, unit, &unit->functions.spans) &&
           spans_flatten(&unit->functions.spans);
}

bool gprof_ask_unit(struct gprof *gprof, struct gprof_unit *unit)
{
    if (unit->asked || unit->table == NULL)
        return true;
    unit->asked = true;
    gprof->image->lines->changes++;
    return add_spans(gprof->image->lines, unit, &unit->table->sequences);
}

bool gprof_open_lines(struct gprof *gprof)
{
    struct gprof_image *image = gprof->image;
    struct gprof_lines *lines = image->lines = calloc(1, sizeof(*lines));
    if (lines == NULL)
        return false;
    /* 100 units of types, each with the ranges of the unit they are of: 26 million. */
    lines->tree.left = 64 * image->file.bytes + 16 * 1024 * 1024;
    lines->dwarf = dwarf_begin_elf(image->file.elf, DWARF_C_READ, NULL);
    if (lines->dwarf != NULL && debug_strings_init(&lines->strings, image->file.elf)) {
        line_sections_init(&lines->sections, &image->file);
        if (!read_units(gprof) || !read_tables(lines) || !find_overlap(lines, image))
            return false;
    }
    if (!stabs_read(&image->file, &lines->stabs))
        return false;
    /* Names of what has no line are not asked for. */
    return (lines->unit_count == 0 && lines->stabs.row_count == 0) ||
           gprof_read_elf_names(image, &lines->elf_names);
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

bool gprof_number_path(struct gprof *gprof, char *path, uint32_t *number)
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

bool gprof_unit_file(struct gprof *gprof, struct gprof_unit *unit, uint32_t file,
                     uint32_t *number)
{
    const struct line_table *table = unit->table;
    size_t index = line_table_file(table, file);
    if (index == table->file_count)
        return gprof_number_path(gprof, strdup("<unknown>"), number);
    if (unit->files == NULL)
        unit->files = calloc(table->file_count, sizeof(*unit->files));
    if (unit->files == NULL)
        return false;
    if (unit->files[index] == 0 &&
        !gprof_number_path(gprof, line_table_path(table, index, unit->directory),
                           &unit->files[index]))
        return false;
    *number = unit->files[index];
    return true;
}

bool gprof_stab_file(struct gprof *gprof, const struct stab_row *row, uint32_t *number)
{
    struct gprof_lines *lines = gprof->image->lines;
    const struct stab_file *file = &lines->stabs.files[row->file];
    if (lines->stab_files == NULL)
        lines->stab_files = calloc(lines->stabs.file_count, sizeof(*lines->stab_files));
    if (lines->stab_files == NULL)
        return false;
    uint32_t *known = &lines->stab_files[row->file];
    if (*known == 0 && file->name != NULL &&
        !gprof_number_path(gprof, stabs_path(file), known))
        return false;
    *number = *known;
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
        line_table_release(&lines->tables[i]);
    free(lines->units);
    gprof_unit_tree_release(&lines->tree);
    stabs_release(&lines->stabs);
    free(lines->stab_files);
    free(lines->tables);
    free(lines->elf_names.items);
    free(lines->paths);
    dwarf_end(lines->dwarf);
    free(lines);
}
