/* SPDX-License-Identifier: MIT */
/*
 * From addresses to file, line and function, as GNU's BFD answers: for one address, and
 * for all of .text in one pass over borders instead of one look-up for each byte.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/* What holds at an address, and up to where. */
struct place {
    struct gprof_unit *unit;
    uint32_t file; /* number in gprof->files; 0: unknown, as is all else then */
    uint32_t line;
    const char *name;
    bool is_static;
    uint64_t until;
};

static void limit(uint64_t *until, uint64_t border)
{
    if (border < *until)
        *until = border;
}

/* The span at the address, NULL; where that changes next goes to *until. */
static const struct gprof_span *span_at(const struct gprof_spans *spans, size_t *hint,
                                        uint64_t address, uint64_t *until)
{
    size_t index = *hint;
    if (index > spans->count || (index > 0 && spans->items[index - 1].low > address))
        index = gprof_span_index(spans, address);
    for (size_t i = 0; i < 4 && index < spans->count; i++)
        index += spans->items[index].low <= address;
    if (index < spans->count && spans->items[index].low <= address)
        index = gprof_span_index(spans, address);
    *hint = index;
    if (index < spans->count)
        limit(until, spans->items[index].low);
    if (index == 0 || address >= spans->items[index - 1].high)
        return NULL;
    limit(until, spans->items[index - 1].high);
    return &spans->items[index - 1];
}

static const struct gprof_row *row_at(const struct gprof_line_table *table, size_t *hint,
                                      uint64_t address, uint64_t *until)
{
    size_t index = *hint;
    if (index == 0 || index > table->row_count ||
        table->rows[index - 1].address > address)
        index = gprof_row_index(table, address);
    for (size_t i = 0; i < 4 && index < table->row_count; i++)
        index += table->rows[index].address <= address;
    if (index < table->row_count && table->rows[index].address <= address)
        index = gprof_row_index(table, address);
    *hint = index;
    if (index < table->row_count)
        limit(until, table->rows[index].address);
    if (index == 0 || table->rows[index - 1].file == GPROF_GAP)
        return NULL;
    return &table->rows[index - 1];
}

