/* SPDX-License-Identifier: MIT */
/*
 * Time along the calls: which functions have an entry, which part of their time counts
 * (-n, -N, -E, -F), and how it is shared among their callers in proportion to the calls.
 * The order of the floating-point operations is part of the output: it decides how 0.005
 * is rounded.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* ---- Downwards, callers first: entries and fractions ---- */

/* How many of the symbols that are left are warmed up at once. */
static size_t batch(size_t left)
{
    return left < GPROF_WARM ? left : GPROF_WARM;
}

static double part_of(uint64_t count, uint64_t calls)
{
    return (double)count / (double)calls;
}

/* Gives a function, or a member of the cycle `heir`, its share from its callers. */
static void inherit_from_callers(const struct gprof *gprof, struct gprof_symbol *heir,
                                 const struct gprof_symbol *symbol)
{
    for (uint32_t i = symbol->parents; i != 0; i = gprof->arcs[i].next_parent) {
        const struct gprof_arc *arc = &gprof->arcs[i];
        if (gprof_same_cycle(arc->parent, symbol))
            continue;
        heir->print |= arc->parent->print;
        /* Without calls all arcs are of -c, and there is nothing to share. */
        if (heir->calls != 0)
            heir->fraction += arc->parent->fraction * part_of(arc->count, heir->calls);
    }
}

static void inherit(const struct gprof *gprof, struct gprof_symbol *symbol)
{
    struct gprof_symbol *head = symbol->cycle_head;
    head->print = false;
    head->fraction = 0;
    if (head == symbol) {
        inherit_from_callers(gprof, symbol, symbol);
        return;
    }
    for (struct gprof_symbol *member = head->cycle_next; member != NULL;
         member = member->cycle_next)
        inherit_from_callers(gprof, head, member);
    for (struct gprof_symbol *member = head->cycle_next; member != NULL;
         member = member->cycle_next) {
        member->print = head->print;
        member->fraction = head->fraction;
    }
}

/* Two lists of options, and whether they have any spec. */
struct choice {
    enum gprof_list include, exclude;
    bool including, excluding;
};

static struct choice choice_of(const struct gprof *gprof, enum gprof_list include,
                               enum gprof_list exclude)
{
    return (struct choice){include, exclude, gprof_list_used(gprof, include),
                           gprof_list_used(gprof, exclude)};
}

/* Whether the options ask for the symbol, or at least do not exclude it. */
static bool is_wanted(const struct gprof *gprof, const struct choice *choice,
                      const struct gprof_symbol *symbol)
{
    if (choice->including)
        return gprof_listed(gprof, choice->include, symbol);
    return !choice->excluding || !gprof_listed(gprof, choice->exclude, symbol);
}

static bool is_refused(const struct gprof *gprof, const struct choice *choice,
                       const struct gprof_symbol *symbol)
{
    return choice->excluding && gprof_listed(gprof, choice->exclude, symbol) &&
           !(choice->including && gprof_listed(gprof, choice->include, symbol));
}

static void choose(struct gprof *gprof, struct gprof_symbol **order)
{
    struct choice print = choice_of(gprof, GPROF_INCLUDE_GRAPH, GPROF_EXCLUDE_GRAPH);
    struct choice time = choice_of(gprof, GPROF_INCLUDE_TIME, GPROF_EXCLUDE_TIME);
    const struct gprof_symbol *head = NULL;
    for (size_t i = gprof->symbol_count; i > 0; i--) {
        struct gprof_symbol *symbol = order[i - 1];
        if ((gprof->symbol_count - i) % GPROF_WARM == 0)
            gprof_warm_parents(gprof, order + i - batch(i), batch(i));
        if (symbol->cycle_head != head) {
            head = symbol->cycle_head;
            inherit(gprof, symbol);
        }
        if (!symbol->print)
            symbol->print = is_wanted(gprof, &print, symbol);
        else if (is_refused(gprof, &print, symbol))
            symbol->print = false;
        if (symbol->fraction == 0)
            symbol->fraction = is_wanted(gprof, &time, symbol) ? 1 : 0;
        else if (is_refused(gprof, &time, symbol))
            symbol->fraction = 0;
        symbol->self = symbol->samples * symbol->fraction;
        gprof->graph_total += symbol->self;
    }
}

static void add_up_samples(struct gprof_symbol *cycle)
{
    for (const struct gprof_symbol *member = cycle->cycle_next; member != NULL;
         member = member->cycle_next)
        /* Fractions of members differ only if -E excluded some members. */
        if (member->fraction != 0)
            cycle->samples += member->samples;
    cycle->self = cycle->fraction * cycle->samples;
}

/* ---- Upwards, callees first: the shares ---- */

