/* SPDX-License-Identifier: MIT */
/* The call graph: an entry for each function and each cycle, most time first. */
#include "print.h"

static const struct graph_layout plain = {
    .child_width = 7,
    .spontaneous = "                                                 ",
    .blank_times = "                             ",
    .around_rules = "",
};

struct graph_table {
    struct gprof *gprof;
    FILE *out;
    const struct graph_layout *layout;
    double total; /* samples that are 100 % */
    struct graph_labels labels;
    struct graph_rows rows;
};

/* ---- Lines ---- */

static char *put_times(char *at, const struct graph_table *table, double self,
                       double child)
{
    at = gprof_put_text(at, " ");
    at = gprof_put_fixed(at, gprof_seconds(table->gprof, self), 7, 2);
    at = gprof_put_text(at, " ");
    return gprof_put_fixed(at, gprof_seconds(table->gprof, child),
                           table->layout->child_width, 2);
}

static char *put_calls(char *at, uint64_t calls)
{
    at = gprof_put_text(at, " ");
    return gprof_put_count(at, calls, 7);
}

/* Puts the calls of a function to itself, or blanks. */
static char *put_self_calls(char *at, uint64_t self_calls)
{
    if (self_calls == 0)
        return gprof_put_text(at, "        ");
    at = gprof_put_text(at, "+");
    return gprof_put_count_left(at, self_calls, 7);
}

/* Puts a caller or callee of the entry's function; calls: all calls of the callee. */
static bool put_row(struct graph_table *table, const struct graph_row *row,
                    uint64_t calls)
{
    char line[GPROF_LINE_BYTES], *at = line;
    if (row->inside) {
        at = gprof_put_text(at, table->layout->blank_times);
        at = gprof_put_count(at, row->count, 7);
        at = gprof_put_text(at, "             ");
    } else {
        at = gprof_put_text(at, "            ");
        at = put_times(at, table, row->self, row->children);
        at = put_calls(at, row->count);
        at = gprof_put_text(at, "/");
        at = gprof_put_count_left(at, calls, 7);
        at = gprof_put_text(at, "     ");
    }
    return gprof_put_labelled(&table->labels, line, at, row->other);
}

/* The index at the left margin, cut to its column, and the share of the whole. */
static char *put_index(char *at, const struct graph_table *table,
                       const struct gprof_symbol *symbol)
{
    double share = 100 * (symbol->self + symbol->child) / table->total;
    char *end = gprof_put_text(at, "[");
    end = gprof_put_count(end, symbol->index, 0);
    gprof_put_text(end, "]     ");
    at = gprof_put_text(at + 6, " ");
    at = gprof_put_fixed(at, share, 5, 1);
    return put_times(at, table, symbol->self, symbol->child);
}

static bool put_function(struct graph_table *table, const struct gprof_symbol *symbol)
{
    char line[GPROF_LINE_BYTES];
    char *at = put_index(line, table, symbol);
    if (symbol->calls + symbol->self_calls != 0) {
        at = put_calls(at, symbol->calls);
        at = put_self_calls(at, symbol->self_calls);
        at = gprof_put_text(at, " ");
    } else {
        at = gprof_put_text(at, "                 ");
    }
    return gprof_put_labelled(&table->labels, line, at, symbol);
}

static void put_cycle(const struct graph_table *table, const struct gprof_symbol *cycle)
{
    char line[GPROF_LINE_BYTES];
    char *at = put_index(line, table, cycle);
    at = put_calls(at, cycle->calls);
    at = put_self_calls(at, cycle->self_calls);
    gprof_put_line(table->out, line, at);
    fprintf(table->out, " <cycle %u as a whole> [%zu]\n", cycle->cycle, cycle->index);
}

static bool put_member(struct graph_table *table, const struct gprof_symbol *member)
{
    char line[GPROF_LINE_BYTES];
    char *at = gprof_put_text(line, "            ");
    at = put_times(at, table, member->self, member->child);
    at = put_calls(at, member->calls);
    at = put_self_calls(at, member->self_calls);
    at = gprof_put_text(at, "     ");
    return gprof_put_labelled(&table->labels, line, at, member);
}

/* ---- Entries ---- */

static bool has_entry(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (!symbol->print || (gprof->options.lines && !symbol->is_function))
        return false;
    return gprof->options.unused || symbol->calls != 0 || symbol->self_calls != 0 ||
           symbol->self != 0 || symbol->child != 0;
}

static void warm_labels(const struct graph_table *table)
{
    for (size_t i = 0; i < table->rows.count; i++)
        gprof_warm_label(&table->labels, table->rows.rows[i].other);
}

