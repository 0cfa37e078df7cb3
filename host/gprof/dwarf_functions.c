/* SPDX-License-Identifier: MIT */
/* Functions and inlined calls of a unit, with their names. */
#include <dwarf.h>
#include <stdlib.h>

#include "../base/vector.h"
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

/* Bounds what a hostile file may stand for. */
struct walk {
    const struct gprof_image *image;
    const struct debug_strings *strings;
    struct gprof_functions *functions;
    uint64_t left; /* dies and ranges that its bytes can hold */
    bool plain;
};

static bool add_function(struct gprof_functions *functions,
                         const struct gprof_function *function)
{
    if (!vector_grow(&functions->items, functions->count, &functions->room,
                     sizeof *functions->items))
        return false;
    functions->items[functions->count++] = *function;
    return true;
}

bool gprof_has_ranges(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, DW_AT_ranges, &attribute) == NULL ||
           dwarf_whatform(&attribute) != DW_FORM_rnglistx;
}

uint64_t gprof_attribute_address(const struct gprof_image *image,
                                 Dwarf_Attribute *attribute, uint64_t address)
{
    switch (dwarf_whatform(attribute)) {
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        return address; /* BFD does not extend the sign of these */
    default:
        return elf_file_address(&image->file, address);
    }
}

enum { NEAR_SPANS = 16 };

/* Whether the range goes on where one of the function's does, or the other way round.
 * Of long lists only the first and the last are looked at. */
static bool join_span(struct spans *spans, size_t first, const struct span *range)
{
    size_t last = spans->count > NEAR_SPANS ? spans->count - NEAR_SPANS : 0;
    for (size_t i = first; i < spans->count; i = i + 1 < last ? last : i + 1) {
        struct span *span = &spans->items[i];
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

/* Of those attributes that are asked for, each is the first of its name; `valp` is NULL
 * where there is none. */
struct attributes {
    Dwarf_Attribute low, high, entry, ranges;
    Dwarf_Attribute linkage_name, mips_name, name;
    Dwarf_Attribute origin, specification;
};

static int take_attribute(Dwarf_Attribute *attribute, void *argument)
{
    struct attributes *all = argument;
    Dwarf_Attribute *place;
    switch (dwarf_whatattr(attribute)) {
    case DW_AT_low_pc:
        place = &all->low;
        break;
    case DW_AT_high_pc:
        place = &all->high;
        break;
    case DW_AT_entry_pc:
        place = &all->entry;
        break;
    case DW_AT_ranges:
        place = &all->ranges;
        break;
    case DW_AT_linkage_name:
        place = &all->linkage_name;
        break;
    case DW_AT_MIPS_linkage_name:
        place = &all->mips_name;
        break;
    case DW_AT_name:
        place = &all->name;
        break;
    case DW_AT_abstract_origin:
        place = &all->origin;
        break;
    case DW_AT_specification:
        place = &all->specification;
        break;
    default:
        return DWARF_CB_OK;
    }
    if (place->valp == NULL)
        *place = *attribute;
    return DWARF_CB_OK;
}

/* One pass over the die's attributes: each look-up by name would be another. */
static void read_attributes(Dwarf_Die *die, struct attributes *attributes)
{
    *attributes = (struct attributes){0};
    dwarf_getattrs(die, take_attribute, attributes, 0);
}

/* Of code that belongs to several the smallest range is the innermost. */
static bool add_range(struct walk *walk, size_t first, uint64_t low, uint64_t high,
                      uint32_t owner)
{
    struct spans *spans = &walk->functions->spans;
    struct span span = {low, high, high - low, owner};
    return low >= high || join_span(spans, first, &span) || spans_add(spans, &span);
}

/* The usual: one range, with its end or its length. */
static bool single_range(const struct walk *walk, struct attributes *attributes,
                         uint64_t *low, uint64_t *high)
{
    Dwarf_Word bytes;
    if (attributes->low.valp == NULL || attributes->high.valp == NULL ||
        attributes->entry.valp != NULL || dwarf_formaddr(&attributes->low, low) != 0)
        return false;
    *low = gprof_attribute_address(walk->image, &attributes->low, *low);
    if (dwarf_formaddr(&attributes->high, high) == 0)
        *high = gprof_attribute_address(walk->image, &attributes->high, *high);
    else if (dwarf_formudata(&attributes->high, &bytes) == 0)
        *high = *low + bytes;
    else
        return false;
    return true;
}

static bool add_ranges(struct walk *walk, Dwarf_Die *die, struct attributes *attributes,
                       uint32_t owner)
{
    size_t first = walk->functions->spans.count;
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    if (walk->left > 0 && single_range(walk, attributes, &low, &high)) {
        walk->left--;
        return add_range(walk, first, low, high, owner);
    }
    while (walk->left > 0 &&
           (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
        walk->left--;
        low = elf_file_address(&walk->image->file, low);
        high = elf_file_address(&walk->image->file, high);
        if (!add_range(walk, first, low, high, owner))
            return false;
    }
    return true;
}

static const char *text_of(const struct walk *walk, Dwarf_Attribute *attribute)
{
    return attribute->valp == NULL ? NULL : debug_string(walk->strings, attribute);
}

enum { ORIGINS_MAX = 16 }; /* as libdw follows them */

/* The name is the die's own or that of what it is an instance of. */
static void name_function(const struct walk *walk, struct attributes *attributes,
                          struct gprof_function *function)
{
    struct attributes *at = attributes, origin;
    Dwarf_Attribute linkage_name = {0}, mips_name = {0}, name = {0};
    for (int i = 0; i <= ORIGINS_MAX; i++) {
        Dwarf_Die die;
        linkage_name = linkage_name.valp == NULL ? at->linkage_name : linkage_name;
        mips_name = mips_name.valp == NULL ? at->mips_name : mips_name;
        name = name.valp == NULL ? at->name : name;
        Dwarf_Attribute *next =
            at->origin.valp == NULL ? &at->specification : &at->origin;
        if (next->valp == NULL || dwarf_formref_die(next, &die) == NULL)
            break;
        read_attributes(&die, &origin);
        at = &origin;
    }
    function->name = text_of(walk, &linkage_name);
    if (function->name == NULL)
        function->name = text_of(walk, &mips_name);
    function->is_linkage = function->name != NULL || walk->plain;
    if (function->name == NULL)
        function->name = text_of(walk, &name);
}

static bool take_function(struct walk *walk, Dwarf_Die *die)
{
    struct gprof_functions *functions = walk->functions;
    size_t spans = functions->spans.count;
    struct gprof_function function = {0};
    struct attributes attributes;
    if (functions->count >= UINT32_MAX)
        return true;
    read_attributes(die, &attributes);
    if (attributes.ranges.valp != NULL &&
        dwarf_whatform(&attributes.ranges) == DW_FORM_rnglistx)
        return true;
    if (!add_ranges(walk, die, &attributes, (uint32_t)functions->count))
        return false;
    if (functions->spans.count == spans)
        return true;
    function.low = functions->spans.items[spans].low;
    name_function(walk, &attributes, &function);
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

bool gprof_read_functions(const struct gprof_image *image,
                          const struct debug_strings *strings, Dwarf_Die *unit,
                          uint64_t bytes, struct gprof_functions *functions)
{
    struct walk walk = {image, strings, functions, bytes, plain_names(unit)};
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
