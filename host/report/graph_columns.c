/* SPDX-License-Identifier: MIT */
/* The columns of the call graph. */
#include <string.h>

#include "../base/digits.h"
#include "graph.h"

static const struct graph_line *line_of(const void *view, size_t row)
{
    const struct graph *graph = view;
    return &graph->lines[row];
}

static bool is_primary(const struct graph_line *line)
{
    return line->kind == LINE_PRIMARY || line->kind == LINE_CYCLE;
}

static enum tint tint_of(const struct graph_line *line)
{
    return is_primary(line)            ? TINT_BOLD
           : line->kind == LINE_PARENT ? TINT_DIM
                                       : TINT_PLAIN;
}

static size_t index_of(const struct graph *graph, const struct graph_line *line)
{
    if (line->kind == LINE_CYCLE)
        return graph->cycle_index[line->at];
    return line->label.index;
}

static void cell_index(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    if (is_primary(line))
        digits_whole(cell->text, sizeof cell->text, "[", index_of(view, line), "]");
    cell->tint = TINT_DIM;
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct graph *graph = view;
    const struct graph_line *line = line_of(view, row);
    if (!is_primary(line))
        return;
    double total = line->self + line->children;
    double percent = report_percent(total, graph->whole);
    if (graph->basis == BASIS_PATHS)
        report_total_share(cell->text, sizeof cell->text, graph->report, total,
                           line->hidden, graph->whole);
    else
        digits_fixed(cell->text, sizeof cell->text, percent, 2);
    cell->tint = report_heat(percent);
}

static void cell_time(struct cell *cell, const struct graph *graph,
                      const struct graph_line *line, double time, double hidden)
{
    if (line->timed && graph->basis == BASIS_PATHS)
        report_total(cell->text, sizeof cell->text, graph->report, time, hidden);
    else if (line->timed)
        report_time(cell->text, sizeof cell->text, &graph->scale, time);
    cell->tint = time > 0 ? tint_of(line) : TINT_DIM;
}

static void cell_self(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    if (!line->no_self)
        cell_time(cell, view, line, line->self, line->hidden_self);
}

/* Writes self time. The line of a call shows no bound if none of its time is the callee's
 * own. */
static void cell_own(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    if (is_primary(line) || line->self > 0)
        cell_self(cell, view, row);
}

static void cell_total(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    cell_time(cell, view, line, line->self + line->children, line->hidden);
}

static void cell_children(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    cell_time(cell, view, line, line->children, line->hidden);
}

static void cell_called(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    bool recursive =
        line->kind != LINE_PARENT && line->kind != LINE_CHILD && line->of > 0;
    if (!line->spontaneous && (line->count > 0 || recursive))
        digits_whole(cell->text, sizeof cell->text, "", line->count, "");
    cell->tint = tint_of(line);
}

static void cell_called_of(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    bool part = line->kind == LINE_PARENT || line->kind == LINE_CHILD;
    if (line->of > 0)
        digits_whole(cell->text, sizeof cell->text, part ? "/" : "+", line->of, "");
    cell->tint = tint_of(line);
}

static const char spontaneous[] = "<spontaneous>";

static void name_suffix(struct cell *cell, const struct graph *graph,
                        const struct graph_line *line)
{
    size_t index = index_of(graph, line);
    unsigned cycle = line->label.cycle;
    int used = 0;
    if (cycle != NO_CYCLE)
        used = digits_whole(cell->suffix, sizeof cell->suffix, " <cycle ", cycle, ">");
    if (line->lone) /* its index stands at the left instead */
        snprintf(cell->suffix + used, sizeof cell->suffix - (size_t)used, " %s",
                 spontaneous);
    else if (index != 0)
        used += digits_whole(cell->suffix + used, sizeof cell->suffix - (size_t)used,
                             " [", index, "]");
    if (line->interrupt) /* an interrupt is not called, so it has no calls */
        snprintf(cell->suffix + used, sizeof cell->suffix - (size_t)used, " %s",
                 call_path_above(STACK_INTERRUPT));
}

static const char *unknown_name(const struct graph_line *line)
{
    return line->spontaneous
               ? spontaneous
               : call_path_above(line->interrupt ? STACK_INTERRUPT : STACK_UNSURE);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    const struct graph *graph = view;
    const struct graph_line *line = line_of(view, row);
    cell->tint = tint_of(line);
    cell->indent = is_primary(line) ? 0 : INDENT;
    if (line->kind == LINE_CYCLE) {
        snprintf(cell->text, sizeof cell->text, "<cycle %u as a whole> [%zu]",
                 graph->analysis->cycles[line->at].number, index_of(graph, line));
    } else if (line->at == NO_FUNCTION) {
        cell->string = unknown_name(line);
    } else {
        cell->string = line->label.name;
        name_suffix(cell, graph, line);
    }
}

bool graph_is_rule(const void *view, size_t row)
{
    return line_of(view, row)->kind == LINE_RULE;
}

static const struct column call_columns[GRAPH_COLUMNS] = {
    {{"", "index"}, .left = true, .cell = cell_index},
    {{"total~", "%"}, .needs = NEEDS_SAMPLES, .drop = 1, .cell = cell_share},
    {{"self", NULL}, .needs = NEEDS_SAMPLES, .cell = cell_self},
    {{"children~", NULL}, .needs = NEEDS_SAMPLES, .cell = cell_children},
    {{"", "called"}, .cell = cell_called},
    {{"", "/of"}, .left = true, .joined = true, .cell = cell_called_of},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

static const struct column path_columns[GRAPH_COLUMNS] = {
    {{"", "index"}, .left = true, .cell = cell_index},
    {{"total", "%"}, .drop = 1, .cell = cell_share},
    {{"self", NULL}, .needs = NEEDS_SAMPLES, .cell = cell_own},
    {{"total", NULL}, .needs = NEEDS_SAMPLES, .cell = cell_total},
    {{"", "called"}, .needs = NEEDS_CALLS, .cell = cell_called},
    {{"", "/of"},
     .needs = NEEDS_CALLS,
     .left = true,
     .joined = true,
     .cell = cell_called_of},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

static const struct column timed_columns[GRAPH_COLUMNS] = {
    {{"", "index"}, .left = true, .cell = cell_index},
    {{"total", "%"}, .drop = 1, .cell = cell_share},
    {{"self", NULL}, .cell = cell_self},
    {{"children", NULL}, .cell = cell_children},
    {{"", "called"}, .cell = cell_called},
    {{"", "/of"}, .left = true, .joined = true, .cell = cell_called_of},
    {{"", "function"}, .left = true, .cut = CUT_NAME, .cell = cell_name},
};

const struct column *const graph_columns[] = {
    [BASIS_CALLS] = call_columns,
    [BASIS_PATHS] = path_columns,
    [BASIS_TIMED] = timed_columns,
};
