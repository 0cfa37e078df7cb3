/* SPDX-License-Identifier: MIT */
/* From addresses to file, line and function. */
#include <dwarf.h>

#include "internal.h"

static void limit(uint64_t *until, uint64_t border)
{
    if (border < *until)
        *until = border;
}

/* A look-up: its question and what was found so far. */
struct query {
    struct bfd_lines *lines;
    uint64_t address;
    bool names;            /* the function's name is asked for, not only file and line */
    struct bfd_unit *unit; /* NULL: no unit has the address */
    const struct line_row *row;
    struct bfd_function *function;
    struct bfd_place *place;
};

/* Asks a unit: query->unit is set if the unit has a line or a function there. */
static bool ask(struct query *query, struct bfd_unit *unit)
{
    struct bfd_finger *finger = &query->lines->finger;
    struct bfd_place *place = query->place;
    if (!bfd_ask_unit(query->lines, unit))
        return false;
    if (unit->table == NULL || unit->table->version == 0)
        return true;
    if (finger->unit != unit)
        *finger = (struct bfd_finger){.unit = unit};
    query->row = line_table_at(unit->table, &finger->row, query->address, &place->until);
    bool functions =
        query->names || query->row == NULL ||
        bfd_dwarf_unit(query->lines, unit)->language == DW_LANG_Mips_Assembler;
    if (functions && !bfd_open_functions(query->lines, unit))
        return false;
    query->function = NULL;
    if (query->names || query->row == NULL) {
        const struct span *span = spans_at(&unit->functions.spans, &finger->function,
                                           query->address, &place->until);
        if (span != NULL)
            query->function = &unit->functions.items[span->owner];
    }
    if (query->row != NULL || query->function != NULL)
        query->unit = unit;
    return true;
}

/* Asks the units that the tree has for the address. */
static bool ask_known(struct query *query)
{
    struct bfd_lines *lines = query->lines;
    uint64_t address = query->address;
    for (size_t i = 0; query->unit == NULL; i++) {
        /* An answer may change the tree, so the leaf is looked up again. */
        const struct bfd_leaf *leaf =
            bfd_tree_at(&lines->tree, address, &query->place->until);
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

/* Chooses the name: that of the symbol table or that of the debug information. */
static void name_place(struct query *query)
{
    struct bfd_lines *lines = query->lines;
    struct bfd_function *function = query->function;
    if (function != NULL && function->is_linkage) {
        query->place->name = function->name;
        return;
    }
    uint64_t offset = query->address - lines->text.low, until;
    const struct bfd_name *name = bfd_name_at(&lines->names, offset, &until);
    if (until - offset < UINT64_MAX - query->address)
        limit(&query->place->until, query->address + (until - offset));
    query->place->name = name == NULL ? NULL : name->name;
    if (function == NULL)
        return;
    if (name == NULL)
        query->place->name = function->name;
    else if (name->offset + lines->text.low == function->low)
        function->name = name->name;
    function->is_linkage = true; /* from now on the function has a name of its own */
    lines->changes++;
}

/* Looks into the stabs. false: out of memory. */
static bool find_stab(const struct query *query)
{
    struct bfd_place *place = query->place;
    const struct stab_row *row =
        stabs_at(&query->lines->stabs, query->address, &place->until);
    if (row == NULL)
        return true;
    place->line = row->line;
    place->name = row->name;
    return bfd_stab_file(query->lines, row, &place->file);
}

bool bfd_has_name(const struct bfd_lines *lines, uint64_t address)
{
    const struct bfd_names *names = &lines->names;
    return names->count > 0 && names->items[0].offset <= address - lines->text.low;
}

/*
 * Whether BFD looks into the stabs of a file that has DWARF too, but whose DWARF does not
 * know the address. BFD 2.26, which reads AVR, always does: there the compiler writes
 * stabs and libgcc has DWARF. Later ones do only if no ELF symbol is at or before the
 * address.
 */
static bool asks_stabs(const struct query *query)
{
    const struct bfd_lines *lines = query->lines;
    return query->unit == NULL && lines->stabs.row_count > 0 &&
           (lines->elf->header.e_machine == EM_AVR ||
            !bfd_has_name(lines, query->address));
}

/* Asks the units, first those that the tree has for the address. */
static bool ask_units(struct query *query)
{
    struct bfd_lines *lines = query->lines;
    if (!ask_known(query))
        return false;
    while (query->unit == NULL && lines->known_units < lines->unit_count) {
        bool has;
        struct bfd_unit *unit = &lines->units[lines->known_units];
        if (!bfd_read_unit(lines, query->address, &has) || (has && !ask(query, unit)))
            return false;
    }
    return true;
}

bool bfd_lines_at(struct bfd_lines *lines, uint64_t address, bool names,
                  struct bfd_place *place)
{
    struct query query = {
        .lines = lines, .address = address, .names = names, .place = place};
    size_t changes = lines->changes;
    *place = (struct bfd_place){.until = place->until};
    if (lines->unit_count == 0 && lines->stabs.row_count > 0)
        return find_stab(&query);
    if (!ask_units(&query))
        return false;
    if (names)
        name_place(&query);
    if (lines->changes != changes || place->until <= address)
        place->until = address + 1;
    if (asks_stabs(&query))
        return find_stab(&query);
    if (query.unit == NULL || query.row == NULL || query.row->line == 0)
        return true;
    place->line = query.row->line;
    return bfd_unit_file(lines, query.unit, query.row->file, &place->file);
}
