/* SPDX-License-Identifier: MIT */
/*
 * The arcs, found by their two ends in a hash table of open addressing. A file may name
 * the same arc a million times, and one function may call fifty thousand: neither may
 * cost more than the number of records.
 */
#include "arcs.h"

#include <stdlib.h>

/* Arcs are allocated in blocks: they stay where they are, for the lists point at them. */
enum { BLOCK_ARCS = 1024, SLOTS_MIN = 1024 };

struct block {
    struct block *next;
    struct gprof_arc arcs[BLOCK_ARCS];
};

struct slot {
    uint64_t hash;
    struct gprof_arc *arc; /* NULL: free */
};

struct gprof_arc_table {
    struct slot *slots;
    size_t slot_count; /* a power of two, at least twice the arcs */
    size_t used;
    struct block *blocks; /* the newest first */
    size_t block_used;    /* of the newest */
    size_t listed;        /* allocated in gprof->arcs */
};

static uint64_t mix(uint64_t value)
{
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
}

static uint64_t hash_ends(const struct gprof_symbol *parent,
                          const struct gprof_symbol *child)
{
    return mix(mix((uintptr_t)parent) + (uintptr_t)child);
}

/* The slot of this arc, or the free one where it belongs. */
static struct slot *find_slot(const struct gprof_arc_table *table, uint64_t hash,
                              const struct gprof_symbol *parent,
                              const struct gprof_symbol *child)
{
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)hash & mask;

    for (;; at = (at + 1) & mask) {
        struct slot *slot = &table->slots[at];

        if (slot->arc == NULL)
            return slot;
        if (slot->hash == hash && slot->arc->parent == parent &&
            slot->arc->child == child)
            return slot;
    }
}

void gprof_expect_arc(const struct gprof *gprof, const struct gprof_symbol *parent,
                      const struct gprof_symbol *child)
{
    const struct gprof_arc_table *table = gprof->arc_table;

    __builtin_prefetch(&parent->children, 1);
    __builtin_prefetch(&child->calls, 1);
    if (table != NULL && table->slot_count > 0)
        __builtin_prefetch(
            &table->slots[hash_ends(parent, child) & (table->slot_count - 1)], 1);
}

static bool grow_slots(struct gprof_arc_table *table)
{
    struct gprof_arc_table larger = *table;

    larger.slot_count = table->slot_count > 0 ? 2 * table->slot_count : SLOTS_MIN;
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < table->slot_count; i++) {
        size_t at = (size_t)table->slots[i].hash & (larger.slot_count - 1);

        if (table->slots[i].arc == NULL)
            continue;
        while (larger.slots[at].arc != NULL)
            at = (at + 1) & (larger.slot_count - 1);
        larger.slots[at] = table->slots[i];
    }
    free(table->slots);
    *table = larger;
    return true;
}

static struct gprof_arc *new_arc(struct gprof_arc_table *table)
{
    if (table->blocks == NULL || table->block_used == BLOCK_ARCS) {
        struct block *block = calloc(1, sizeof *block);

        if (block == NULL)
            return NULL;
        block->next = table->blocks;
        table->blocks = block;
        table->block_used = 0;
    }
    return &table->blocks->arcs[table->block_used];
}

/* Makes room for one arc more, so that adding it cannot fail half way. */
static bool reserve(struct gprof *gprof)
{
    struct gprof_arc_table *table = gprof->arc_table;

    if (table == NULL)
        table = gprof->arc_table = calloc(1, sizeof *table);
    if (table == NULL)
        return false;
    if (2 * (table->used + 1) > table->slot_count && !grow_slots(table))
        return false;
    if (gprof->arc_count == table->listed) {
        size_t listed = table->listed > 0 ? 2 * table->listed : BLOCK_ARCS;
        struct gprof_arc **arcs =
            reallocarray(gprof->arcs, listed, sizeof(struct gprof_arc *));

        if (arcs == NULL)
            return false;
        gprof->arcs = arcs;
        table->listed = listed;
    }
    return true;
}

bool gprof_add_arc(struct gprof *gprof, struct gprof_symbol *parent,
                   struct gprof_symbol *child, uint64_t count)
{
    uint64_t hash = hash_ends(parent, child);
    struct gprof_arc *arc;
    struct slot *slot;

    if (!reserve(gprof))
        return false;
    slot = find_slot(gprof->arc_table, hash, parent, child);
    if (slot->arc != NULL) {
        slot->arc->count += count;
        return true;
    }
    arc = new_arc(gprof->arc_table);
    if (arc == NULL)
        return false;
    gprof->arc_table->block_used++;
    gprof->arc_table->used++;
    *slot = (struct slot){hash, arc};
    *arc = (struct gprof_arc){.parent = parent,
                              .child = child,
                              .count = count,
                              .next_parent = child->parents,
                              .next_child = parent->children};
    child->parents = arc;
    parent->children = arc;
    if (parent != child)
        gprof->arcs[gprof->arc_count++] = arc;
    return true;
}

struct gprof_arc *gprof_find_arc(const struct gprof *gprof,
                                 const struct gprof_symbol *parent,
                                 const struct gprof_symbol *child)
{
    const struct gprof_arc_table *table = gprof->arc_table;

    if (table == NULL || table->slot_count == 0)
        return NULL;
    return find_slot(table, hash_ends(parent, child), parent, child)->arc;
}

void gprof_arcs_release(struct gprof *gprof)
{
    struct gprof_arc_table *table = gprof->arc_table;

    while (table != NULL && table->blocks != NULL) {
        struct block *block = table->blocks;

        table->blocks = block->next;
        free(block);
    }
    if (table != NULL)
        free(table->slots);
    free(table);
    free(gprof->arcs);
    gprof->arc_table = NULL;
    gprof->arcs = NULL;
    gprof->arc_count = 0;
}
