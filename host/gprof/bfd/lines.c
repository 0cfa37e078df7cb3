/* SPDX-License-Identifier: MIT */
/*
 * From addresses to file, line and function, as GNU's BFD answers: for one address, and
 * for all of .text in one pass over borders instead of one look-up for each byte.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/search.h"
#include "lines.h"

/* What holds at an address, and up to where. */
struct place {
    struct gprof_unit *unit; /* NULL: none has it */
    const struct line_row *row;
    struct gprof_function *function;
    uint32_t file; /* number in gprof->files; 0: unknown, as is the line then */
    uint32_t line;
    const char *name; /* NULL: unknown */
    bool is_static;
    uint64_t until;
};

static void limit(uint64_t *until, uint64_t border)
{
    if (border < *until)
        *until = border;
}

/* Where one look-up left off; the next one is near. */
struct finger {
    size_t row, function;
    const struct gprof_unit *unit; /* theirs */
};

/* What one look-up asks for. */
struct query {
    struct gprof *gprof;
    uint64_t address;
    bool names; /* or only where line and file are */
    struct finger *finger;
    struct place *place;
};

/* A unit's answer: place->unit where it has a line or a function. */
static bool ask(const struct query *query, struct gprof_unit *unit)
{
    struct finger *finger = query->finger;
    struct place *place = query->place;
    if (!gprof_ask_unit(query->gprof, unit))
        return false;
    if (unit->table == NULL || unit->table->version == 0)
        return true;
    if (finger->unit != unit)
        *finger = (struct finger){.unit = unit};
    place->row = line_table_at(unit->table, &finger->row, query->address, &place->until);
    bool functions = query->names || place->row == NULL ||
                     gprof_dwarf_unit(query->gprof->image->lines, unit)->language ==
                         DW_LANG_Mips_Assembler;
    if (functions && !gprof_open_functions(query->gprof, unit))
        return false;
    place->function = NULL;
    if (query->names || place->row == NULL) {
        const struct span *span = spans_at(&unit->functions.spans, &finger->function,
                                           query->address, &place->until);
        if (span != NULL)
            place->function = &unit->functions.items[span->owner];
    }
    if (place->row != NULL || place->function != NULL)
        place->unit = unit;
    return true;
}

/* Those units that are known to have the address. */
static bool ask_known(const struct query *query)
{
    struct gprof_lines *lines = query->gprof->image->lines;
    uint64_t address = query->address;
    for (size_t i = 0; query->place->unit == NULL; i++) {
        /* Each answer may change the tree. */
        const struct gprof_unit_leaf *leaf =
            gprof_units_at(&lines->tree, address, &query->place->until);
        while (i < leaf->count &&
               (address < leaf->ranges[i].low || address >= leaf->ranges[i].high)) {
            if (address < leaf->ranges[i].low)
                limit(&query->place->until, leaf->ranges[i].low);
            i++;
        }
        if (i >= leaf->count)
            break;
        limit(&query->place->until, leaf->ranges[i].high);
        if (!ask(query, &lines->units[leaf->ranges[i].owner]))
            return false;
    }
    return true;
}

/* What the symbol table calls it, or the debug information. */
static void name_place(const struct query *query)
{
    const struct gprof_image *image = query->gprof->image;
    struct gprof_function *function = query->place->function;
    if (function != NULL && function->is_linkage) {
        query->place->name = function->name;
        return;
    }
    uint64_t offset = query->address - image->text_low, until;
    const struct gprof_elf_name *name =
        gprof_elf_name_at(&image->lines->elf_names, offset, &until);
    if (until - offset < UINT64_MAX - query->address)
        limit(&query->place->until, query->address + (until - offset));
    query->place->name = name == NULL ? NULL : name->name;
    if (function == NULL)
        return;
    if (name == NULL)
        query->place->name = function->name;
    else if (name->offset + image->text_low == function->low)
        function->name = name->name;
    function->is_linkage = true; /* the next time it has its own name */
    image->lines->changes++;
}

/* false: out of memory. */
static bool find_stab(const struct query *query)
{
    struct place *place = query->place;
    const struct stab_row *row =
        stabs_at(&query->gprof->image->lines->stabs, query->address, &place->until);
    if (row == NULL)
        return true;
    place->line = row->line;
    place->name = row->name;
    return gprof_stab_file(query->gprof, row, &place->file);
}

/* Whether BFD finds any name; where no ELF symbol is, the debug data must have one. */
static bool has_name(const struct gprof *gprof, uint64_t address)
{
    const struct gprof_image *image = gprof->image;
    const struct gprof_elf_names *names = &image->lines->elf_names;
    return names->count > 0 && names->items[0].offset <= address - image->text_low;
}

