/* SPDX-License-Identifier: MIT */
/* Functions and inlined calls of a unit, with their names. */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf.h"

/* Languages of which DW_AT_name is the name in the symbol table. */
static bool plain_names(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word language = 0;
    if (dwarf_attr(unit, DW_AT_language, &attribute) == NULL ||
        dwarf_formudata(&attribute, &language) != 0)
        return false;
    switch (language) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Cobol74:
    case DW_LANG_Cobol85:
    case DW_LANG_Fortran77:
    case DW_LANG_Pascal83:
    case DW_LANG_PLI:
    case DW_LANG_UPC:
    case DW_LANG_Mips_Assembler:
        return true;
    default:
        return false;
    }
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(die, name, &attribute) == NULL)
        return NULL;
    return dwarf_formstring(&attribute);
}

/* Bounds what a hostile file may stand for. */
struct walk {
    const struct gprof_image *image;
    struct gprof_functions *functions;
    uint64_t left; /* dies and ranges that its bytes can hold */
    bool plain;
};

static bool add_function(struct gprof_functions *functions,
                         const struct gprof_function *function)
{
    if (functions->count == functions->room) {
        size_t room = functions->room == 0 ? 64 : functions->room * 2;
        void *moved = reallocarray(functions->items, room, sizeof(*functions->items));
        if (moved == NULL)
            return false;
        functions->items = moved;
        functions->room = room;
    }
    functions->items[functions->count++] = *function;
    return true;
}

bool gprof_has_ranges(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, DW_AT_ranges, &attribute) == NULL ||
           dwarf_whatform(&attribute) != DW_FORM_rnglistx;
}

enum { NEAR_SPANS = 16 };

/* Whether the range goes on where one of the function's does, or the other way round.
 * Of long lists only the first and the last are looked at. */
static bool join_span(struct gprof_spans *spans, size_t first,
                      const struct gprof_span *range)
{
    size_t last = spans->count > NEAR_SPANS ? spans->count - NEAR_SPANS : 0;
    for (size_t i = first; i < spans->count; i = i + 1 < last ? last : i + 1) {
        struct gprof_span *span = &spans->items[i];
        if (range->low == span->high)
            span->high = range->high;
        else if (range->high == span->low)
            span->low = range->low;
        else
            continue;
        span->rank = span->high - span->low;
        return true;
    }
    return false;
}

/* Of code that belongs to several the smallest range is the innermost. */
static bool add_ranges(struct walk *walk, Dwarf_Die *die, uint32_t owner)
{
    struct gprof_spans *spans = &walk->functions->spans;
    size_t first = spans->count;
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    while (walk->left > 0 &&
           (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
        walk->left--;
        low = gprof_image_address(walk->image, low);
        high = gprof_image_address(walk->image, high);
        struct gprof_span span = {low, high, high - low, owner};
        if (low < high && !join_span(spans, first, &span) &&
            !gprof_add_span(spans, &span))
            return false;
    }
    return true;
}

static bool take_function(struct walk *walk, Dwarf_Die *die)
{
    struct gprof_functions *functions = walk->functions;
    size_t spans = functions->spans.count;
    struct gprof_function function = {0};
    if (functions->count >= UINT32_MAX)
        return true;
    if (!gprof_has_ranges(die))
        return true;
    if (!add_ranges(walk, die, (uint32_t)functions->count))
        return false;
    if (functions->spans.count == spans)
        return true;
    function.low = functions->spans.items[spans].low;
    function.name = text_of(die, DW_AT_linkage_name);
    if (function.name == NULL)
        function.name = text_of(die, DW_AT_MIPS_linkage_name);
    function.is_linkage = function.name != NULL || walk->plain;
    if (function.name == NULL)
        function.name = text_of(die, DW_AT_name);
    return add_function(functions, &function);
}

/* In what there can be no functions; in C, none in types at all. */
static bool barren(int tag, bool plain)
{
    switch (tag) {
    case DW_TAG_array_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_subroutine_type:
    case DW_TAG_call_site:
    case DW_TAG_GNU_call_site:
        return true;
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return plain;
    default:
        return false;
    }
}

enum { DEPTH_MAX = 512 };

bool gprof_read_functions(const struct gprof_image *image, Dwarf_Die *unit,
                          uint64_t bytes, struct gprof_functions *functions)
{
    struct walk walk = {image, functions, bytes, plain_names(unit)};
    Dwarf_Die stack[DEPTH_MAX];
    size_t depth = 0;
    if (dwarf_child(unit, &stack[0]) != 0)
        return true;
    depth = 1;
    /* A sibling's offset may point back: no more dies than there are bytes. */
    while (depth > 0 && walk.left > 0) {
        Dwarf_Die *die = &stack[depth - 1];
        int tag = dwarf_tag(die);
        walk.left--;
        if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
             tag == DW_TAG_entry_point) &&
            !take_function(&walk, die))
            return false;
        if (depth < DEPTH_MAX && dwarf_haschildren(die) == 1 &&
            !barren(tag, walk.plain) && dwarf_child(die, &stack[depth]) == 0) {
            depth++;
            continue;
        }
        while (depth > 0 && dwarf_siblingof(&stack[depth - 1], &stack[depth - 1]) != 0)
            depth--;
    }
    return true;
}
