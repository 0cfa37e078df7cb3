/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/error.h"
#include "../base/search.h"
#include "../base/vector.h"

uint64_t attribute_number(Dwarf_Attribute *attribute, uint64_t otherwise)
{
    Dwarf_Word value;
    bool has = attribute != NULL && attribute->valp != NULL &&
               dwarf_formudata(attribute, &value) == 0;
    return has ? value : otherwise;
}

uint64_t attribute_address(const struct elf_file *elf, Dwarf_Attribute *attribute,
                           uint64_t address)
{
    switch (dwarf_whatform(attribute)) {
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        return address;
    default:
        return elf_file_address(elf, address);
    }
}

static bool add_unit(struct units *units, Dwarf_Off at, uint64_t bytes)
{
    struct unit unit = {.bytes = bytes};
    Dwarf_Attribute attribute;
    errno = 0;
    if (dwarf_offdie(units->dwarf, at, &unit.die) == NULL)
        return errno != ENOMEM;
    unit.directory =
        debug_string(&units->strings, dwarf_attr(&unit.die, DW_AT_comp_dir, &attribute));
    unit.table_offset =
        attribute_number(dwarf_attr(&unit.die, DW_AT_stmt_list, &attribute), UINT64_MAX);
    unit.language =
        (unsigned)attribute_number(dwarf_attr(&unit.die, DW_AT_language, &attribute), 0);
    if (!vector_grow(&units->items, units->count, &units->room, sizeof *units->items))
        return false;
    units->items[units->count++] = unit;
    return true;
}

static bool read_units(struct units *units)
{
    Dwarf_Off at = 0, next;
    size_t header;
    while (units->count < UINT32_MAX &&
           dwarf_nextcu(units->dwarf, at, &next, &header, NULL, NULL, NULL) == 0 &&
           next > at) {
        if (!add_unit(units, at + header, next - at))
            return false;
        at = next;
    }
    return true;
}

static int compare_tables(const void *left, const void *right)
{
    const struct line_table *a = left, *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Makes a table for each line program; units may share one. */
static bool find_tables(struct units *units)
{
    size_t count = 0;
    units->tables = calloc(units->count + 1, sizeof *units->tables);
    if (units->tables == NULL)
        return false;
    for (size_t i = 0; i < units->count; i++)
        if (units->items[i].table_offset != UINT64_MAX)
            units->tables[count++].offset = units->items[i].table_offset;
    qsort(units->tables, count, sizeof *units->tables, compare_tables);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || units->tables[i].offset != units->tables[i - 1].offset)
            units->tables[units->table_count++].offset = units->tables[i].offset;
    return true;
}

void units_end_without_memory(void)
{
    fputs("mcuprof: out of memory\n", stderr);
    exit(EXIT_BAD_INPUT);
}

bool units_open(struct units *units, const struct elf_file *elf)
{
    *units = (struct units){.elf = elf};
    errno = 0;
    units->dwarf = dwarf_begin_elf(elf->elf, DWARF_C_READ, NULL);
    if (units->dwarf == NULL)
        return errno != ENOMEM;
    dwarf_new_oom_handler(units->dwarf, units_end_without_memory);
    if (!debug_strings_init(&units->strings, elf))
        return true;
    line_sections_init(&units->sections, elf);
    return read_units(units) && find_tables(units);
}

bool units_table(struct units *units, const struct unit *unit,
                 const struct line_table **table)
{
    size_t low = 0;
    *table = NULL;
    if (unit->table_offset == UINT64_MAX)
        return true;
    SEARCH(low, units->table_count, units->tables[middle].offset < unit->table_offset);
    *table = &units->tables[low];
    return units->tables[low].read ||
           line_table_read(&units->sections, unit->table_offset, &units->tables[low]);
}

void units_release(struct units *units)
{
    for (size_t i = 0; i < units->table_count; i++)
        line_table_release(&units->tables[i]);
    free(units->tables);
    free(units->items);
    dwarf_end(units->dwarf);
}

Dwarf_Die *dies_first(struct dies *dies, const struct unit *unit)
{
    Dwarf_Die top = unit->die;
    dies->left = unit->bytes;
    dies->within = dies->levels[0].within = 0;
    dies->depth = dwarf_child(&top, &dies->levels[0].die) == 0;
    if (dies->depth == 0 || dies->left == 0)
        return NULL;
    dies->left--;
    return &dies->levels[0].die;
}

/* A sibling's offset may point back, so the walk visits no more dies than the unit has
 * bytes. */
Dwarf_Die *dies_next(struct dies *dies, bool inside)
{
    Dwarf_Die *die = &dies->levels[dies->depth - 1].die;
    if (dies->left == 0)
        return NULL;
    dies->left--;
    if (inside && dies->depth < DIES_DEPTH_MAX && dwarf_haschildren(die) == 1 &&
        dwarf_child(die, &dies->levels[dies->depth].die) == 0) {
        dies->levels[dies->depth++].within = dies->within;
        return &dies->levels[dies->depth - 1].die;
    }
    while (dwarf_siblingof(die, die) != 0) {
        if (--dies->depth == 0)
            return NULL;
        die = &dies->levels[dies->depth - 1].die;
    }
    dies->within = dies->levels[dies->depth - 1].within;
    return die;
}
