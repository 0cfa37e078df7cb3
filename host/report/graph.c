/* SPDX-License-Identifier: MIT */
/*
 * The call graph in gprof's shape: for each function its callers above it and its callees
 * below it. A cycle is an entry of its own, with its members below it.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"
#include "graph.h"

/* What a function, a cycle or an arc took, measured or estimated. */
struct spent {
    double self, children, hidden, hidden_self;
};

static struct spent of_function(const struct graph *graph,
                                const struct function *function)
{
    const struct timed *timed = function->timed;
    return graph->basis == BASIS_TIMED
               ? (struct spent){(double)timed->self, (double)timed->children, 0, 0}
               : (struct spent){function->self, function->children, function->hidden, 0};
}

static struct spent of_cycle(const struct graph *graph, const struct cycle *cycle)
{
    const struct timed *timed = &cycle->timed;
    return graph->basis == BASIS_TIMED
               ? (struct spent){(double)timed->self, (double)timed->children, 0, 0}
               : (struct spent){cycle->self, cycle->children, 0, 0};
}

static struct spent of_arc(const struct graph *graph, const struct arc *arc)
{
    if (graph->basis != BASIS_TIMED)
        return (struct spent){arc->self, arc->children, arc->hidden, arc->hidden_self};
    if (arc->times == NULL)
        return (struct spent){0, 0, 0, 0};
    const struct timed *timed = &arc->times->timed;
    return timed->total < timed->self /* a recursive one */
               ? (struct spent){0, 0, 0, 0}
               : (struct spent){(double)timed->self, (double)(timed->total - timed->self),
                                0, 0};
}

static void add_line(struct graph *graph, struct graph_line line)
{
    if (!vector_grow(&graph->lines, graph->used, &graph->allocated,
                     sizeof *graph->lines)) {
        graph->failed = true;
        return;
    }
    /* the label is copied here, where many are fetched at once, because each later
     * look-up would wait for memory */
    if (line.kind != LINE_CYCLE && line.kind != LINE_RULE && line.at != NO_FUNCTION)
        line.label = graph->labels[line.at];
    __builtin_prefetch(line.label.name);
    graph->lines[graph->used++] = line;
}

/* Sorts arcs inside a cycle first, then by time, then by calls, in ascending order. */
static int by_weight(const void *left, const void *right)
{
    const struct graph_line *a = left, *b = right;
    if (a->timed != b->timed)
        return a->timed ? 1 : -1;
    double x = a->self + a->children, y = b->self + b->children;
    if (x != y)
        return x > y ? 1 : -1;
    if (a->count != b->count)
        return a->count > b->count ? 1 : -1;
    return (a->at < b->at) - (a->at > b->at);
}

static int by_weight_descending(const void *left, const void *right)
{
    return by_weight(right, left);
}

static struct label label_of(const struct analysis *analysis,
                             const struct function *function)
{
    unsigned cycle = function->cycle;
    return (struct label){
        .name = function->name,
        .cycle = cycle,
        .calls = cycle == NO_CYCLE ? function->calls : analysis->cycles[cycle - 1].calls,
    };
}

/* Whether both ends are in the same cycle. */
static bool is_inside(const struct graph *graph, const struct arc *arc)
{
    unsigned cycle = graph->labels[arc->callee].cycle;
    return cycle != NO_CYCLE && arc->caller != NO_FUNCTION &&
           graph->labels[arc->caller].cycle == cycle;
}

/* Adds the line of an arc, as seen from one of its ends; the other end is `at`. */
static void add_arc(struct graph *graph, const struct arc *arc, enum line_kind kind)
{
    bool inside = is_inside(graph, arc), own = arc->caller == arc->callee;
    bool from_others = !inside && !own && arc->count != 0;
    struct spent spent = of_arc(graph, arc);
    if (graph->basis == BASIS_TIMED && arc->count == 0)
        return; /* only samples show this arc */
    if (own && graph->basis != BASIS_PATHS)
        return; /* the primary line shows these calls as +N */
    add_line(graph, (struct graph_line){
                        .kind = kind,
                        .timed = !inside,
                        .interrupt = arc->interrupt,
                        .at = kind == LINE_PARENT ? arc->caller : arc->callee,
                        .self = spent.self,
                        .children = spent.children,
                        .hidden = spent.hidden,
                        .hidden_self = spent.hidden_self,
                        .count = arc->count,
                        .of = from_others ? graph->labels[arc->callee].calls : 0,
                    });
}

