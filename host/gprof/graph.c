/* SPDX-License-Identifier: MIT */
/* The call graph: an entry for each function and each cycle, most time first. */
#include <stdlib.h>

#include "graph.h"

static const struct graph_layout plain = {
    .child_width = 7,
    .spontaneous = "                                                 ",
    .blank_times = "                             ",
    .around_rules = "",
};

struct table {
    struct gprof *gprof;
    FILE *out;
    const struct graph_layout *layout;
    double total;  /* samples that are 100 % */
    void **sorted; /* callers, callees or members of one entry; grows */
    size_t room;
};

/* ---- Orders within an entry ---- */

static int compare_counts(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

/* By time, then calls; before all others those within the cycle, by calls; before these
 * the calls to itself. */
static int compare_arcs(const struct gprof_arc *left, const struct gprof_arc *right)
{
    if (left->parent == left->child)
        return -1;
    if (right->parent == right->child)
        return 1;
    bool left_inside = gprof_same_cycle(left->parent, left->child);
    bool right_inside = gprof_same_cycle(right->parent, right->child);
    if (left_inside != right_inside)
        return left_inside ? -1 : 1;
    double left_time = left->self + left->children;
    double right_time = right->self + right->children;
    if (!left_inside && left_time != right_time)
        return left_time < right_time ? -1 : 1;
    return compare_counts(left->count, right->count);
}

static int compare_parents(const void *left, const void *right, void *context)
{
    (void)context;
    return compare_arcs(left, right);
}

static int compare_children(const void *left, const void *right, void *context)
{
    (void)context;
    return compare_arcs(right, left);
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

static bool make_room(struct table *table, size_t count)
{
    if (count <= table->room)
        return true;
    void **sorted = realloc(table->sorted, 2 * count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    table->sorted = sorted;
    table->room = 2 * count;
    return true;
}

/* Of equal arcs the oldest comes first. The lists stay sorted: -r goes by them. */
static bool sort_parents(struct table *table, struct gprof_symbol *symbol)
{
    size_t count = 0;
    for (struct gprof_arc *arc = symbol->parents; arc != NULL; arc = arc->next_parent)
        count++;
    if (!make_room(table, count))
        return false;
    size_t i = count;
    for (struct gprof_arc *arc = symbol->parents; arc != NULL; arc = arc->next_parent)
        table->sorted[--i] = arc;
    if (!gprof_sort(table->sorted, count, compare_parents, NULL))
        return false;
    struct gprof_arc **end = &symbol->parents;
    for (i = 0; i < count; i++) {
        *end = table->sorted[i];
        end = &(*end)->next_parent;
    }
    *end = NULL;
    return true;
}

static bool sort_children(struct table *table, struct gprof_symbol *symbol)
{
    size_t count = 0;
    for (struct gprof_arc *arc = symbol->children; arc != NULL; arc = arc->next_child)
        count++;
    if (!make_room(table, count))
        return false;
    size_t i = count;
    for (struct gprof_arc *arc = symbol->children; arc != NULL; arc = arc->next_child)
        table->sorted[--i] = arc;
    if (!gprof_sort(table->sorted, count, compare_children, NULL))
        return false;
    struct gprof_arc **end = &symbol->children;
    for (i = 0; i < count; i++) {
        *end = table->sorted[i];
        end = &(*end)->next_child;
    }
    *end = NULL;
    return true;
}

static bool sort_members(struct table *table, struct gprof_symbol *cycle)
{
    size_t count = 0;
    struct gprof_symbol *member;
    for (member = cycle->cycle_next; member != NULL; member = member->cycle_next)
        count++;
    if (!make_room(table, count))
        return false;
    size_t i = 0;
    for (member = cycle->cycle_next; member != NULL; member = member->cycle_next)
        table->sorted[i++] = member;
    if (!gprof_sort(table->sorted, count, compare_members, NULL))
        return false;
    struct gprof_symbol **end = &cycle->cycle_next;
    for (i = 0; i < count; i++) {
        *end = table->sorted[i];
        end = &(*end)->cycle_next;
    }
    *end = NULL;
    return true;
}

/* ---- Lines ---- */

static void put_time(const struct table *table, double samples, int width)
{
    gprof_put_text(table->out, " ");
    gprof_put_fixed(table->out, gprof_seconds(table->gprof, samples), width, 2);
}

static void put_times(const struct table *table, double self, double child)
{
    put_time(table, self, 7);
    put_time(table, child, table->layout->child_width);
}

static void put_calls(const struct table *table, uint64_t calls)
{
    gprof_put_text(table->out, " ");
    gprof_put_count(table->out, calls, 7);
}

/* The calls to itself, or blanks. */
static void put_self_calls(const struct table *table, uint64_t self_calls)
{
    if (self_calls == 0) {
        gprof_put_text(table->out, "        ");
        return;
    }
    gprof_put_text(table->out, "+");
    gprof_put_count_left(table->out, self_calls, 7);
}

/* A caller or callee of the entry's function. */
static void put_arc(const struct table *table, const struct gprof_arc *arc,
                    const struct gprof_symbol *other)
{
    FILE *out = table->out;
    if (gprof_same_cycle(arc->parent, arc->child)) {
        gprof_put_text(out, table->layout->blank_times);
        gprof_put_count(out, arc->count, 7);
        gprof_put_text(out, "             ");
    } else {
        gprof_put_text(out, "            ");
        put_times(table, arc->self, arc->children);
        put_calls(table, arc->count);
        gprof_put_text(out, "/");
        gprof_put_count_left(out, arc->child->cycle_head->calls, 7);
        gprof_put_text(out, "     ");
    }
    gprof_print_name(table->gprof, other);
    gprof_put_text(out, "\n");
}

/* The index at the left margin, cut to its column, and the share of the whole. */
static void put_index(const struct table *table, const struct gprof_symbol *symbol)
{
    char index[32];
    snprintf(index, sizeof index, "[%zu]     ", symbol->index);
    index[6] = '\0';
    gprof_put_text(table->out, index);
    gprof_put_text(table->out, " ");
    gprof_put_fixed(table->out, 100 * (symbol->self + symbol->child) / table->total, 5,
                    1);
    put_times(table, symbol->self, symbol->child);
}

static void put_function(const struct table *table, const struct gprof_symbol *symbol)
{
    put_index(table, symbol);
    if (symbol->calls + symbol->self_calls != 0) {
        put_calls(table, symbol->calls);
        put_self_calls(table, symbol->self_calls);
        gprof_put_text(table->out, " ");
    } else {
        gprof_put_text(table->out, "                 ");
    }
    gprof_print_name(table->gprof, symbol);
    gprof_put_text(table->out, "\n");
}

static void put_cycle(const struct table *table, const struct gprof_symbol *cycle)
{
    put_index(table, cycle);
    put_calls(table, cycle->calls);
    put_self_calls(table, cycle->self_calls);
    fprintf(table->out, " <cycle %u as a whole> [%zu]\n", cycle->cycle, cycle->index);
    for (const struct gprof_symbol *member = cycle->cycle_next; member != NULL;
         member = member->cycle_next) {
        gprof_put_text(table->out, "            ");
        put_times(table, member->self, member->child);
        put_calls(table, member->calls);
        put_self_calls(table, member->self_calls);
        gprof_put_text(table->out, "     ");
        gprof_print_name(table->gprof, member);
        gprof_put_text(table->out, "\n");
    }
}

/* ---- Entries ---- */

static bool put_function_entry(struct table *table, struct gprof_symbol *symbol)
{
    if (!sort_parents(table, symbol) || !sort_children(table, symbol))
        return false;
    if (symbol->parents == NULL) {
        gprof_put_text(table->out, table->layout->spontaneous);
        gprof_put_text(table->out, "<spontaneous>\n");
    }
    for (const struct gprof_arc *arc = symbol->parents; arc; arc = arc->next_parent)
        put_arc(table, arc, arc->parent);
    put_function(table, symbol);
    for (const struct gprof_arc *arc = symbol->children; arc; arc = arc->next_child)
        put_arc(table, arc, arc->child);
    return true;
}

static bool put_cycle_entry(struct table *table, struct gprof_symbol *cycle)
{
    if (!sort_members(table, cycle))
        return false;
    put_cycle(table, cycle);
    return true;
}

static bool has_entry(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (!symbol->print || (gprof->options.lines && !symbol->is_function))
        return false;
    return gprof->options.unused || symbol->calls != 0 || symbol->self_calls != 0 ||
           symbol->self != 0 || symbol->child != 0;
}

static bool put_entries(struct table *table)
{
    const struct gprof *gprof = table->gprof;
    for (size_t i = 0; i < gprof->entry_count; i++) {
        struct gprof_symbol *symbol = gprof->entries[i];
        if (!has_entry(gprof, symbol))
            continue;
        if (!(gprof_is_cycle(symbol) ? put_cycle_entry(table, symbol)
                                     : put_function_entry(table, symbol)))
            return false;
        gprof_put_text(table->out, table->layout->around_rules);
        gprof_put_text(table->out, "-----------------------------------------------\n");
        gprof_put_text(table->out, table->layout->around_rules);
    }
    return true;
}

void gprof_put_graph_share(const struct gprof *gprof)
{
    if (gprof->graph_total > 0)
        fprintf(gprof->out, " for %.2f%% of %.2f seconds\n\n", 100 / gprof->graph_total,
                gprof_seconds(gprof, gprof->graph_total));
    else
        gprof_put_text(gprof->out, " no time propagated\n\n");
}

static void put_heading(const struct gprof *gprof)
{
    gprof_put_text(gprof->out, gprof->options.brief
                                   ? "\t\t\tCall graph\n\n\n"
                                   : "\t\t     Call graph (explanation follows)\n\n\n");
    gprof_put_granularity(gprof);
    gprof_put_graph_share(gprof);
    gprof_put_text(gprof->out, "index % time    self  children    called     name\n");
}

bool gprof_print_graph(struct gprof *gprof, struct error *error)
{
    bool traditional = gprof->options.traditional;
    struct table table = {.gprof = gprof, .out = gprof->out};
    table.layout = traditional ? &gprof_traditional_graph : &plain;
    table.total = gprof->graph_total > 0 ? gprof->graph_total : 1;
    gprof_put_section_break(gprof);
    if (traditional)
        gprof_put_traditional_graph_heading(gprof);
    else
        put_heading(gprof);
    bool done = put_entries(&table);
    free(table.sorted);
    if (!done)
        return error_set(error, EXIT_NO, "out of memory");
    if (!gprof->options.brief && !traditional)
        gprof_put_text(gprof->out, gprof_graph_text);
    return true;
}