/* Warms up the next entries that will be printed, as many as one batch has. Returns where
 * in gprof->entries the batch ends. */
static size_t warm_entries(const struct gprof *gprof, size_t from)
{
    struct gprof_symbol *symbols[GPROF_WARM];
    size_t count = 0, i = from;
    for (; i < gprof->entry_count && count < GPROF_WARM; i++)
        if (has_entry(gprof, gprof->entries[i]))
            symbols[count++] = gprof->entries[i];
    gprof_warm_parents(gprof, symbols, count);
    gprof_warm_children(gprof, symbols, count);
    return i;
}

static bool put_parents(struct graph_table *table, struct gprof_symbol *symbol)
{
    struct graph_rows *rows = &table->rows;
    if (!gprof_sort_parents(table->gprof, rows, symbol))
        return false;
    gprof_trace_rows(table->gprof, rows, symbol, "caller");
    if (rows->count == 0)
        fprintf(table->out, "%s<spontaneous>\n", table->layout->spontaneous);
    warm_labels(table);
    for (size_t i = 0; i < rows->count; i++)
        if (!put_row(table, rows->sorted[i], symbol->cycle_head->calls))
            return false;
    return true;
}

static bool put_children(struct graph_table *table, struct gprof_symbol *symbol)
{
    struct graph_rows *rows = &table->rows;
    if (!gprof_sort_children(table->gprof, rows, symbol))
        return false;
    gprof_trace_rows(table->gprof, rows, symbol, "callee");
    warm_labels(table);
    for (size_t i = 0; i < rows->count; i++) {
        const struct graph_row *row = rows->sorted[i];
        if (!put_row(table, row, row->other->cycle_head->calls))
            return false;
    }
    return true;
}

static bool put_function_entry(struct graph_table *table, struct gprof_symbol *symbol)
{
    return put_parents(table, symbol) && put_function(table, symbol) &&
           put_children(table, symbol);
}

static bool put_cycle_entry(struct graph_table *table, struct gprof_symbol *cycle)
{
    if (!gprof_sort_members(&table->rows, cycle))
        return false;
    put_cycle(table, cycle);
    for (size_t i = 0; i < table->rows.count; i++)
        if (!put_member(table, table->rows.sorted[i]))
            return false;
    return true;
}

static bool put_entries(struct graph_table *table)
{
    const struct gprof *gprof = table->gprof;
    size_t warm = 0;
    for (size_t i = 0; i < gprof->entry_count; i++) {
        struct gprof_symbol *symbol = gprof->entries[i];
        if (i == warm)
            warm = warm_entries(gprof, i);
        if (!has_entry(gprof, symbol))
            continue;
        if (!(gprof_is_cycle(symbol) ? put_cycle_entry(table, symbol)
                                     : put_function_entry(table, symbol)))
            return false;
        fprintf(table->out, "%s-----------------------------------------------\n%s",
                table->layout->around_rules, table->layout->around_rules);
    }
    return true;
}

void gprof_put_graph_share(const struct gprof *gprof)
{
    if (gprof->graph_total > 0)
        fprintf(gprof->out, " for %.2f%% of %.2f seconds\n\n", 100 / gprof->graph_total,
                gprof_seconds(gprof, gprof->graph_total));
    else
        fputs(" no time propagated\n\n", gprof->out);
}

static void put_heading(const struct gprof *gprof)
{
    fputs(gprof->options.brief ? "\t\t\tCall graph\n\n\n"
                               : "\t\t     Call graph (explanation follows)\n\n\n",
          gprof->out);
    gprof_put_granularity(gprof);
    gprof_put_graph_share(gprof);
    fputs("index % time    self  children    called     name\n", gprof->out);
}

bool gprof_print_graph(struct gprof *gprof, struct error *error)
{
    bool traditional = gprof->options.traditional;
    struct graph_table table = {.gprof = gprof, .out = gprof->out};
    table.layout = traditional ? &gprof_traditional_graph : &plain;
    table.total = gprof->graph_total > 0 ? gprof->graph_total : 1;
    gprof_put_section_break(gprof);
    if (traditional)
        gprof_put_traditional_graph_heading(gprof);
    else
        put_heading(gprof);
    bool done = gprof_labels_init(&table.labels, gprof) && put_entries(&table);
    gprof_labels_release(&table.labels);
    gprof_rows_release(&table.rows);
    if (!done)
        return error_set(error, EXIT_NO, "out of memory");
    if (!gprof->options.brief && !traditional)
        fputs(gprof_graph_text, gprof->out);
    return true;
}