static int by_other_end(const void *left, const void *right)
{
    const struct graph_line *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* Merges the lines of each caller of a cycle into one, however many members it calls. */
static void merge_lines(struct graph *graph, size_t first)
{
    size_t kept = first;
    if (graph->used - first < 2)
        return;
    qsort(graph->lines + first, graph->used - first, sizeof *graph->lines, by_other_end);
    for (size_t i = first + 1; i < graph->used; i++) {
        struct graph_line *into = &graph->lines[kept], *line = &graph->lines[i];
        if (line->at != into->at) {
            graph->lines[++kept] = *line;
            continue;
        }
        into->self += line->self;
        into->children += line->children;
        into->count += line->count;
    }
    graph->used = kept + 1;
}

static void sort_lines(struct graph *graph, size_t first, bool descending)
{
    if (graph->used - first > 1)
        qsort(graph->lines + first, graph->used - first, sizeof *graph->lines,
              descending ? by_weight_descending : by_weight);
}

/* Adds a function's callers; with `outside` only those that are not in its own cycle. */
static void add_parents(struct graph *graph, const struct function *function,
                        bool outside)
{
    const struct analysis *analysis = graph->analysis;
    const uint32_t *ins = &analysis->ins[function->first_in];
    for (size_t i = 0; i < function->ins; i++) /* see warm() */
        if (analysis->arcs[ins[i]].caller != NO_FUNCTION)
            __builtin_prefetch(&graph->labels[analysis->arcs[ins[i]].caller]);
    for (size_t i = 0; i < function->ins; i++) {
        const struct arc *arc = &analysis->arcs[ins[i]];
        if (!outside || !is_inside(graph, arc))
            add_arc(graph, arc, LINE_PARENT);
    }
}

static void add_primary(struct graph *graph, enum line_kind kind, size_t at)
{
    const struct function *function = &graph->analysis->functions[at];
    const struct timed *timed = function->timed;
    struct spent spent = of_function(graph, function);
    add_line(graph, (struct graph_line){
                        .kind = kind,
                        .timed = true,
                        .no_self = graph->basis == BASIS_TIMED &&
                                   timed->calls + timed->recursive == 0,
                        .at = at,
                        .self = spent.self,
                        .children = spent.children,
                        .hidden = spent.hidden,
                        .hidden_self = spent.hidden_self,
                        .count = function->calls,
                        .of = function->self_calls,
                    });
}

static void add_function(struct graph *graph, size_t at)
{
    const struct analysis *analysis = graph->analysis;
    const struct function *function = &analysis->functions[at];
    size_t start = graph->used, first = start;
    bool root = graph->basis == BASIS_PATHS && function->root > 0;
    add_parents(graph, function, false);
    if (root || graph->used == first)
        add_line(graph, (struct graph_line){
                            .kind = LINE_PARENT,
                            .timed = root,
                            .spontaneous = true,
                            .at = NO_FUNCTION,
                            .self = function->root_self,
                            .children = function->root - function->root_self,
                            .hidden = function->hidden,
                        });
    sort_lines(graph, first, false);
    add_primary(graph, LINE_PRIMARY, at);
    first = graph->used;
    for (size_t i = 0; i < function->outs; i++)
        add_arc(graph, &analysis->arcs[function->first_out + i], LINE_CHILD);
    sort_lines(graph, first, true);
    if (graph->used == start + 2 && graph->lines[start].spontaneous) {
        graph->lines[start] = graph->lines[start + 1];
        graph->lines[start].lone = true;
        graph->used--;
    }
}

static void add_cycle(struct graph *graph, size_t at)
{
    const struct cycle *cycle = &graph->analysis->cycles[at];
    size_t first = graph->used;
    /* without calls from outside, all arcs to members are inside the cycle */
    bool called = cycle->calls > 0 || graph->basis == BASIS_PATHS;
    for (size_t i = 0; called && i < cycle->member_count; i++)
        add_parents(graph, &graph->analysis->functions[cycle->members[i]], true);
    merge_lines(graph, first);
    sort_lines(graph, first, false);
    struct spent spent = of_cycle(graph, cycle);
    add_line(graph, (struct graph_line){
                        .kind = LINE_CYCLE,
                        .timed = true,
                        .at = at,
                        .self = spent.self,
                        .children = spent.children,
                        .count = cycle->calls,
                        .of = cycle->self_calls,
                    });
    first = graph->used;
    for (size_t i = 0; i < cycle->member_count; i++)
        add_primary(graph, LINE_MEMBER, cycle->members[i]);
    sort_lines(graph, first, true);
}

static int by_total(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->total != b->total)
        return a->total < b->total ? 1 : -1;
    if (a->cycle != b->cycle)
        return a->cycle ? -1 : 1;
    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static void collect_entries(struct graph *graph)
{
    const struct analysis *analysis = graph->analysis;
    for (uint32_t i = 0; i < analysis->cycle_count; i++) {
        const struct cycle *cycle = &analysis->cycles[i];
        struct spent spent = of_cycle(graph, cycle);
        graph->entries[graph->entry_count++] = (struct entry){
            i, true, spent.self + spent.children, (double)cycle->calls, ""};
    }
    for (uint32_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        graph->labels[i] = label_of(analysis, function);
        if (function->overhead && function->ins == 0 && function->outs == 0)
            continue;
        struct spent spent = of_function(graph, function);
        graph->entries[graph->entry_count++] =
            (struct entry){i, false, spent.self + spent.children, (double)function->calls,
                           function->name};
    }
    qsort(graph->entries, graph->entry_count, sizeof *graph->entries, by_total);
    for (size_t i = 0; i < graph->entry_count; i++) {
        const struct entry *entry = &graph->entries[i];
        *(entry->cycle ? &graph->cycle_index[entry->at]
                       : &graph->labels[entry->at].index) = (uint32_t)i + 1;
    }
}

/* Entries are scattered in memory, and so is what their arcs lead to. So both are fetched
 * ahead: for the next entry what its arcs lead to, for later entries first their arcs,
 * then their function. */
enum { AHEAD = 4 };
static void warm(const struct graph *graph, size_t entry)
{
    const struct analysis *analysis = graph->analysis;
    const struct entry *entries = graph->entries;
    if (entry + AHEAD < graph->entry_count && !entries[entry + AHEAD].cycle)
        __builtin_prefetch(&analysis->functions[entries[entry + AHEAD].at].first_in);
    if (entry + AHEAD / 2 < graph->entry_count && !entries[entry + AHEAD / 2].cycle) {
        const struct function *function =
            &analysis->functions[entries[entry + AHEAD / 2].at];
        __builtin_prefetch(&analysis->ins[function->first_in]);
        __builtin_prefetch(&analysis->arcs[function->first_out]);
    }
    if (entry + 1 == graph->entry_count || entries[entry + 1].cycle)
        return;
    const struct function *function = &analysis->functions[entries[entry + 1].at];
    for (size_t i = 0; i < function->ins; i++)
        __builtin_prefetch(&analysis->arcs[analysis->ins[function->first_in + i]]);
    for (size_t i = 0; i < function->outs; i++)
        __builtin_prefetch(
            &graph->labels[analysis->arcs[function->first_out + i].callee]);
}

/* Adds the lines of all entries that are shown, an entry at a time. Returns how many
 * entries the limit left out. */
static size_t add_entries(struct graph *graph, struct table *table, struct sheet *sheet)
{
    const struct report *report = graph->report;
    size_t shown = 0, left_out = 0;
    bool lone = false; /* the entry before was alone */
    for (size_t i = 0; i < graph->entry_count && !graph->failed; i++) {
        const struct entry *entry = &graph->entries[i];
        if (report->focus != NULL && (entry->cycle || !report->focus[entry->at]))
            continue;
        if (report->limit != 0 && shown == report->limit) {
            left_out++;
            continue;
        }
        graph->used = 0;
        warm(graph, i);
        if (shown++ > 0)
            add_line(graph, (struct graph_line){.kind = LINE_RULE});
        if (entry->cycle)
            add_cycle(graph, entry->at);
        else
            add_function(graph, entry->at);
        bool is_lone = graph->used > 0 && graph->lines[graph->used - 1].lone;
        if (lone && is_lone) /* entries with one line stand together, without a rule
                              * between them */
            graph->lines[0] = graph->lines[--graph->used];
        lone = is_lone;
        table->rows = graph->used;
        sheet_add(sheet);
    }
    return left_out;
}

static void title(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    const char *figures =
        analysis->timed.raw     ? "computed: measured, the profiler's own time put back"
        : analysis->timed.known ? "measured"
        : analysis->has_samples
            ? "~, and all times of callers and callees, are estimated from the calls"
            : "";
    if (analysis->measured && !analysis->timed.known)
        report_title(report, "Call graph", "measured, %s one standard error",
                     report_plus_minus(report));
    else
        report_title(report, "Call graph", "%s", figures);
}

static bool print(struct graph *graph, struct error *error)
{
    struct table table = {
        .columns = graph_columns[graph->basis],
        .column_count = GRAPH_COLUMNS,
        .view = graph,
        .knows = report_knows(graph->report),
        .time_unit = graph->scale.unit,
        .is_rule = graph_is_rule,
    };
    struct sheet sheet;
    sheet_init(&sheet, &table, &graph->report->style);
    size_t left_out = add_entries(graph, &table, &sheet);
    sheet.failed = sheet.failed || graph->failed;
    title(graph->report);
    if (!sheet_print(&sheet, graph->report->out, error))
        return false;
    report_cut(graph->report, left_out, "entry", "entries");
    return true;
}

bool report_graph(const struct report *report, struct error *error)
{
    const struct analysis *analysis = report->analysis;
    struct graph graph = {.report = report, .analysis = analysis};
    graph.basis = analysis->timed.known ? BASIS_TIMED
                  : analysis->measured  ? BASIS_PATHS
                                        : BASIS_CALLS;
    bool timed = graph.basis == BASIS_TIMED;
    graph.whole = timed ? (double)analysis->timed.program : analysis->program;
    graph.scale = timed ? report_ticks_scale(report) : report_time_scale(report);
    graph.entries = calloc(analysis->function_count + analysis->cycle_count + 1,
                           sizeof *graph.entries);
    graph.labels = calloc(analysis->function_count + 1, sizeof *graph.labels);
    graph.cycle_index = calloc(analysis->cycle_count + 1, sizeof *graph.cycle_index);
    graph.failed =
        graph.entries == NULL || graph.labels == NULL || graph.cycle_index == NULL;
    bool done = !graph.failed || error_set(error, EXIT_BAD_INPUT, "out of memory");
    if (done) {
        collect_entries(&graph);
        done = print(&graph, error);
    }
    free(graph.entries);
    free(graph.labels);
    free(graph.cycle_index);
    free(graph.lines);
    return done;
}
