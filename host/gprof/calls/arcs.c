/* SPDX-License-Identifier: MIT */
/*
 * The arcs, found by their two ends in a hash table of open addressing. A file may name
 * the same arc a million times, and one function may call fifty thousand: neither may
 * cost more than the number of records. And there may be millions of arcs: they lie in
 * one array, which grows where it is, and are known by their numbers, in half the bytes.
 */
#include "arcs.h"

#include <stdlib.h>

#include "../../port/memory.h"

enum { ARCS_MIN = 512 };

struct gprof_arc_table {
    uint32_t *slots;   /* numbers of arcs; 0: free */
    size_t slot_count; /* a power of two, at least twice the arcs */
    size_t room;       /* in gprof->arcs */
};

static uint64_t mix(uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
}

/* The slot where the search for an arc begins. */
static size_t first_slot(const struct gprof_arc_table *table,
                         const struct gprof_symbol *parent,
                         const struct gprof_symbol *child)
{
    return mix(mix((uintptr_t)parent) + (uintptr_t)child) & (table->slot_count - 1);
}

/* The slot that holds this arc, or the free one where it belongs. */
static uint32_t *find_slot(const struct gprof *gprof, const struct gprof_symbol *parent,
                           const struct gprof_symbol *child)
{
    const struct gprof_arc_table *table = gprof->arc_table;
    size_t at = first_slot(table, parent, child);

    for (; table->slots[at] != 0; at = (at + 1) & (table->slot_count - 1)) {
        const struct gprof_arc *arc = &gprof->arcs[table->slots[at]];

        if (arc->parent == parent && arc->child == child)
            break;
    }
    return &table->slots[at];
}

void gprof_expect_arc(const struct gprof *gprof, const struct gprof_symbol *parent,
                      const struct gprof_symbol *child)
{
    const struct gprof_arc_table *table = gprof->arc_table;

    __builtin_prefetch(&parent->children, 1);
    __builtin_prefetch(&child->calls, 1);
    if (table != NULL && table->slot_count > 0)
        __builtin_prefetch(&table->slots[first_slot(table, parent, child)], 1);
}

/* Enlarges the table. It is filled from the arcs, so there never are two tables at a
 * time. */
static bool grow_slots(struct gprof *gprof)
{
    struct gprof_arc_table *table = gprof->arc_table;
    size_t count = table->slot_count > 0 ? 2 * table->slot_count : 2 * ARCS_MIN;

    free(table->slots);
    table->slots = calloc(count, sizeof *table->slots);
    table->slot_count = table->slots != NULL ? count : 0;
    if (table->slots == NULL)
        return false;
    for (uint32_t i = 1; i <= gprof->arc_count; i++) {
        size_t at = first_slot(table, gprof->arcs[i].parent, gprof->arcs[i].child);

        while (table->slots[at] != 0)
            at = (at + 1) & (count - 1);
        table->slots[at] = i;
    }
    return true;
}

static bool grow_arcs(struct gprof *gprof)
{
    struct gprof_arc_table *table = gprof->arc_table;
    size_t room = table->room > 0 ? 2 * table->room : ARCS_MIN;
    struct gprof_arc *arcs = port_reallocarray(gprof->arcs, room, sizeof *arcs);

    if (arcs == NULL)
        return false;
    gprof->arcs = arcs;
    table->room = room;
    return true;
}

/* Makes room for one arc more, so that adding it cannot fail half way. */
static bool reserve(struct gprof *gprof)
{
    struct gprof_arc_table *table = gprof->arc_table;
    size_t numbers = (size_t)gprof->arc_count + 2; /* arc 0 exists too, and means none */

    if (table == NULL)
        table = gprof->arc_table = calloc(1, sizeof *table);
    if (table == NULL || gprof->arc_count == UINT32_MAX)
        return false;
    return (2 * numbers <= table->slot_count || grow_slots(gprof)) &&
           (numbers <= table->room || grow_arcs(gprof));
}

bool gprof_add_arc(struct gprof *gprof, struct gprof_symbol *parent,
                   struct gprof_symbol *child, uint64_t count)
{
    uint32_t *slot;

    if (!reserve(gprof))
        return false;
    slot = find_slot(gprof, parent, child);
    if (*slot != 0) {
        gprof->arcs[*slot].count += count;
        return true;
    }
    *slot = ++gprof->arc_count;
    gprof->arcs[*slot] = (struct gprof_arc){.parent = parent,
                                            .child = child,
                                            .count = count,
                                            .next_parent = child->parents,
                                            .next_child = parent->children};
    child->parents = *slot;
    parent->children = *slot;
    return true;
}

void gprof_arcs_release(struct gprof *gprof)
{
    if (gprof->arc_table != NULL)
        free(gprof->arc_table->slots);
    free(gprof->arc_table);
    free(gprof->arcs);
    gprof->arc_table = NULL;
    gprof->arcs = NULL;
    gprof->arc_count = 0;
}
