/* SPDX-License-Identifier: MIT */
/*
 * Addresses to source lines. libdw finds the row of the line table; which function, and
 * which inlined calls, contain an address is found in a flat table built once for each
 * compilation unit, because walking the unit's tree for every address takes seconds.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vector.h"
#include "debug_sections.h"
#include "internal.h"

enum {
    DEPTH_MAX = 128, /* of nested scopes that are followed */
};

/* A function or an inlined call of one unit. */
struct scope {
    const char *name; /* demangled */
    const char *call_file;
    unsigned call_line;
    uint32_t parent; /* 1 + its index, 0: not inlined into anything */
};

/* Addresses that belong to a scope; after flattening, disjoint and ascending. */
struct span {
    uint64_t low, high;
    uint32_t owner; /* of a unit's spans: 1 + scope; of units' spans: the unit */
    uint32_t depth;
};

struct spans {
    struct span *items;
    size_t used, allocated;
};

struct unit {
    const struct lines *lines;
    Dwarf_Die die;
    bool scanned;
    char *
        *paths; /* of the unit's files, by their number, as far as they were asked for */
    size_t path_count;
    struct scope *scopes;
    size_t scope_count, scopes_allocated;
    struct spans spans;
};

struct lines {
    const struct image *image;
    Dwarf *dwarf;
    struct debug_strings strings;
    struct unit *units;
    size_t unit_count, units_allocated;
    struct spans spans; /* of all units */
    size_t
        spans_allowed;   /* what a file of this size can honestly hold, less those read */
    uint64_t thumb_mask; /* GNU as gives Thumb functions of .S files an odd low_pc */
    struct demangle_budget budget;
    char **owned; /* demangled names */
    size_t owned_count, owned_allocated;
};

static bool add_span(struct spans *spans, struct span span)
{
    if (!vector_grow(&spans->items, spans->used, &spans->allocated, sizeof *spans->items))
        return false;
    spans->items[spans->used++] = span;
    return true;
}

/* A linker that drops a function leaves its ranges behind, starting at 0. */
static bool is_left_over(const struct lines *lines, uint64_t low)
{
    const struct image_symbol *symbol = image_symbol_at(lines->image, 0);
    return low == 0 && symbol == NULL;
}

static void add_die_spans(struct lines *lines, struct spans *spans, Dwarf_Die *die,
                          uint32_t owner, uint32_t depth)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    while (lines->spans_allowed > 0 &&
           (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
        lines->spans_allowed--;
        low &= lines->thumb_mask;
        if (low >= high || is_left_over(lines, low))
            continue;
        if (!add_span(spans, (struct span){low, high, owner, depth}))
            return;
    }
}

static int by_low_then_depth(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->high < b->high) - (a->high > b->high);
}

/* What is open while flattening; deeper ones cover the others. */
struct open_spans {
    struct span items[DEPTH_MAX + 2];
    size_t used;
};

static void emit(struct spans *flat, uint64_t low, uint64_t high, const struct span *of)
{
    if (low < high)
        add_span(flat, (struct span){low, high, of->owner, of->depth});
}

/* Ends the open spans that end at or before `limit`; returns how far is emitted. */
static uint64_t close_spans(struct open_spans *open, struct spans *flat, uint64_t from,
                            uint64_t limit)
{
    while (open->used > 0) {
        const struct span *top = &open->items[open->used - 1];
        uint64_t end = top->high < limit ? top->high : limit;
        emit(flat, from, end, top);
        from = end > from ? end : from;
        if (top->high > limit)
            break;
        open->used--;
    }
    return from;
}

/* Nested spans become disjoint ones, each owned by the innermost. */
static void flatten(struct spans *spans)
{
    struct spans flat = {0};
    struct open_spans open = {.used = 0};
    uint64_t done = 0;
    if (spans->used > 0)
        qsort(spans->items, spans->used, sizeof *spans->items, by_low_then_depth);
    for (size_t i = 0; i < spans->used; i++) {
        done = close_spans(&open, &flat, done, spans->items[i].low);
        if (done < spans->items[i].low)
            done = spans->items[i].low;
        if (open.used < DEPTH_MAX + 2)
            open.items[open.used++] = spans->items[i];
    }
    close_spans(&open, &flat, done, UINT64_MAX);
    free(spans->items);
    *spans = flat;
}

