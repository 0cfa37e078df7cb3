/* SPDX-License-Identifier: MIT */
/* Functions and inlined calls of a unit, with their ranges and names. */
#include <dwarf.h>

#include "units.h"

/* Whether in this language DW_AT_name is the name in the symbol table. */
static bool plain_names(unsigned language)
{
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

static Dwarf_Attribute *place_of(struct scope_attributes *all, unsigned name)
{
    switch (name) {
    case DW_AT_low_pc:
        return &all->low;
    case DW_AT_high_pc:
        return &all->high;
    case DW_AT_entry_pc:
        return &all->entry;
    case DW_AT_ranges:
        return &all->ranges;
    case DW_AT_linkage_name:
        return &all->linkage_name;
    case DW_AT_MIPS_linkage_name:
        return &all->mips_name;
    case DW_AT_name:
        return &all->name;
    case DW_AT_abstract_origin:
        return &all->origin;
    case DW_AT_specification:
        return &all->specification;
    case DW_AT_call_file:
        return &all->call_file;
    case DW_AT_call_line:
        return &all->call_line;
    default:
        return NULL;
    }
}

static int take_attribute(Dwarf_Attribute *attribute, void *argument)
{
    Dwarf_Attribute *place = place_of(argument, dwarf_whatattr(attribute));
    if (place != NULL && place->valp == NULL)
        *place = *attribute;
    return DWARF_CB_OK;
}

/* Reads all attributes in one pass over the die: each look-up by name would take another
 * pass. */
static void read_attributes(Dwarf_Die *die, struct scope_attributes *attributes)
{
    *attributes = (struct scope_attributes){0};
    dwarf_getattrs(die, take_attribute, attributes, 0);
}

/* The common case: one range, with its end or its length. */
static bool single_range(const struct elf_file *elf, struct scope_attributes *at,
                         uint64_t *low, uint64_t *high)
{
    Dwarf_Word bytes;
    if (at->low.valp == NULL || at->high.valp == NULL || at->entry.valp != NULL ||
        dwarf_formaddr(&at->low, low) != 0)
        return false;
    *low = attribute_address(elf, &at->low, *low);
    if (dwarf_formaddr(&at->high, high) == 0)
        *high = attribute_address(elf, &at->high, *high);
    else if (dwarf_formudata(&at->high, &bytes) == 0)
        *high = *low + bytes;
    else
        return false;
    return true;
}

bool scopes_range(struct scopes *scopes, uint64_t *low, uint64_t *high)
{
    const struct elf_file *elf = scopes->units->elf;
    if (scopes->range < 0 || scopes->dies.left == 0)
        return false;
    if (scopes->range == 0 && single_range(elf, &scopes->at, low, high)) {
        scopes->range = -1;
        scopes->dies.left--;
        return true;
    }
    scopes->range = dwarf_ranges(scopes->die, scopes->range, &scopes->base, low, high);
    if (scopes->range <= 0) {
        scopes->range = -1;
        return false;
    }
    scopes->dies.left--;
    *low = elf_file_address(elf, *low);
    *high = elf_file_address(elf, *high);
    return true;
}

static const char *text_of(const struct scopes *scopes, Dwarf_Attribute *attribute)
{
    return attribute->valp == NULL ? NULL
                                   : debug_string(&scopes->units->strings, attribute);
}

enum { ORIGINS_MAX = 16 }; /* libdw follows as many */

const char *scopes_name(struct scopes *scopes, bool *is_linkage)
{
    struct scope_attributes *at = &scopes->at, origin;
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
    const char *text = text_of(scopes, &linkage_name);
    if (text == NULL)
        text = text_of(scopes, &mips_name);
    *is_linkage = text != NULL || scopes->plain;
    return text != NULL ? text : text_of(scopes, &name);
}

/* Whether dies of this kind have no functions inside; in C no type has any. */
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

void scopes_init(struct scopes *scopes, const struct units *units,
                 const struct unit *unit)
{
    scopes->units = units;
    scopes->plain = plain_names(unit->language);
    scopes->tag = 0;
    scopes->die = NULL;
    scopes->unit = unit;
}

bool scopes_next(struct scopes *scopes)
{
    Dwarf_Die *die = scopes->die;
    do {
        die = die == NULL ? dies_first(&scopes->dies, scopes->unit)
                          : dies_next(&scopes->dies, !barren(scopes->tag, scopes->plain));
        scopes->tag = die == NULL ? 0 : dwarf_tag(die);
    } while (die != NULL && scopes->tag != DW_TAG_subprogram &&
             scopes->tag != DW_TAG_inlined_subroutine &&
             scopes->tag != DW_TAG_entry_point);
    scopes->die = die;
    scopes->range = 0;
    if (die != NULL)
        read_attributes(die, &scopes->at);
    return die != NULL;
}