/* The last of the ELF's symbols of .text at or before the address. */
static const struct gprof_elf_name *elf_name_at(const struct gprof_lines *lines,
                                                size_t *hint, uint64_t address,
                                                uint64_t *until)
{
    const struct gprof_elf_name *names = lines->elf_names;
    size_t low = 0, high = lines->elf_name_count;
    if (*hint <= high && (*hint == 0 || names[*hint - 1].address <= address))
        low = *hint;
    if (low < high && names[low].address > address)
        high = low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (names[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    *hint = low;
    if (low < lines->elf_name_count)
        limit(until, names[low].address);
    return low == 0 ? NULL : &names[low - 1];
}

/* What a name in the unit's own words is in the symbol table, if it begins there. */
static const char *function_name(const struct gprof_lines *lines,
                                 struct gprof_function *function)
{
    if (!function->is_linkage) {
        size_t hint = 0;
        uint64_t until = UINT64_MAX;
        const struct gprof_elf_name *name =
            elf_name_at(lines, &hint, function->low, &until);
        if (name != NULL && name->address == function->low)
            function->name = name->name;
        function->is_linkage = true;
    }
    return function->name;
}

/* Where one look-up left off; the next one is near. */
struct finger {
    size_t unit, stray, row, function, elf_name;
    const struct gprof_unit *last_unit; /* of row and function */
};

/* The innermost function of the unit, or else what the ELF's symbols say. */
static const char *name_at(struct gprof_lines *lines, struct gprof_unit *unit,
                           struct finger *finger, uint64_t address, uint64_t *until)
{
    const struct gprof_span *span =
        span_at(&unit->functions.spans, &finger->function, address, until);
    const char *name = NULL;
    if (span != NULL)
        name = function_name(lines, &unit->functions.items[span->owner]);
    const struct gprof_elf_name *other =
        elf_name_at(lines, &finger->elf_name, address, until);
    if (name == NULL && other != NULL)
        name = other->name;
    return name;
}

/*
 * BFD keeps ranges in a tree of 256 branches, whose leaves are split where there are more
 * than 16. A range that grows does so in place, before those of later units; but in a
 * leaf where its unit had none it is put behind what is there.
 */
static bool is_in_place(const struct gprof_lines *lines, const struct gprof_span *stray,
                        uint64_t address)
{
    uint64_t block = address & ~(uint64_t)0xffff;
    size_t ranges = gprof_span_index(&lines->spans, block | 0xffff) -
                    (block == 0 ? 0 : gprof_span_index(&lines->spans, block - 1));
    return ranges <= 16 || stray->low >> 8 == address >> 8;
}

static bool stray_wins(const struct gprof_lines *lines, const struct gprof_span *stray,
                       const struct gprof_span *span, uint64_t address)
{
    const struct gprof_unit *unit = &lines->units[stray->owner];
    if (!unit->looked_at)
        return false;
    if (span == NULL)
        return true;
    return stray->owner < span->owner &&
           (is_in_place(lines, stray, address) || span->owner >= unit->known_units);
}

/* The unit that has the address: the first of the file, as far as its ranges are known.
 */
static struct gprof_unit *unit_at(struct gprof_lines *lines, struct finger *finger,
                                  uint64_t address, uint64_t *until)
{
    const struct gprof_span *span = span_at(&lines->spans, &finger->unit, address, until);
    const struct gprof_span *stray =
        span_at(&lines->strays, &finger->stray, address, until);
    if (stray != NULL && stray_wins(lines, stray, span, address))
        return &lines->units[stray->owner];
    uint32_t known = span == NULL ? (uint32_t)lines->unit_count : span->owner + 1;
    lines->known_units = known > lines->known_units ? known : lines->known_units;
    if (span == NULL)
        return NULL;
    struct gprof_unit *unit = &lines->units[span->owner];
    if (!unit->looked_at)
        unit->known_units = lines->known_units;
    unit->looked_at = true;
    return unit;
}

/* place->unit, file and line; false: out of memory. */
static bool line_at(struct gprof *gprof, struct finger *finger, uint64_t address,
                    struct place *place)
{
    struct gprof_unit *unit =
        unit_at(gprof->image->lines, finger, address, &place->until);
    if (unit == NULL || unit->table == NULL)
        return true;
    if (finger->last_unit != unit)
        finger->row = finger->function = 0;
    finger->last_unit = place->unit = unit;
    const struct gprof_row *row =
        row_at(unit->table, &finger->row, address, &place->until);
    if (row == NULL || row->line == 0)
        return true;
    place->line = row->line;
    return gprof_unit_file(gprof, unit, row->file, &place->file);
}

bool gprof_find_line(struct gprof *gprof, struct gprof_label *label)
{
    struct gprof_image *image = gprof->image;
    if (image->lines == NULL && !gprof_open_lines(gprof))
        return false;
    struct finger finger = {0};
    struct place place = {.until = UINT64_MAX};
    if (!line_at(gprof, &finger, label->address, &place))
        return false;
    if (place.file == 0)
        return true;
    /* No function, no line: where no ELF symbol is, the debug data must have one. */
    const struct gprof_elf_name *names = image->lines->elf_names;
    bool known = image->lines->elf_name_count > 0 && names[0].address <= label->address;
    if (!known && !gprof_open_functions(gprof, place.unit))
        return false;
    if (known || name_at(image->lines, place.unit, &finger, label->address,
                         &place.until) != NULL) {
        label->file = place.file;
        label->line = place.line;
    }
    return true;
}

/* The function symbol an address is looked up to: lines are static as it is. */
static bool is_static_at(const struct gprof_labels *functions, uint64_t address)
{
    size_t low = 0, high = functions->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address <= functions->items[low - 1].end &&
           functions->items[low - 1].is_static;
}

static bool same(const struct place *a, const struct place *b)
{
    return a->file == b->file && a->line == b->line && a->name != NULL &&
           b->name != NULL && strcmp(a->name, b->name) == 0;
}

/* GNU gprof walks .text twice, and makes labels the second time. */
static void look_at_all(struct gprof *gprof)
{
    const struct gprof_image *image = gprof->image;
    struct finger finger = {0};
    for (uint64_t at = image->text_low; at < image->text_high;) {
        uint64_t until = image->text_high;
        unit_at(image->lines, &finger, at, &until);
        at = until;
    }
}

bool gprof_add_line_labels(struct gprof *gprof, const struct gprof_labels *functions,
                           struct gprof_labels *labels)
{
    const struct gprof_image *image = gprof->image;
    struct place last = {.name = NULL};
    struct finger finger = {0};
    if (image->lines == NULL && !gprof_open_lines(gprof))
        return false;
    struct gprof_lines *lines = image->lines;
    look_at_all(gprof);
    for (uint64_t at = image->text_low; at < image->text_high;) {
        struct place place = {.until = image->text_high};
        if (!line_at(gprof, &finger, at, &place))
            return false;
        if (place.file != 0 && !gprof_open_functions(gprof, place.unit))
            return false;
        if (place.file != 0)
            place.name = name_at(lines, place.unit, &finger, at, &place.until);
        uint64_t here = at;
        at = place.until;
        if (place.file == 0 || place.name == NULL || same(&place, &last))
            continue;
        struct gprof_label label = {.address = here,
                                    .name = place.name,
                                    .file = place.file,
                                    .line = place.line,
                                    .is_static = last.is_static};
        /* As is the line before, if that is of the same function. */
        if (last.name == NULL || strcmp(last.name, place.name) != 0)
            label.is_static = is_static_at(functions, here);
        if (!gprof_add_label(labels, &label))
            return false;
        last = place;
        last.is_static = label.is_static;
    }
    return true;
}
