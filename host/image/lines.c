/* SPDX-License-Identifier: MIT */
/*
 * Finds source lines for addresses. The function and the inlined calls that contain an
 * address are found in a flat table that is built once for each compilation unit, because
 * walking the unit's tree for every address takes seconds.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "../base/vector.h"
#include "internal.h"
#include "stabs.h"
#include "units.h"

/* A function or an inlined call of one unit. */
struct scope {
    const char *name;   /* demangled */
    uint64_t call_file; /* its number in the line table */
    unsigned call_line;
    uint32_t parent; /* 1 + the index of the scope it was inlined into; 0: none */
    bool real;       /* it is the function that ends where the symbol at 0 does, or is
                      * inside it */
};

/* What is known of a unit; nothing is known before it is asked for. */
struct scan {
    bool done;       /* its scopes are known */
    bool table_done; /* its line table was looked for: few units need that */
    const struct line_table *table; /* NULL: none */
    char **paths;                   /* of the table's files, where they were asked for */
    struct scope *scopes;
    size_t scope_count, scopes_allocated;
    struct spans spans; /* owner: the scope */
    size_t span_hint, row_hint;
};

struct lines {
    const struct image *image;
    struct units units;
    struct scan *scans; /* of the units */
    struct spans spans; /* owner: the unit */
    size_t span_hint;
    size_t spans_allowed; /* spans that an honest file of this size can still have */
    uint64_t thumb_mask;  /* GNU as gives Thumb functions of .S files an odd low_pc */
    struct stabs stabs;
    char **stab_paths; /* of the files in `stabs`, where they were asked for */
    struct demangle_budget budget;
    char **owned; /* demangled names */
    size_t owned_count, owned_allocated;
    bool no_memory; /* memory ran out: something is missing */
};

/* Adds a span; deeper scopes cover those around them. A linker that drops a function
 * leaves its ranges behind, starting at 0. If no code is at 0, they are ignored; else all
 * other spans cover them, and the smallest is on top. `real`: the span belongs to the
 * function that is at 0. */
static void add_span(struct lines *lines, struct spans *spans, struct span span,
                     size_t depth, bool real)
{
    span.low &= lines->thumb_mask;
    if (span.low >= span.high ||
        (span.low == 0 && image_symbol_at(lines->image, 0) == NULL))
        return;
    bool doubtful = span.low == 0 && !real;
    span.rank = doubtful ? DIES_DEPTH_MAX + span.high : DIES_DEPTH_MAX - depth;
    lines->no_memory |= !spans_add(spans, &span);
}

static const char *demangled(struct lines *lines, const char *name)
{
    char *text = demangle(name, 0, &lines->budget);
    if (text == NULL)
        return name;
    if (!vector_grow(&lines->owned, lines->owned_count, &lines->owned_allocated,
                     sizeof *lines->owned)) {
        lines->no_memory = true;
        free(text);
        return name;
    }
    lines->owned[lines->owned_count++] = text;
    return text;
}

/* The unit's line table; NULL: it has none. */
static const struct line_table *table_of(struct lines *lines, const struct unit *unit,
                                         struct scan *scan)
{
    if (!scan->table_done && !units_table(&lines->units, unit, &scan->table)) {
        lines->no_memory = true;
        scan->table = NULL;
    }
    scan->table_done = true;
    return scan->table;
}

/* The path of the unit's file of this number; NULL: unknown. */
static const char *file_path(struct lines *lines, const struct unit *unit,
                             struct scan *scan, uint64_t number)
{
    const struct line_table *table = table_of(lines, unit, scan);
    if (table == NULL || number >= LINE_GAP)
        return NULL;
    size_t count = table->file_count;
    size_t index = line_table_file(table, (uint32_t)number);
    if (index == count)
        return NULL;
    if (scan->paths == NULL)
        scan->paths = calloc(count, sizeof *scan->paths);
    if (scan->paths != NULL && scan->paths[index] == NULL)
        scan->paths[index] = line_table_path(table, index, unit->directory);
    lines->no_memory |= scan->paths == NULL || scan->paths[index] == NULL;
    return scan->paths == NULL ? NULL : scan->paths[index];
}

/* Adds the scope of a function or inlined call. The scopes inside it get it as their
 * parent. */