/*
 * Whether BFD looks into the stabs of a file that has DWARF too, which does not know the
 * address: always up to 2.26, which is what reads AVR, where the compiler writes stabs
 * and libgcc has DWARF; later only where no ELF symbol is either.
 */
static bool asks_stabs(const struct query *query)
{
    const struct gprof *gprof = query->gprof;
    return query->place->unit == NULL && gprof->image->lines->stabs.row_count > 0 &&
           (gprof->image->file.header.e_machine == EM_AVR ||
            !has_name(gprof, query->address));
}

/* As BFD looks up an address; false: out of memory. */
static bool find_place(const struct query *query)
{
    struct gprof_lines *lines = query->gprof->image->lines;
    struct place *place = query->place;
    size_t changes = lines->changes;
    if (lines->unit_count == 0 && lines->stabs.row_count > 0)
        return find_stab(query);
    if (!ask_known(query))
        return false;
    while (place->unit == NULL && lines->known_units < lines->unit_count) {
        bool has;
        struct gprof_unit *unit = &lines->units[lines->known_units];
        if (!gprof_read_unit(query->gprof, query->address, &has) ||
            (has && !ask(query, unit)))
            return false;
    }
    if (query->names)
        name_place(query);
    if (lines->changes != changes || place->until <= query->address)
        place->until = query->address + 1;
    if (asks_stabs(query))
        return find_stab(query);
    if (place->unit == NULL || place->row == NULL || place->row->line == 0)
        return true;
    place->line = place->row->line;
    return gprof_unit_file(query->gprof, place->unit, place->row->file, &place->file);
}

bool gprof_lines_depend(struct gprof *gprof, bool *depends)
{
    if (gprof->image->lines == NULL && !gprof_open_lines(gprof))
        return false;
    *depends = gprof->image->lines->overlap;
    return true;
}

bool gprof_find_line(struct gprof *gprof, struct gprof_label *label)
{
    struct gprof_image *image = gprof->image;
    if (image->lines == NULL && !gprof_open_lines(gprof))
        return false;
    struct finger finger = {0};
    struct place place = {.until = UINT64_MAX};
    bool has = has_name(gprof, label->address);
    struct query query = {gprof, label->address, gprof->options.lines || !has, &finger,
                          &place};
    if (!find_place(&query))
        return false;
    if (place.file != 0 && (place.name != NULL || !query.names)) {
        label->file = place.file;
        label->line = place.line;
    }
    return true;
}

/* The function symbol an address is looked up to: lines are static as it is. */
static bool is_static_at(const struct gprof_labels *functions, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, functions->count, functions->items[middle].address <= address);
    return low > 0 && address <= functions->items[low - 1].end &&
           functions->items[low - 1].is_static;
}

static bool same(const struct place *a, const struct place *b)
{
    return a->file == b->file && a->line == b->line && a->name != NULL &&
           b->name != NULL && strcmp(a->name, b->name) == 0;
}

/* From `place` on the line is another than `last`, at `address`. */
static bool add_line(const struct gprof_labels *functions, uint64_t address,
                     const struct place *place, struct place *last,
                     struct gprof_labels *labels)
{
    struct gprof_label label = {.address = address,
                                .name = place->name,
                                .file = place->file,
                                .line = place->line,
                                .is_line = true,
                                .is_static = last->is_static};
    /* As is the line before, if that is of the same function. */
    if (last->name == NULL || strcmp(last->name, place->name) != 0)
        label.is_static = is_static_at(functions, address);
    *last = *place;
    last->is_static = label.is_static;
    return gprof_add_label(labels, &label);
}

static bool walk_text(struct gprof *gprof, const struct gprof_labels *functions,
                      struct gprof_labels *labels)
{
    const struct gprof_image *image = gprof->image;
    struct place last = {.name = NULL};
    struct finger finger = {0};
    for (uint64_t at = image->text_low; at < image->text_high;) {
        struct place place = {.until = image->text_high};
        struct query query = {gprof, at, true, &finger, &place};
        if (!find_place(&query))
            return false;
        if (place.file != 0 && place.name != NULL && !same(&place, &last) &&
            !add_line(functions, at, &place, &last, labels))
            return false;
        at = place.until;
    }
    return true;
}

bool gprof_add_line_labels(struct gprof *gprof, const struct gprof_labels *functions,
                           struct gprof_labels *labels)
{
    if (gprof->image->lines == NULL && !gprof_open_lines(gprof))
        return false;
    /* GNU gprof walks twice, and makes labels the second time. */
    const struct gprof_lines *lines = gprof->image->lines;
    size_t changes = lines->changes, count = labels->count;
    if (!walk_text(gprof, functions, labels))
        return false;
    if (lines->changes == changes)
        return true;
    labels->count = count;
    return walk_text(gprof, functions, labels);
}