static const struct span *span_at(const struct spans *spans, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, spans->used, spans->items[middle].low <= address);
    if (low == 0 || address >= spans->items[low - 1].high)
        return NULL;
    return &spans->items[low - 1];
}

static const char *demangled(struct lines *lines, const char *name)
{
    char *text = image_demangle(name, &lines->budget);
    if (text == NULL)
        return name;
    if (!vector_grow(&lines->owned, lines->owned_count, &lines->owned_allocated,
                     sizeof *lines->owned)) {
        free(text);
        return name;
    }
    lines->owned[lines->owned_count++] = text;
    return text;
}

static const char *scope_name(struct lines *lines, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute) != NULL)
        name = debug_string(&lines->strings, &attribute);
    if (name != NULL)
        return demangled(lines, name);
    return dwarf_attr_integrate(die, DW_AT_name, &attribute) == NULL
               ? NULL
               : debug_string(&lines->strings, &attribute);
}

/* The directory a unit was compiled in, NULL if it does not say. */
static const char *directory_of(struct unit *unit)
{
    Dwarf_Attribute attribute;
    if (dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute) == NULL)
        return NULL;
    return debug_string(&unit->lines->strings, &attribute);
}

/* Relative names are relative to the directory of the compilation. */
static char *full_path(struct unit *unit, const char *name)
{
    const char *directory = name[0] == '/' ? NULL : directory_of(unit);
    char *path = NULL;
    if (directory == NULL)
        return strdup(name);
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/* A file of the unit by its number; NULL: unknown. */
static const char *file_path(struct unit *unit, Dwarf_Word index)
{
    Dwarf_Files *files;
    size_t count;
    if (dwarf_getsrcfiles(&unit->die, &files, &count) != 0 || index >= count)
        return NULL;
    if (unit->paths == NULL) {
        unit->paths = calloc(count, sizeof *unit->paths);
        unit->path_count = unit->paths == NULL ? 0 : count;
    }
    const char *name = dwarf_filesrc(files, (size_t)index, NULL, NULL);
    if (name == NULL || index >= unit->path_count)
        return NULL;
    if (unit->paths[index] == NULL)
        unit->paths[index] = full_path(unit, name);
    return unit->paths[index];
}

static Dwarf_Word number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(die, name, &attribute) == NULL ||
        dwarf_formudata(&attribute, &value) != 0)
        return 0;
    return value;
}

/* Adds the scope of a function or inlined call; returns 1 + its index, 0: it has none. */
static uint32_t add_scope(struct lines *lines, struct unit *unit, Dwarf_Die *die,
                          uint32_t parent, uint32_t depth)
{
    size_t spans_before = unit->spans.used;
    if (unit->scope_count >= UINT32_MAX - 1 ||
        !vector_grow(&unit->scopes, unit->scope_count, &unit->scopes_allocated,
                     sizeof *unit->scopes))
        return 0;
    uint32_t id = (uint32_t)unit->scope_count + 1;
    add_die_spans(lines, &unit->spans, die, id, depth);
    if (unit->spans.used == spans_before)
        return 0;
    struct scope *scope = &unit->scopes[unit->scope_count++];
    *scope = (struct scope){.name = scope_name(lines, die)};
    if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
        scope->parent = parent;
        scope->call_line = (unsigned)number(die, DW_AT_call_line);
        scope->call_file = file_path(unit, number(die, DW_AT_call_file));
    }
    return id;
}

static bool may_hold_functions(int tag)
{
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    default:
        return false;
    }
}

/* One level of the walk through a unit's tree. */
struct level {
    Dwarf_Die die;
    uint32_t scope; /* that contains the dies of this level */
};

/* Depth first, without recursion. Offsets must grow: damaged sibling links may not lead
 * backwards. */
static void scan_unit(struct lines *lines, struct unit *unit)
{
    struct level levels[DEPTH_MAX];
    size_t depth = 0;
    Dwarf_Off last = dwarf_dieoffset(&unit->die);
    if (dwarf_child(&unit->die, &levels[0].die) != 0)
        return;
    levels[0].scope = 0;
    for (;;) {
        struct level *level = &levels[depth];
        if (dwarf_dieoffset(&level->die) <= last)
            return;
        last = dwarf_dieoffset(&level->die);
        int tag = dwarf_tag(&level->die);
        uint32_t scope = level->scope;
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
            uint32_t own = add_scope(lines, unit, &level->die, scope, (uint32_t)depth);
            scope = own != 0 ? own : scope;
        }
        if (may_hold_functions(tag) && depth + 1 < DEPTH_MAX &&
            dwarf_child(&level->die, &levels[depth + 1].die) == 0) {
            levels[++depth].scope = scope;
            continue;
        }
        while (dwarf_siblingof(&levels[depth].die, &levels[depth].die) != 0)
            if (depth-- == 0)
                return;
    }
}

