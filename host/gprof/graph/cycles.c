/* SPDX-License-Identifier: MIT */
/*
 * Cycles and numbering: a depth-first search over the symbols in order of their
 * addresses, which follows the newest arc of each symbol first. GNU gprof prints the
 * members of a cycle in the order in which this search meets them.
 */
#include <limits.h>
#include <stdlib.h>

#include "../../graph/components.h"
#include "graph.h"

/* Moves calls of a function to itself from calls to self_calls. */
static void take_out_self_calls(const struct gprof_arc *arc)
{
    arc->child->calls -= arc->count;
    arc->child->self_calls = arc->count;
}

/* Makes a graph of the symbols' numbers and of the calls between different symbols. */
static bool make_graph(const struct gprof *gprof, struct graph *graph)
{
    uint32_t used = 0;
    graph->nodes = (uint32_t)gprof->symbol_count;
    graph->first = calloc(gprof->symbol_count + 1, sizeof *graph->first);
    graph->to = calloc((size_t)gprof->arc_count + 1, sizeof *graph->to);
    if (graph->first == NULL || graph->to == NULL)
        return false;
    for (uint32_t i = 0; i < graph->nodes; i++) {
        for (uint32_t at = gprof->symbols[i].children; at != 0;
             at = gprof->arcs[at].next_child) {
            const struct gprof_arc *arc = &gprof->arcs[at];
            if (arc->child == arc->parent)
                take_out_self_calls(arc);
            else
                graph->to[used++] = (uint32_t)(arc->child - gprof->symbols);
        }
        graph->first[i + 1] = used;
    }
    return true;
}

/* Numbers the members of a component. The first one becomes the head of the others. */
static void number_members(struct gprof *gprof, const uint32_t *members, uint32_t count,
                           int number)
{
    for (uint32_t i = 0; i < count; i++) {
        struct gprof_symbol *member = &gprof->symbols[members[i]];
        member->top_order = number;
        member->cycle_head = &gprof->symbols[members[0]];
        if (i + 1 < count)
            member->cycle_next = &gprof->symbols[members[i + 1]];
    }
}

static bool number_symbols(struct gprof *gprof)
{
    struct graph graph;
    struct components components = {.count = 0};
    bool done = make_graph(gprof, &graph) && components_find(&components, &graph);
    for (uint32_t i = 0, first = 0; done && i < components.count; i++) {
        uint32_t end = components.ends[i];
        number_members(gprof, components.members + first, end - first, (int)i + 1);
        first = end;
    }
    components_release(&components);
    free(graph.first);
    free(graph.to);
    return done;
}

static bool heads_cycle(const struct gprof_symbol *symbol)
{
    return symbol->cycle_head == symbol && symbol->cycle_next != NULL;
}

/* Gives each cycle a symbol of its own, in order of the heads' addresses. */
static bool make_cycles(struct gprof *gprof)
{
    size_t count = 0;
    for (size_t i = 0; i < gprof->symbol_count; i++)
        count += heads_cycle(&gprof->symbols[i]);
    gprof->cycles = calloc(count + 1, sizeof *gprof->cycles);
    if (gprof->cycles == NULL)
        return false;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        struct gprof_symbol *head = &gprof->symbols[i];
        if (!heads_cycle(head))
            continue;
        struct gprof_symbol *cycle = &gprof->cycles[++gprof->cycle_count];
        cycle->cycle = (unsigned)gprof->cycle_count;
        cycle->cycle_head = cycle;
        cycle->cycle_next = head;
        cycle->print = true;
        for (struct gprof_symbol *member = head; member != NULL;
             member = member->cycle_next) {
            member->cycle = cycle->cycle;
            member->cycle_head = cycle;
        }
    }
    return true;
}

/* Adds up the calls into the cycle, and those among its members: the "+N" of its entry.
 * */
static void add_up_calls(const struct gprof *gprof, struct gprof_symbol *cycle)
{
    for (struct gprof_symbol *member = cycle->cycle_next; member != NULL;
         member = member->cycle_next)
        for (uint32_t i = member->parents; i != 0; i = gprof->arcs[i].next_parent) {
            const struct gprof_arc *arc = &gprof->arcs[i];
            if (arc->parent == member)
                continue;
            if (arc->parent->cycle == member->cycle)
                cycle->self_calls += arc->count;
            else
                cycle->calls += arc->count;
        }
}

bool gprof_find_cycles(struct gprof *gprof, struct error *error)
{
    /* top_order is an int, as the [index] that GNU gprof prints. */
    if (gprof->symbol_count >= INT_MAX)
        return error_set(error, EXIT_NO, "%s: too many symbols: %zu",
                         gprof->options.image, gprof->symbol_count);
    if (!number_symbols(gprof) || !make_cycles(gprof))
        return error_set(error, EXIT_NO, "out of memory");
    for (size_t i = 1; i <= gprof->cycle_count; i++)
        add_up_calls(gprof, &gprof->cycles[i]);
    return true;
}
