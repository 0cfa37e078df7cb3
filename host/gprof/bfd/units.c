/* SPDX-License-Identifier: MIT */
/* The units of the debug information, with their line tables and functions. */
#include <dwarf.h>
#include <stdlib.h>

#include "../../base/cursor.h"
#include "internal.h"

/*
 * Whether one of the unit's ranges is given by an index, as it is where the unit's
 * functions are in another file (-gsplit-dwarf). BFD 2.40 reads neither such a unit nor
 * any behind it.
 */
static bool has_indexed_ranges(const struct elf_file *elf, const struct unit *unit)
{
    Dwarf_Die die = unit->die;
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    Dwarf_Half version = 0;
    size_t bytes = 0;
    const uint8_t *ranges = debug_section(elf, ".debug_rnglists", &bytes);
    dwarf_cu_info(die.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
    if (version < 5 || ranges == NULL ||
        dwarf_attr(&die, DW_AT_ranges, &attribute) == NULL ||
        dwarf_whatform(&attribute) != DW_FORM_sec_offset ||
        dwarf_formudata(&attribute, &offset) != 0)
        return false;
    struct cursor cursor = {.at = ranges, .end = ranges + bytes};
    cursor_skip(&cursor, offset);
    while (cursor.at < cursor.end) {
        switch (cursor_take(&cursor, 1)) {
        case DW_RLE_offset_pair:
            cursor_leb(&cursor, false);
            cursor_leb(&cursor, false);
            break;
        case DW_RLE_base_address:
            cursor_skip(&cursor, elf->word_bytes);
            break;
        case DW_RLE_start_end:
            cursor_skip(&cursor, 2 * elf->word_bytes);
            break;
        case DW_RLE_start_length:
            cursor_skip(&cursor, elf->word_bytes);
            cursor_leb(&cursor, false);
            break;
        case DW_RLE_end_of_list:
            return false;
        default:
            return true;
        }
    }
    return false;
}

/* Reads the units that BFD reads, and their line tables. */
static bool read_units(struct bfd_lines *lines)
{
    lines->units = calloc(lines->dwarf.count + 1, sizeof *lines->units);
    if (lines->units == NULL)
        return false;
    for (; lines->unit_count < lines->dwarf.count; lines->unit_count++) {
        const struct unit *unit = &lines->dwarf.items[lines->unit_count];
        if (has_indexed_ranges(lines->elf, unit))
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

/* Whether several tables cover some of the same code: then the earlier questions decide
 * which one is asked. That happens where the linker left functions out, so that their
 * lines start at 0, and other code is at 0. */
static bool find_overlap(struct bfd_lines *lines)
{
    struct spans all = {0};
    bool done = true;
    for (size_t i = 0; done && i < lines->dwarf.table_count; i++) {
        const struct spans *sequences = &lines->dwarf.tables[i].sequences;
        for (size_t k = 0; done && k < sequences->count; k++) {
            const struct span *sequence = &sequences->items[k];
            if (sequence->low < lines->text.high && lines->text.low < sequence->high)
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

bool bfd_read_unit(struct bfd_lines *lines, uint64_t address, bool *has)
{
    struct span range = {.owner = (uint32_t)lines->known_units};
    Dwarf_Die die = lines->dwarf.items[lines->known_units++].die;
    uint64_t left = lines->elf->bytes;
    Dwarf_Attribute first, ranges;
    Dwarf_Addr base;
    ptrdiff_t offset = 0;
    bool any = false;
    if (dwarf_attr(&die, DW_AT_low_pc, &first) == NULL)
        first = (Dwarf_Attribute){0};
    *has = false;
    lines->changes++;
    while (bfd_has_ranges(dwarf_attr(&die, DW_AT_ranges, &ranges)) && left-- > 0 &&
           (offset = dwarf_ranges(&die, offset, &base, &range.low, &range.high)) > 0) {
        range.low = attribute_address(lines->elf, &first, range.low);
        range.high = attribute_address(lines->elf, &first, range.high);
        any = any || range.low < range.high;
        *has = *has || (address >= range.low && address < range.high);
        if (!bfd_tree_add(&lines->tree, &range))
            return false;
    }
    *has = *has || !any;
    return true;
}

const struct unit *bfd_dwarf_unit(const struct bfd_lines *lines,
                                  const struct bfd_unit *unit)
{
    return &lines->dwarf.items[unit - lines->units];
}

static bool add_spans(struct bfd_lines *lines, const struct bfd_unit *unit,
                      const struct spans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        struct span range = spans->items[i];
        range.owner = (uint32_t)(unit - lines->units);
        if (!bfd_tree_add(&lines->tree, &range))
            return false;
    }
    return true;
}

bool bfd_open_functions(struct bfd_lines *lines, struct bfd_unit *unit)
{
    if (unit->functions_read)
        return true;
    unit->functions_read = true;
    lines->changes++;
    return bfd_read_functions(&lines->dwarf, bfd_dwarf_unit(lines, unit),
                              &unit->functions) &&
           add_spans(lines, unit, &unit->functions.spans) &&
           spans_flatten(&unit->functions.spans);
}

bool bfd_ask_unit(struct bfd_lines *lines, struct bfd_unit *unit)
{
    if (unit->asked || unit->table == NULL)
        return true;
    unit->asked = true;
    lines->changes++;
    return add_spans(lines, unit, &unit->table->sequences);
}

bool bfd_lines_open(struct bfd_lines **opened, const struct elf_file *elf,
                    const struct bfd_text *text)
{
    static char unknown[] = "<unknown>";
    struct bfd_lines *lines = *opened = calloc(1, sizeof(*lines));
    if (lines == NULL)
        return false;
    lines->elf = elf;
    lines->text = *text;
    lines->unknown.path = unknown;
    /* Honest debug information may have 100 units of types, each with the ranges of the
     * unit they belong to: 26 million steps. */
    lines->tree.left = 64 * elf->bytes + 16 * 1024 * 1024;
    if (!units_open(&lines->dwarf, elf))
        return false;
    lines->dwarf.sections.as_bfd = true;
    if (!read_units(lines) || !find_overlap(lines) || !stabs_read(elf, &lines->stabs))
        return false;
    /* Names of code that has no line are not asked for. */
    return (lines->unit_count == 0 && lines->stabs.row_count == 0) ||
           bfd_read_names(elf, text, &lines->names);
}

bool bfd_unit_file(struct bfd_lines *lines, struct bfd_unit *unit, uint32_t number,
                   struct bfd_file **found)
{
    const struct line_table *table = unit->table;
    size_t index = line_table_file(table, number);
    *found = &lines->unknown;
    if (index == table->file_count)
        return true;
    if (unit->files == NULL)
        unit->files = calloc(table->file_count, sizeof(*unit->files));
    if (unit->files == NULL)
        return false;
    *found = &unit->files[index];
    if ((*found)->path == NULL)
        (*found)->path =
            line_table_path(table, index, bfd_dwarf_unit(lines, unit)->directory);
    return (*found)->path != NULL;
}

bool bfd_stab_file(struct bfd_lines *lines, const struct stab_row *row,
                   struct bfd_file **found)
{
    const struct stab_file *file = &lines->stabs.files[row->file];
    *found = NULL;
    if (file->name == NULL)
        return true;
    if (lines->stab_files == NULL)
        lines->stab_files = calloc(lines->stabs.file_count, sizeof(*lines->stab_files));
    if (lines->stab_files == NULL)
        return false;
    *found = &lines->stab_files[row->file];
    if ((*found)->path == NULL)
        (*found)->path = stabs_path(file);
    return (*found)->path != NULL;
}

bool bfd_lines_depend(const struct bfd_lines *lines)
{
    return lines->overlap;
}

size_t bfd_lines_changes(const struct bfd_lines *lines)
{
    return lines->changes;
}

const struct units *bfd_units(const struct bfd_lines *lines, size_t *count)
{
    *count = lines->unit_count;
    return &lines->dwarf;
}

static void release_files(struct bfd_file *files, size_t count)
{
    for (size_t i = 0; files != NULL && i < count; i++)
        free(files[i].path);
    free(files);
}

void bfd_lines_release(struct bfd_lines *lines)
{
    if (lines == NULL)
        return;
    for (size_t i = 0; i < lines->unit_count; i++) {
        struct bfd_unit *unit = &lines->units[i];
        release_files(unit->files, unit->table == NULL ? 0 : unit->table->file_count);
        free(unit->functions.items);
        free(unit->functions.spans.items);
    }
    release_files(lines->stab_files, lines->stabs.file_count);
    free(lines->units);
    bfd_tree_release(&lines->tree);
    stabs_release(&lines->stabs);
    free(lines->names.items);
    units_release(&lines->dwarf);
    free(lines);
}