struct gprof_share gprof_share_of(const struct gprof_arc *arc)
{
    const struct gprof_symbol *child = arc->child;
    if (arc->count == 0 || child->fraction == 0 || gprof_same_cycle(arc->parent, child))
        return (struct gprof_share){0, 0};
    child = child->cycle_head;
    if (child->calls == 0)
        return (struct gprof_share){0, 0};
    double part = part_of(arc->count, child->calls);
    return (struct gprof_share){child->samples * part, child->descendants * part};
}

static void take_share(struct gprof_symbol *parent, const struct gprof_arc *arc)
{
    struct gprof_share share = gprof_share_of(arc);
    double all = share.self + share.children;
    double propagated = parent->fraction * all;
    parent->descendants += all;
    parent->child += propagated;
    if (parent->cycle_head != parent) {
        parent->cycle_head->descendants += all;
        parent->cycle_head->child += propagated;
    }
}

static void propagate(struct gprof *gprof, struct gprof_symbol **order)
{
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        struct gprof_symbol *parent = order[i];
        if (i % GPROF_WARM == 0)
            gprof_warm_children(gprof, order + i, batch(gprof->symbol_count - i));
        if (parent->fraction == 0)
            continue;
        for (uint32_t at = parent->children; at != 0; at = gprof->arcs[at].next_child)
            take_share(parent, &gprof->arcs[at]);
    }
}

/* ---- The entries ---- */

static int compare_names(const struct gprof_symbol *left,
                         const struct gprof_symbol *right)
{
    bool left_hidden = left->name[0] == '_';
    bool right_hidden = right->name[0] == '_';
    if (left_hidden != right_hidden)
        return left_hidden ? 1 : -1;
    if (left->calls != right->calls)
        return left->calls > right->calls ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* By the time that was propagated, most first. Two cycles have no order: the first one
 * counts as "less", as in GNU gprof. */
static int compare_entries(const void *left_item, const void *right_item, void *context)
{
    const struct gprof_symbol *left = left_item, *right = right_item;
    double difference = (left->self + left->child) - (right->self + right->child);
    (void)context;
    if (difference < 0)
        return 1;
    if (difference > 0)
        return -1;
    if (gprof_is_cycle(left))
        return -1;
    if (gprof_is_cycle(right))
        return 1;
    return compare_names(left, right);
}

static bool sort_entries(struct gprof *gprof)
{
    size_t count = gprof->symbol_count + gprof->cycle_count;
    gprof->entries = calloc(count + 1, sizeof(struct gprof_symbol *));
    if (gprof->entries == NULL)
        return false;
    gprof->entry_count = count;
    for (size_t i = 0; i < gprof->symbol_count; i++)
        gprof->entries[i] = &gprof->symbols[i];
    for (size_t i = 0; i < gprof->cycle_count; i++)
        gprof->entries[gprof->symbol_count + i] = &gprof->cycles[i + 1];
    if (!sort_stable((void **)gprof->entries, count, compare_entries, NULL))
        return false;
    for (size_t i = 0; i < count; i++)
        gprof->entries[i]->index = i + 1;
    return true;
}

/* The symbols by number, and those of one cycle by address: a counting sort. The caller
 * frees the array. NULL: out of memory. */
static struct gprof_symbol **order_by_number(const struct gprof *gprof)
{
    size_t count = gprof->symbol_count;
    struct gprof_symbol **order = calloc(count + 1, sizeof(struct gprof_symbol *));
    size_t *starts = calloc(count + 2, sizeof *starts);
    if (order != NULL && starts != NULL) {
        for (size_t i = 0; i < count; i++)
            starts[gprof->symbols[i].top_order + 1]++;
        for (size_t i = 1; i <= count; i++)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < count; i++)
            order[starts[gprof->symbols[i].top_order]++] = &gprof->symbols[i];
    } else {
        free(order);
        order = NULL;
    }
    free(starts);
    return order;
}

bool gprof_build_graph(struct gprof *gprof, struct error *error)
{
    if (!gprof_find_cycles(gprof, error))
        return false;
    struct gprof_symbol **order = order_by_number(gprof);
    if (order == NULL)
        return error_set(error, EXIT_NO, "out of memory");
    gprof_trace_order(gprof, order);
    gprof_trace_cycles(gprof);
    choose(gprof, order);
    for (size_t i = 1; i <= gprof->cycle_count; i++)
        add_up_samples(&gprof->cycles[i]);
    propagate(gprof, order);
    gprof_trace_propagation(gprof, order);
    free(order);
    /* The flat profile of -T prints the entries' numbers behind the names, too. */
    bool shown = (gprof->options.output & GPROF_GRAPH) || gprof->options.traditional;
    if (shown && !sort_entries(gprof))
        return error_set(error, EXIT_NO, "out of memory");
    return true;
}

void gprof_graph_release(struct gprof *gprof)
{
    free(gprof->entries);
    free(gprof->cycles);
    gprof->entries = NULL;
    gprof->cycles = NULL;
}