static bool add_unit(struct lines *lines, Dwarf_Die *die)
{
    if (lines->unit_count >= UINT32_MAX ||
        !vector_grow(&lines->units, lines->unit_count, &lines->units_allocated,
                     sizeof *lines->units))
        return false;
    uint32_t index = (uint32_t)lines->unit_count++;
    lines->units[index] = (struct unit){.lines = lines, .die = *die};
    add_die_spans(lines, &lines->spans, die, index, 0);
    return true;
}

static void read_units(struct lines *lines)
{
    Dwarf_Off offset = 0, next;
    size_t header_bytes;
    while (dwarf_nextcu(lines->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) ==
               0 &&
           next > offset) {
        Dwarf_Die die;
        if (dwarf_offdie(lines->dwarf, offset + header_bytes, &die) != NULL &&
            dwarf_tag(&die) == DW_TAG_compile_unit && !add_unit(lines, &die))
            return;
        offset = next;
    }
}

static struct lines *lines_of(struct image *image)
{
    if (image->lines != NULL)
        return image->lines;
    struct lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL)
        return NULL;
    image->lines = lines;
    lines->image = image;
    lines->budget.bytes = (size_t)64 << 20;
    lines->spans_allowed = (size_t)(image->file.bytes / 2);
    lines->thumb_mask =
        image->file.header.e_machine == EM_ARM ? ~(uint64_t)1 : ~(uint64_t)0;
    lines->dwarf = dwarf_begin_elf(image->file.elf, DWARF_C_READ, NULL);
    if (lines->dwarf != NULL && debug_strings_init(&lines->strings, image->file.elf)) {
        read_units(lines);
        flatten(&lines->spans);
    }
    return lines;
}

static struct unit *unit_at(struct lines *lines, uint64_t address)
{
    const struct span *span = span_at(&lines->spans, address);
    if (span == NULL)
        return NULL;
    struct unit *unit = &lines->units[span->owner];
    if (!unit->scanned) {
        unit->scanned = true;
        scan_unit(lines, unit);
        flatten(&unit->spans);
    }
    return unit;
}

/* The row of a unit's line table that is the first of an address beyond this one. */
static size_t row_after(Dwarf_Lines *rows, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    Dwarf_Addr at;
    SEARCH(low, high,
           dwarf_lineaddr(dwarf_onesrcline(rows, middle), &at) == 0 && at <= address);
    return low;
}

/* Whether one of the rows of just this address is where a statement of the line begins.
 * Of many only the last are looked at. */
static bool begins_statement(struct unit *unit, uint64_t address, unsigned number)
{
    enum { ROWS_MAX = 64 };
    Dwarf_Lines *rows;
    Dwarf_Addr at;
    size_t count;
    if (dwarf_getsrclines(&unit->die, &rows, &count) != 0)
        return false;
    size_t end = row_after(rows, count, address);
    for (size_t i = end; i > 0 && end - i < ROWS_MAX; i--) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i - 1);
        bool statement = false;
        int line = 0;
        if (dwarf_lineaddr(row, &at) != 0 || at != address)
            break;
        if (dwarf_linebeginstatement(row, &statement) == 0 && statement &&
            dwarf_lineno(row, &line) == 0 && (unsigned)line == number)
            return true;
    }
    return false;
}

/* The row of the line table, or at least the function's name. */
static void innermost_line(struct unit *unit, uint64_t address, struct image_line *line)
{
    int number_of_line = 0;
    Dwarf_Files *files;
    size_t file;
    Dwarf_Line *row = dwarf_getsrc_die(&unit->die, address);
    if (row == NULL || dwarf_line_file(row, &files, &file) != 0)
        return;
    line->file = file_path(unit, file);
    if (dwarf_lineno(row, &number_of_line) == 0 && number_of_line > 0)
        line->line = (unsigned)number_of_line;
    line->begins = begins_statement(unit, address, line->line);
}