static void add_scope(struct lines *lines, struct scan *scan, struct scopes *scopes)
{
    size_t before = scan->spans.count;
    uint32_t within = scopes->dies.within;
    struct span span = {.owner = (uint32_t)scan->scope_count};
    struct scope scope = {.real = within != 0 && scan->scopes[within - 1].real};
    if (scan->scope_count >= UINT32_MAX - 1)
        return;
    if (!vector_grow(&scan->scopes, scan->scope_count, &scan->scopes_allocated,
                     sizeof *scan->scopes)) {
        lines->no_memory = true;
        return;
    }
    while (scopes_range(scopes, &span.low, &span.high)) {
        scope.real |= span.low == 0 && span.high == lines->units.sections.zero_end;
        add_span(lines, &scan->spans, span, scopes->dies.depth, scope.real);
    }
    if (scan->spans.count == before)
        return;
    bool is_linkage;
    const char *name = scopes_name(scopes, &is_linkage);
    scope.name = name != NULL && is_linkage ? demangled(lines, name) : name;
    if (scopes->tag == DW_TAG_inlined_subroutine) {
        scope.parent = within;
        scope.call_line = (unsigned)attribute_number(&scopes->at.call_line, 0);
        scope.call_file = attribute_number(&scopes->at.call_file, LINE_GAP);
    }
    scan->scopes[scan->scope_count++] = scope;
    scopes->dies.within = (uint32_t)scan->scope_count;
}

static void scan_unit(struct lines *lines, const struct unit *unit, struct scan *scan)
{
    struct scopes scopes;
    scan->done = true;
    scopes_init(&scopes, &lines->units, unit);
    while (scopes_next(&scopes))
        add_scope(lines, scan, &scopes);
    lines->no_memory |= !spans_flatten(&scan->spans);
}

static void add_unit(struct lines *lines, size_t index)
{
    Dwarf_Die die = lines->units.items[index].die;
    struct span span = {.owner = (uint32_t)index};
    Dwarf_Addr base;
    ptrdiff_t offset = 0;
    if (dwarf_tag(&die) != DW_TAG_compile_unit)
        return;
    while (lines->spans_allowed > 0 &&
           (offset = dwarf_ranges(&die, offset, &base, &span.low, &span.high)) > 0) {
        lines->spans_allowed--;
        add_span(lines, &lines->spans, span, 0,
                 span.high == lines->units.sections.zero_end);
    }
}

static struct lines *lines_of(struct image *image)
{
    if (image->lines != NULL)
        return image->lines;
    struct lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL) {
        image->no_memory = true;
        return NULL;
    }
    image->lines = lines;
    lines->image = image;
    lines->budget = IMAGE_DEMANGLE_BUDGET;
    lines->spans_allowed = (size_t)(image->file.bytes / 2);
    lines->thumb_mask = ~image->file.arch->state_bit;
    if (units_open(&lines->units, &image->file))
        lines->scans = calloc(lines->units.count + 1, sizeof *lines->scans);
    const struct image_symbol *first = image_symbol_at(image, 0);
    lines->units.sections.zero_end = first == NULL ? 0 : first->end;
    for (size_t i = 0; lines->scans != NULL && i < lines->units.count; i++)
        add_unit(lines, i);
    bool done = spans_flatten(&lines->spans) && stabs_read(&image->file, &lines->stabs);
    lines->stab_paths = calloc(lines->stabs.file_count + 1, sizeof *lines->stab_paths);
    lines->no_memory |= !done || lines->scans == NULL || lines->stab_paths == NULL;
    return lines;
}

/* Finds the unit at the address and what is known of it; false: there is none. *until is
 * as in spans_at(). */
static bool unit_at(struct lines *lines, uint64_t address, const struct unit **unit,
                    struct scan **scan, uint64_t *until)
{
    const struct span *span = spans_at(&lines->spans, &lines->span_hint, address, until);
    if (span == NULL)
        return false;
    *unit = &lines->units.items[span->owner];
    *scan = &lines->scans[span->owner];
    if (!(*scan)->done)
        scan_unit(lines, *unit, *scan);
    return true;
}

/* Finds lines from the row of the line table and from the scopes that contain the
 * address. */
static size_t dwarf_lines(struct lines *lines, uint64_t address, struct image_line *out,
                          size_t max)
{
    const struct unit *unit;
    struct scan *scan;
    uint64_t until = UINT64_MAX;
    if (!unit_at(lines, address, &unit, &scan, &until))
        return 0;
    const struct line_table *table = table_of(lines, unit, scan);
    const struct line_row *row =
        table == NULL ? NULL : line_table_at(table, &scan->row_hint, address, &until);
    if (row != NULL) {
        out[0].file = file_path(lines, unit, scan, row->file);
        out[0].line = row->line;
        out[0].begins = row->begins && row->address == address;
    }
    const struct span *span = spans_at(&scan->spans, &scan->span_hint, address, &until);
    size_t filled = 1;
    for (uint32_t id = span == NULL ? 0 : span->owner + 1; id != 0;) {
        const struct scope *scope = &scan->scopes[id - 1];
        out[filled - 1].function = scope->name;
        out[filled - 1].copy = (uint64_t)(scan - lines->scans) << 32 | id;
        if (scope->parent == 0 || filled == max)
            break;
        out[filled++] =
            (struct image_line){.file = file_path(lines, unit, scan, scope->call_file),
                                .line = scope->call_line};
        id = scope->parent;
    }
    return out[0].file == NULL && span == NULL ? 0 : filled;
}

