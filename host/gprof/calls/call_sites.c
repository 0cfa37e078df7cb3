/* SPDX-License-Identifier: MIT */
/*
 * Direct calls from the debug information: DW_TAG_call_site (DWARF 5, 3.4) and the
 * DW_TAG_GNU_call_site before it. They name the callee even where the code calls through
 * a register or a veneer of the linker.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/search.h"
#include "../trace.h"
#include "call_sites.h"

struct sites {
    struct gprof *gprof;
    const struct units *units;
    struct gprof_symbol **by_name;
    size_t count;
};

static int compare_names(const void *left, const void *right)
{
    const struct gprof_symbol *const *a = left, *const *b = right;
    int order = strcmp((*a)->name, (*b)->name);
    if (order != 0)
        return order;
    return (*a)->address < (*b)->address ? -1 : (*a)->address > (*b)->address;
}

static bool sort_names(struct sites *sites)
{
    struct gprof *gprof = sites->gprof;
    sites->by_name = calloc(gprof->symbol_count + 1, sizeof(struct gprof_symbol *));
    if (sites->by_name == NULL)
        return false;
    for (size_t i = 0; i < gprof->symbol_count; i++)
        if (gprof->symbols[i].is_function)
            sites->by_name[sites->count++] = &gprof->symbols[i];
    qsort(sites->by_name, sites->count, sizeof(struct gprof_symbol *), compare_names);
    return true;
}

/* The only function of that name; NULL: none or several. */
static struct gprof_symbol *symbol_named(const struct sites *sites, const char *name)
{
    size_t low = 0;
    if (name != NULL)
        SEARCH(low, sites->count, strcmp(sites->by_name[middle]->name, name) < 0);
    if (name == NULL || low == sites->count ||
        strcmp(sites->by_name[low]->name, name) != 0)
        return NULL;
    bool several =
        low + 1 < sites->count && strcmp(sites->by_name[low + 1]->name, name) == 0;
    return several ? NULL : sites->by_name[low];
}

static const char *text_of(const struct sites *sites, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return debug_string(&sites->units->strings,
                        dwarf_attr_integrate(die, name, &attribute));
}

static struct gprof_symbol *callee_of(const struct sites *sites, Dwarf_Die *site)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    Dwarf_Addr low;
    if ((dwarf_attr(site, DW_AT_call_origin, &attribute) == NULL &&
         dwarf_attr(site, DW_AT_abstract_origin, &attribute) == NULL) ||
        dwarf_formref_die(&attribute, &origin) == NULL)
        return NULL;
    if (dwarf_lowpc(&origin, &low) == 0) {
        low &= ~sites->gprof->image->file.arch->state_bit;
        struct gprof_symbol *symbol = gprof_symbol_at(sites->gprof, low);
        return symbol != NULL && symbol->address == low ? symbol : NULL;
    }
    const char *name = text_of(sites, &origin, DW_AT_linkage_name);
    return symbol_named(sites, name != NULL ? name : text_of(sites, &origin, DW_AT_name));
}

static struct gprof_symbol *caller_of(const struct sites *sites, Dwarf_Die *site)
{
    static const struct {
        unsigned name;
        unsigned behind; /* 1: the address is that of the instruction behind the call */
    } places[] = {{DW_AT_call_return_pc, 1}, {DW_AT_call_pc, 0}, {DW_AT_low_pc, 1}};
    for (size_t i = 0; i < 3; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Addr address;
        if (dwarf_attr(site, places[i].name, &attribute) != NULL &&
            dwarf_formaddr(&attribute, &address) == 0)
            return gprof_symbol_at(sites->gprof, address - places[i].behind);
    }
    return NULL;
}

static bool take_site(const struct sites *sites, Dwarf_Die *site)
{
    struct gprof_symbol *child = callee_of(sites, site);
    struct gprof_symbol *parent = child == NULL ? NULL : caller_of(sites, site);
    if (parent == NULL || parent == child)
        return true;
    if (gprof_trace(sites->gprof, GPROF_TRACE_STATIC)) {
        gprof_trace_call(sites->gprof, parent, child);
        fputs(", says the debug information\n", sites->gprof->out);
    }
    return gprof_add_arc(sites->gprof, parent, child, 0);
}

static bool read_unit(const struct sites *sites, const struct unit *unit)
{
    struct dies dies;
    for (Dwarf_Die *die = dies_first(&dies, unit); die != NULL;
         die = dies_next(&dies, true)) {
        int tag = dwarf_tag(die);
        if ((tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
            !take_site(sites, die))
            return false;
    }
    return true;
}

bool gprof_add_call_sites(struct gprof *gprof)
{
    struct sites sites = {.gprof = gprof};
    const struct bfd_lines *lines = gprof_lines(gprof);
    if (lines == NULL)
        return false;
    size_t count;
    sites.units = bfd_units(lines, &count);
    bool done = sort_names(&sites);
    for (size_t i = 0; done && i < count; i++)
        done = read_unit(&sites, &sites.units->items[i]);
    free(sites.by_name);
    return done;
}