size_t image_lines(struct image *image, uint64_t address, struct image_line *out,
                   size_t max)
{
    struct lines *lines = lines_of(image);
    struct unit *unit = lines == NULL || max == 0 ? NULL : unit_at(lines, address);
    if (unit == NULL)
        return 0;
    out[0] = (struct image_line){0};
    innermost_line(unit, address, &out[0]);
    const struct span *span = span_at(&unit->spans, address);
    size_t filled = 1;
    for (uint32_t id = span == NULL ? 0 : span->owner; id != 0;) {
        const struct scope *scope = &unit->scopes[id - 1];
        out[filled - 1].function = scope->name;
        out[filled - 1].copy = (uint64_t)(unit - lines->units) << 32 | id;
        if (scope->parent == 0 || filled == max)
            break;
        out[filled++] =
            (struct image_line){.file = scope->call_file, .line = scope->call_line};
        id = scope->parent;
    }
    const struct image_symbol *symbol = image_symbol_at(image, address);
    if (out[filled - 1].function == NULL && symbol != NULL)
        out[filled - 1].function = symbol->demangled;
    return out[0].file == NULL && span == NULL ? 0 : filled;
}

/* The first span that ends beyond the address; NULL: none does. */
static const struct span *span_from(const struct spans *spans, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, spans->used, spans->items[middle].high <= address);
    return low < spans->used ? &spans->items[low] : NULL;
}

/* Where the span that contains the address ends, or the next one begins. */
static uint64_t span_until(const struct spans *spans, uint64_t address)
{
    const struct span *span = span_from(spans, address);
    if (span == NULL)
        return UINT64_MAX;
    return span->low > address ? span->low : span->high;
}

static bool any_inlined(const struct unit *unit, uint64_t low, uint64_t high)
{
    const struct span *end = unit->spans.items + unit->spans.used;
    const struct span *span = span_from(&unit->spans, low);
    for (; span != NULL && span < end && span->low < high; span++)
        if (span->owner != 0 && unit->scopes[span->owner - 1].parent != 0)
            return true;
    return false;
}

bool image_inlines(struct image *image, uint64_t low, uint64_t high)
{
    struct lines *lines = lines_of(image);
    if (lines == NULL)
        return false;
    for (uint64_t at = low; at < high; at = span_until(&lines->spans, at)) {
        const struct unit *unit = unit_at(lines, at);
        if (unit != NULL && any_inlined(unit, at, high))
            return true;
    }
    return false;
}

/* The next row of the line table that is of another address. */
static uint64_t row_until(struct unit *unit, uint64_t address)
{
    Dwarf_Lines *rows;
    Dwarf_Addr at;
    size_t count;
    if (dwarf_getsrclines(&unit->die, &rows, &count) != 0)
        return UINT64_MAX;
    size_t low = row_after(rows, count, address);
    bool found = low < count && dwarf_lineaddr(dwarf_onesrcline(rows, low), &at) == 0;
    return found ? at : UINT64_MAX;
}

uint64_t image_lines_until(struct image *image, uint64_t address)
{
    struct lines *lines = lines_of(image);
    struct unit *unit = lines == NULL ? NULL : unit_at(lines, address);
    uint64_t until = lines == NULL ? UINT64_MAX : span_until(&lines->spans, address);
    if (unit == NULL)
        return until;
    uint64_t scope = span_until(&unit->spans, address), row = row_until(unit, address);
    until = scope < until ? scope : until;
    return row < until ? row : until;
}

void image_release_lines(struct image *image)
{
    struct lines *lines = image->lines;
    if (lines == NULL)
        return;
    for (size_t i = 0; i < lines->unit_count; i++) {
        for (size_t j = 0; j < lines->units[i].path_count; j++)
            free(lines->units[i].paths[j]);
        free(lines->units[i].paths);
        free(lines->units[i].scopes);
        free(lines->units[i].spans.items);
    }
    for (size_t i = 0; i < lines->owned_count; i++)
        free(lines->owned[i]);
    free(lines->owned);
    free(lines->units);
    free(lines->spans.items);
    if (lines->dwarf != NULL)
        dwarf_end(lines->dwarf);
    free(lines);
    image->lines = NULL;
}