/* Finds the line from the stabs, if its row belongs to the symbol at the address: stabs
 * do not say where a function ends, and the code behind it may have no debug information.
 */
static size_t stab_line(struct lines *lines, uint64_t address, struct image_line *out)
{
    uint64_t until = UINT64_MAX;
    const struct stab_row *row = stabs_at(&lines->stabs, address, &until);
    const struct image_symbol *symbol = image_symbol_at(lines->image, address);
    if (row == NULL || symbol == NULL || row->address < symbol->address)
        return 0;
    const struct stab_file *file = &lines->stabs.files[row->file];
    if (file->name == NULL || lines->stab_paths == NULL)
        return 0;
    char **path = &lines->stab_paths[row->file];
    if (*path == NULL)
        *path = stabs_path(file);
    lines->no_memory |= *path == NULL;
    *out = (struct image_line){
        .file = *path, .line = row->line, .begins = row->address == address};
    return *path != NULL;
}

size_t image_lines(struct image *image, uint64_t address, struct image_line *out,
                   size_t max)
{
    struct lines *lines = lines_of(image);
    if (lines == NULL || max == 0)
        return 0;
    out[0] = (struct image_line){0};
    size_t filled = dwarf_lines(lines, address, out, max);
    if (filled == 0)
        filled = stab_line(lines, address, out);
    if (filled > 0 && out[filled - 1].function == NULL) {
        const struct image_symbol *symbol = image_symbol_at(image, address);
        out[filled - 1].function = symbol == NULL ? NULL : symbol->demangled;
    }
    return filled;
}

const char *image_compiled_in(struct image *image, size_t unit)
{
    struct lines *lines = lines_of(image);
    if (lines == NULL || unit >= lines->units.count)
        return NULL;
    const char *directory = lines->units.items[unit].directory;
    return directory != NULL ? directory : "";
}

/* Whether any code of [low, high) in the unit is part of an inlined call; moves *low on.
 */
static bool any_inlined(struct scan *scan, uint64_t low, uint64_t high)
{
    while (low < high) {
        uint64_t until = UINT64_MAX;
        const struct span *span = spans_at(&scan->spans, &scan->span_hint, low, &until);
        if (span != NULL && scan->scopes[span->owner].parent != 0)
            return true;
        low = until;
    }
    return false;
}

bool image_inlines(struct image *image, uint64_t low, uint64_t high)
{
    struct lines *lines = lines_of(image);
    while (lines != NULL && low < high) {
        const struct unit *unit;
        struct scan *scan;
        uint64_t until = high;
        if (unit_at(lines, low, &unit, &scan, &until) && any_inlined(scan, low, until))
            return true;
        low = until;
    }
    return false;
}

uint64_t image_lines_until(struct image *image, uint64_t address)
{
    struct lines *lines = lines_of(image);
    const struct unit *unit;
    struct scan *scan;
    uint64_t until = UINT64_MAX;
    if (lines == NULL)
        return until;
    if (unit_at(lines, address, &unit, &scan, &until)) {
        spans_at(&scan->spans, &scan->span_hint, address, &until);
        const struct line_table *table = table_of(lines, unit, scan);
        if (table != NULL)
            line_table_at(table, &scan->row_hint, address, &until);
    }
    stabs_at(&lines->stabs, address, &until);
    const struct image_symbol *symbol = image_symbol_at(image, address);
    return symbol != NULL && lines->stabs.row_count > 0 && symbol->end < until
               ? symbol->end
               : until;
}

bool image_no_memory(const struct image *image)
{
    return image != NULL &&
           (image->no_memory || (image->lines != NULL && image->lines->no_memory) ||
            image_no_memory(image->shipped));
}

static void release_paths(char **paths, size_t count)
{
    for (size_t i = 0; paths != NULL && i < count; i++)
        free(paths[i]);
    free(paths);
}

void image_release_lines(struct image *image)
{
    struct lines *lines = image->lines;
    if (lines == NULL)
        return;
    for (size_t i = 0; lines->scans != NULL && i < lines->units.count; i++) {
        struct scan *scan = &lines->scans[i];
        release_paths(scan->paths, scan->table == NULL ? 0 : scan->table->file_count);
        free(scan->scopes);
        free(scan->spans.items);
    }
    release_paths(lines->owned, lines->owned_count);
    release_paths(lines->stab_paths, lines->stabs.file_count);
    free(lines->scans);
    free(lines->spans.items);
    stabs_release(&lines->stabs);
    units_release(&lines->units);
    free(lines);
    image->lines = NULL;
}
