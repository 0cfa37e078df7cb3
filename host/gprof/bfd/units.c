/* SPDX-License-Identifier: MIT */
/* The units of the debug information, their line tables and functions. */
#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/vector.h"
#include "lines.h"

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
static bool has_indexed_ranges(const struct gprof *gprof, const struct unit *unit)
{
    Dwarf_Die die = unit->die;
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    Dwarf_Half version = 0;
    size_t bytes = 0;
    const uint8_t *ranges =
        debug_section(gprof->image->file.elf, ".debug_rnglists", &bytes);
    dwarf_cu_info(die.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
    if (version < 5 || ranges == NULL ||
        dwarf_attr(&die, DW_AT_ranges, &attribute) == NULL ||
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

/* Those that BFD reads, their line tables too. */
static bool read_units(struct gprof *gprof)
{
    struct gprof_lines *lines = gprof->image->lines;
    lines->units = calloc(lines->dwarf.count + 1, sizeof *lines->units);
    if (lines->units == NULL)
        return false;
    for (; lines->unit_count < lines->dwarf.count; lines->unit_count++) {
        const struct unit *unit = &lines->dwarf.items[lines->unit_count];
        if (has_indexed_ranges(gprof, unit))
            break;
        if (!units_table(&lines->dwarf, unit, &lines->units[lines->unit_count].table))
            return false;
    }
    return true;
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
    for (size_t i = 0; done && i < lines->dwarf.table_count; i++) {
        const struct spans *sequences = &lines->dwarf.tables[i].sequences;
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
    Dwarf_Die die = lines->dwarf.items[lines->known_units++].die;
    uint64_t left = gprof->image->file.bytes;
    Dwarf_Attribute first, ranges;
    Dwarf_Addr base;
    ptrdiff_t offset = 0;
    bool any = false;
    if (dwarf_attr(&die, DW_AT_low_pc, &first) == NULL)
        first = (Dwarf_Attribute){0};
    *has = false;
    lines->changes++;
    while (gprof_has_ranges(dwarf_attr(&die, DW_AT_ranges, &ranges)) && left-- > 0 &&
           (offset = dwarf_ranges(&die, offset, &base, &range.low, &range.high)) > 0) {
        range.low = attribute_address(&gprof->image->file, &first, range.low);
        range.high = attribute_address(&gprof->image->file, &first, range.high);
        any = any || range.low < range.high;
        *has = *has || (address >= range.low && address < range.high);
        if (!gprof_add_to_units(&lines->tree, &range))
            return false;
    }
    *has = *has || !any;
    return true;
}

const struct unit *gprof_dwarf_unit(const struct gprof_lines *lines,
                                    const struct gprof_unit *unit)
{
    return &lines->dwarf.items[unit - lines->units];
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
    struct gprof_lines *lines = gprof->image->lines;
    if (unit->functions_read)
        return true;
    unit->functions_read = true;
    lines->changes++;
    return gprof_read_functions(&lines->dwarf, gprof_dwarf_unit(lines, unit),
                                &unit->functions) &&
           add_spans(lines, unit, &unit->functions.spans) &&
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
    if (!units_open(&lines->dwarf, &image->file))
        return false;
    lines->dwarf.sections.as_bfd = true;
    if (!read_units(gprof) || !find_overlap(lines, image))
        return false;
    if (!stabs_read(&image->file, &lines->stabs))
        return false;
    /* Names of what has no line are not asked for. */
    return (lines->unit_count == 0 && lines->stabs.row_count == 0) ||
           gprof_read_elf_names(image, &lines->elf_names);
}

/* A path of gprof->files. */
struct numbered {
    const char *path;
    uint32_t number;
};

static int by_path(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    return strcmp(a->path, b->path);
}

bool gprof_number_path(struct gprof *gprof, char *path, uint32_t *number)
{
    struct gprof_lines *lines = gprof->image->lines;
    struct numbered wanted = {path, (uint32_t)gprof->file_count + 1};
    struct numbered **found =
        path == NULL ? NULL : tfind(&wanted, &lines->paths, by_path);
    if (found != NULL) {
        *number = (*found)->number;
        free(path);
        return true;
    }
    struct numbered *added = path == NULL ? NULL : malloc(sizeof(*added));
    if (added != NULL)
        *added = wanted;
    if (added == NULL ||
        !vector_grow(&gprof->files, gprof->file_count, &lines->file_room,
                     sizeof(*gprof->files)) ||
        tsearch(added, &lines->paths, by_path) == NULL) {
        free(added);
        free(path);
        return false;
    }
    const char *slash = strrchr(path, '/');
    gprof->files[gprof->file_count] =
        (struct gprof_file){.path = path,
                            .base = slash == NULL ? path : slash + 1,
                            .order = gprof->file_count};
    gprof->file_count++;
    *number = wanted.number;
    return true;
}

bool gprof_unit_file(struct gprof *gprof, struct gprof_unit *unit, uint32_t file,
                     uint32_t *number)
{
    const struct line_table *table = unit->table;
    const char *directory = gprof_dwarf_unit(gprof->image->lines, unit)->directory;
    size_t index = line_table_file(table, file);
    if (index == table->file_count)
        return gprof_number_path(gprof, strdup("<unknown>"), number);
    if (unit->files == NULL)
        unit->files = calloc(table->file_count, sizeof(*unit->files));
    if (unit->files == NULL)
        return false;
    if (unit->files[index] == 0 &&
        !gprof_number_path(gprof, line_table_path(table, index, directory),
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
    free(lines->units);
    gprof_unit_tree_release(&lines->tree);
    stabs_release(&lines->stabs);
    free(lines->stab_files);
    free(lines->elf_names.items);
    tdestroy(lines->paths, free);
    units_release(&lines->dwarf);
    free(lines);
}
