/* SPDX-License-Identifier: MIT */
/* Reads from the debug information the flags of files, and the functions that were
 * inlined. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vector.h"
#include "program.h"

/* ---- Flags ---- */

static bool is_flag(const char *word, size_t size, const char *flag)
{
    return strlen(flag) == size && memcmp(word, flag, size) == 0;
}

/* GCC writes -pg as -p. */
static void take_flag(struct unit_flags *flags, const char *word, size_t size)
{
    flags->calls |= is_flag(word, size, "-p") || is_flag(word, size, "-pg");
    flags->times |= is_flag(word, size, "-finstrument-functions");
    flags->blocks |= is_flag(word, size, "-fsanitize-coverage=trace-pc");
    if (is_flag(word, size, "-flto") || (size > 6 && memcmp(word, "-flto=", 6) == 0))
        flags->lto = true;
    if (is_flag(word, size, "-fno-lto"))
        flags->lto = false;
    flags->keeps_arguments |= is_flag(word, size, "-fno-defer-pop");
}

static void read_flags(struct program *program, size_t index)
{
    Dwarf_Attribute attribute;
    struct unit *unit = &program->units.items[index];
    const char *text = debug_string(&program->units.strings,
                                    dwarf_attr(&unit->die, DW_AT_producer, &attribute));
    program->flags[index].clang = text != NULL && strstr(text, "clang version") != NULL;
    while (text != NULL && *text != '\0') {
        size_t size = strcspn(text, " ");
        take_flag(&program->flags[index], text, size);
        text += size + strspn(text + size, " ");
    }
}

/* ---- Functions ---- */

/* Finds the DIE of the function as it was written: LTO makes its code in a unit of its
 * own. */
static bool origin_of(struct scopes *scopes, Dwarf_Die *origin)
{
    *origin = *scopes->die;
    return scopes->at.origin.valp == NULL ||
           dwarf_formref_die(&scopes->at.origin, origin) != NULL;
}

/* The unit that holds an offset. */
static uint32_t unit_at(struct program *program, Dwarf_Off offset)
{
    struct units *units = &program->units;
    size_t low = 0;
    SEARCH(low, units->count, dwarf_dieoffset(&units->items[middle].die) <= offset);
    return low == 0 ? 0 : (uint32_t)(low - 1);
}

/* Finds the line where the function was declared. false: out of memory. */
static bool find_line(struct program *program, struct written *written, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const struct line_table *table;
    uint64_t file = attribute_number(
        dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), LINE_GAP);
    written->line = (unsigned)attribute_number(
        dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), 0);
    if (!units_table(&program->units, &program->units.items[written->unit], &table))
        return false;
    if (table == NULL || file >= LINE_GAP)
        return true;
    written->file = line_table_file(table, (uint32_t)file);
    written->table = written->file < table->file_count ? table : NULL;
    return true;
}

/* Adds a function, but only one of a file whose calls -pg should count: inlined calls are
 * not counted. */
static bool add_written(struct program *program, struct scopes *scopes, bool inlined)
{
    Dwarf_Die origin;
    struct written written = {.inlined = inlined, .exists = !inlined};
    bool is_linkage;
    if (!origin_of(scopes, &origin))
        return true;
    written.offset = dwarf_dieoffset(&origin);
    written.unit = unit_at(program, written.offset);
    if (!program->flags[written.unit].calls)
        return true;
    written.name = scopes_name(scopes, &is_linkage);
    if (!vector_grow(&program->written, program->written_count, &program->written_room,
                     sizeof *program->written) ||
        !find_line(program, &written, &origin))
        return false;
    program->written[program->written_count++] = written;
    return true;
}

/* Notes the unit of each of the function's pieces. */
static bool take_pieces(struct program *program, struct scopes *scopes)
{
    uint64_t low, high, bit = program->code.arch->state_bit;
    Dwarf_Die origin;
    bool any = false;
    if (!origin_of(scopes, &origin))
        return false;
    uint32_t unit = 1 + unit_at(program, dwarf_dieoffset(&origin));
    while (scopes_range(scopes, &low, &high)) {
        struct function *function = program_begins(program, low & ~bit);
        if (function == NULL || low >= high || function->unit != 0)
            continue;
        function->unit = unit;
        any = true;
    }
    return any;
}

static bool has_range(struct program *program, struct scopes *scopes)
{
    uint64_t low, high;
    while (scopes_range(scopes, &low, &high))
        if (low < high && program_in(program, low) != NULL)
            return true;
    return false;
}

static bool read_unit(struct program *program, const struct unit *unit)
{
    struct scopes scopes;
    scopes_init(&scopes, &program->units, unit);
    while (scopes_next(&scopes)) {
        bool inlined = scopes.tag == DW_TAG_inlined_subroutine;
        bool there =
            inlined ? has_range(program, &scopes) : take_pieces(program, &scopes);
        if (there && !add_written(program, &scopes, inlined))
            return false;
    }
    return true;
}

static int by_offset(const void *left, const void *right)
{
    const struct written *a = left, *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static void merge_written(struct program *program)
{
    size_t kept = 0;
    if (program->written_count > 0)
        qsort(program->written, program->written_count, sizeof *program->written,
              by_offset);
    for (size_t i = 0; i < program->written_count; i++) {
        struct written *last = kept > 0 ? &program->written[kept - 1] : NULL;
        const struct written *next = &program->written[i];
        if (last == NULL || last->offset != next->offset) {
            program->written[kept++] = *next;
            continue;
        }
        last->inlined += next->inlined;
        last->exists |= next->exists;
    }
    program->written_count = kept;
}

bool program_read_units(struct program *program)
{
    struct units *units = &program->units;
    if (!units_open(units, image_file(program->image)))
        return false;
    program->dwarf = units->count > 0;
    program->flags = calloc(units->count + 1, sizeof *program->flags);
    if (program->flags == NULL)
        return false;
    for (size_t i = 0; i < units->count; i++)
        read_flags(program, i);
    for (size_t i = 0; i < units->count; i++)
        if (!read_unit(program, &units->items[i]))
            return false;
    merge_written(program);
    return true;
}
