/* SPDX-License-Identifier: MIT */
/* The order of callers, callees and members within an entry of the call graph. */
#include <stdlib.h>

#include "../../port/memory.h"
#include "graph.h"

/* Up to this many items insertion sorts faster than merging. */
enum { FEW = 12 };

void gprof_rows_release(struct graph_rows *rows)
{
    free(rows->rows);
    free(rows->sorted);
}

static bool make_room(struct graph_rows *rows, size_t count)
{
    if (count <= rows->room)
        return true;
    size_t room = 2 * count + 64;
    free(rows->rows);
    free(rows->sorted);
    rows->room = 0;
    rows->rows = port_reallocarray(NULL, room, sizeof *rows->rows);
    rows->sorted = port_reallocarray(NULL, room, sizeof *rows->sorted);
    if (rows->rows == NULL || rows->sorted == NULL)
        return false;
    rows->room = room;
    return true;
}

static int compare_counts(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

/* Calls to itself come first, then those within the cycle, which have no time, then all
 * others by time and by calls. */
static int compare_rows(const struct graph_row *left, const struct graph_row *right)
{
    double left_time = left->self + left->children;
    double right_time = right->self + right->children;
    if (left->itself != right->itself)
        return left->itself ? -1 : 1;
    if (left->inside != right->inside)
        return left->inside ? -1 : 1;
    if (left_time != right_time)
        return left_time < right_time ? -1 : 1;
    return compare_counts(left->count, right->count);
}

static int ascending(const void *left, const void *right, void *context)
{
    (void)context;
    return compare_rows(left, right);
}

static int descending(const void *left, const void *right, void *context)
{
    (void)context;
    return compare_rows(right, left);
}

/* The lists have the newest arc first; among equal arcs the oldest must come first. */
static bool sort_rows(struct graph_rows *rows,
                      int (*compare)(const void *, const void *, void *))
{
    for (size_t i = 0; i < rows->count; i++)
        rows->sorted[i] = &rows->rows[rows->count - 1 - i];
    if (rows->count > FEW)
        return sort_stable(rows->sorted, rows->count, compare, NULL);
    for (size_t i = 1; i < rows->count; i++) {
        void *row = rows->sorted[i];
        size_t at = i;
        for (; at > 0 && compare(rows->sorted[at - 1], row, NULL) > 0; at--)
            rows->sorted[at] = rows->sorted[at - 1];
        rows->sorted[at] = row;
    }
    return true;
}

static void set_row(struct graph_row *row, const struct gprof *gprof, uint32_t number,
                    struct gprof_symbol *other)
{
    const struct gprof_arc *arc = &gprof->arcs[number];
    struct gprof_share share = gprof_share_of(arc);
    *row = (struct graph_row){.arc = number,
                              .other = other,
                              .self = share.self * arc->parent->fraction,
                              .children = share.children * arc->parent->fraction,
                              .count = arc->count,
                              .itself = arc->parent == arc->child,
                              .inside = gprof_same_cycle(arc->parent, arc->child)};
}

bool gprof_sort_parents(struct gprof *gprof, struct graph_rows *rows,
                        struct gprof_symbol *symbol)
{
    struct gprof_arc *arcs = gprof->arcs;
    rows->count = 0;
    for (uint32_t i = symbol->parents; i != 0; i = arcs[i].next_parent)
        rows->count++;
    if (!make_room(rows, rows->count))
        return false;
    struct graph_row *row = rows->rows;
    for (uint32_t i = symbol->parents; i != 0; i = arcs[i].next_parent)
        set_row(row++, gprof, i, arcs[i].parent);
    if (!sort_rows(rows, ascending))
        return false;
    uint32_t *end = &symbol->parents;
    for (size_t i = 0; i < rows->count; i++) {
        *end = ((const struct graph_row *)rows->sorted[i])->arc;
        end = &arcs[*end].next_parent;
    }
    *end = 0;
    return true;
}

bool gprof_sort_children(struct gprof *gprof, struct graph_rows *rows,
                         struct gprof_symbol *symbol)
{
    struct gprof_arc *arcs = gprof->arcs;
    rows->count = 0;
    for (uint32_t i = symbol->children; i != 0; i = arcs[i].next_child)
        rows->count++;
    if (!make_room(rows, rows->count))
        return false;
    struct graph_row *row = rows->rows;
    for (uint32_t i = symbol->children; i != 0; i = arcs[i].next_child)
        set_row(row++, gprof, i, arcs[i].child);
    if (!sort_rows(rows, descending))
        return false;
    uint32_t *end = &symbol->children;
    for (size_t i = 0; i < rows->count; i++) {
        *end = ((const struct graph_row *)rows->sorted[i])->arc;
        end = &arcs[*end].next_child;
    }
    *end = 0;
    return true;
}

static int compare_members(const void *left_item, const void *right_item, void *context)
{
    const struct gprof_symbol *left = left_item, *right = right_item;
    double left_time = left->self + left->child;
    double right_time = right->self + right->child;
    (void)context;
    if (left_time != right_time)
        return left_time > right_time ? -1 : 1;
    return compare_counts(right->calls + right->self_calls,
                          left->calls + left->self_calls);
}

bool gprof_sort_members(struct graph_rows *rows, struct gprof_symbol *cycle)
{
    struct gprof_symbol *member;
    rows->count = 0;
    for (member = cycle->cycle_next; member != NULL; member = member->cycle_next)
        rows->count++;
    if (!make_room(rows, rows->count))
        return false;
    size_t i = 0;
    for (member = cycle->cycle_next; member != NULL; member = member->cycle_next)
        rows->sorted[i++] = member;
    if (!sort_stable(rows->sorted, rows->count, compare_members, NULL))
        return false;
    struct gprof_symbol **end = &cycle->cycle_next;
    for (i = 0; i < rows->count; i++) {
        *end = rows->sorted[i];
        end = &(*end)->cycle_next;
    }
    *end = NULL;
    return true;
}
