/* SPDX-License-Identifier: MIT */
/*
 * The call graph in gprof's shape: for each function its callers above it and what it
 * calls below it; a cycle is an entry of its own, with its members below it.
 */
#include <stdlib.h>
#include <string.h>

#include "../digits.h"
#include "columns.h"
#include "report.h"

enum line_kind {
    LINE_PARENT,
    LINE_PRIMARY,
    LINE_CYCLE,
    LINE_MEMBER,
    LINE_CHILD,
    LINE_RULE
};

enum { INDENT = 4 };

/* What lines say of a function, side by side: there are many lines, and what they are of
 * is anywhere. */
struct label {
    const char *name;
    size_t index; /* 1 + entry; 0: has none */
    unsigned cycle;
    uint64_t calls; /* into it or, where it is in one, its cycle */
};

/* A line of an entry, in the order and with the figures it is printed with. */
struct graph_line {
    enum line_kind kind;
    bool timed;       /* not: an arc inside a cycle, along which no time passes */
    bool no_self;     /* its self time is not known: none of its calls was timed */
    bool spontaneous; /* a parent that stands for no arc at all */
    bool interrupt;   /* a parent that is an interrupt */
    size_t at;        /* function, cycle (LINE_CYCLE); NO_FUNCTION: the unknown caller */
    struct label label; /* of the function */
    double self, children;
    uint64_t count, of; /* of: an arc's share of these; a primary's recursive calls */
};

/* What the entries are: functions, and cycles as a whole. */
struct entry {
    size_t at;
    bool cycle;
    double total;
    double calls;
    const char *name;
};

/* What the times are. */
enum basis {
    BASIS_CALLS, /* estimated from them */
    BASIS_PATHS, /* measured, by the paths of samples */
    BASIS_TIMED  /* those of timed calls, in ticks */
};

struct graph {
    const struct report *report;
    const struct analysis *analysis;
    struct time_scale scale;
    enum basis basis;
    double whole; /* what is 100 % */
    struct entry *entries;
    size_t entry_count;
    struct label *labels; /* of functions */
    size_t *cycle_index;  /* 1 + entry */
    struct graph_line *lines;
    size_t used, allocated;
    bool failed; /* out of memory */
};

/* Measured or estimated: what a function, a cycle or an arc took. */
struct spent {
    double self, children;
};

static struct spent of_function(const struct graph *graph,
                                const struct function *function)
{
    const struct timed *timed = &function->timed;
    return graph->basis == BASIS_TIMED
               ? (struct spent){(double)timed->self, (double)timed->children}
               : (struct spent){function->self, function->children};
}

static struct spent of_cycle(const struct graph *graph, const struct cycle *cycle)
{
    const struct timed *timed = &cycle->timed;
    return graph->basis == BASIS_TIMED
               ? (struct spent){(double)timed->self, (double)timed->children}
               : (struct spent){cycle->self, cycle->children};
}

static struct spent of_arc(const struct graph *graph, const struct arc *arc)
{
    if (graph->basis != BASIS_TIMED)
        return (struct spent){arc->self, arc->children};
    if (arc->times == NULL)
        return (struct spent){0, 0};
    const struct timed *timed = &arc->times->timed;
    return timed->total < timed->self /* a recursive one */
               ? (struct spent){0, 0}
               : (struct spent){(double)timed->self,
                                (double)(timed->total - timed->self)};
}

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
        report_share(cell->text, sizeof cell->text, graph->report, total, graph->whole);
    else
        digits_fixed(cell->text, sizeof cell->text, percent, 2);
    cell->tint = report_heat(percent);
}

static void cell_time(struct cell *cell, const struct graph *graph,
                      const struct graph_line *line, double time)
{
    if (line->timed && graph->basis == BASIS_PATHS)
        report_sampled(cell->text, sizeof cell->text, graph->report, time);
    else if (line->timed)
        report_time(cell->text, sizeof cell->text, &graph->scale, time);
    cell->tint = time > 0 ? tint_of(line) : TINT_DIM;
}

static void cell_self(struct cell *cell, const void *view, size_t row)
{
    if (!line_of(view, row)->no_self)
        cell_time(cell, view, line_of(view, row), line_of(view, row)->self);
}

/* Of a call, the part that is none of the callee's own needs no bound. */
static void cell_own(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    if (is_primary(line) || line->self > 0)
        cell_self(cell, view, row);
}

static void cell_total(struct cell *cell, const void *view, size_t row)
{
    const struct graph_line *line = line_of(view, row);
    cell_time(cell, view, line, line->self + line->children);
}

static void cell_children(struct cell *cell, const void *view, size_t row)
{
    cell_time(cell, view, line_of(view, row), line_of(view, row)->children);
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

static void name_suffix(struct cell *cell, const struct graph *graph,
                        const struct graph_line *line)
{
    size_t index = index_of(graph, line);
    unsigned cycle = line->label.cycle;
    int used = 0;
    if (cycle != NO_CYCLE)
        used = digits_whole(cell->suffix, sizeof cell->suffix, " <cycle ", cycle, ">");
    if (index != 0)
        digits_whole(cell->suffix + used, sizeof cell->suffix - (size_t)used, " [", index,
                     "]");
}

static const char *unknown_name(const struct graph *graph, const struct graph_line *line)
{
    return line->spontaneous             ? "<spontaneous>"
           : line->interrupt             ? "<interrupt>"
           : graph->basis == BASIS_PATHS ? "[unknown]"
                                         : "<unknown caller>";
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
        cell->string = unknown_name(view, line);
    } else {
        cell->string = line->label.name;
        name_suffix(cell, graph, line);
    }
}

static bool is_rule(const void *view, size_t row)
{
    return line_of(view, row)->kind == LINE_RULE;
}

static const struct column columns[] = {
    {{"", "index"}, .left = true, .cell = cell_index},
    {{"total~", "%"}, .needs = NEEDS_SAMPLES, .drop = 1, .cell = cell_share},
    {{"self", NULL}, .needs = NEEDS_SAMPLES, .cell = cell_self},
    {{"children~", NULL}, .needs = NEEDS_SAMPLES, .cell = cell_children},
    {{"", "called"}, .cell = cell_called},
    {{"", "/of"}, .left = true, .joined = true, .cell = cell_called_of},
    {{"", "function"}, .left = true, .cell = cell_name},
};

static const struct column path_columns[] = {
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
    {{"", "function"}, .left = true, .cell = cell_name},
};

static const struct column timed_columns[] = {
    {{"", "index"}, .left = true, .cell = cell_index},
    {{"total", "%"}, .drop = 1, .cell = cell_share},
    {{"self", NULL}, .cell = cell_self},
    {{"children", NULL}, .cell = cell_children},
    {{"", "called"}, .cell = cell_called},
    {{"", "/of"}, .left = true, .joined = true, .cell = cell_called_of},
    {{"", "function"}, .left = true, .cell = cell_name},
};

static void add_line(struct graph *graph, struct graph_line line)
{
    if (graph->used == graph->allocated) {
        size_t more = graph->allocated == 0 ? 256 : graph->allocated * 2;
        struct graph_line *moved = reallocarray(graph->lines, more, sizeof *graph->lines);
        if (moved == NULL) {
            graph->failed = true;
            return;
        }
        graph->lines = moved;
        graph->allocated = more;
    }
    /* here, where many are fetched at once, and not where each is waited for */
    if (line.kind != LINE_CYCLE && line.kind != LINE_RULE && line.at != NO_FUNCTION)
        line.label = graph->labels[line.at];
    __builtin_prefetch(line.label.name);
    graph->lines[graph->used++] = line;
}

/* Least first: arcs inside a cycle, then by time, then by calls. */
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

/* Whether both ends are in one cycle. */
static bool is_inside(const struct graph *graph, const struct arc *arc)
{
    unsigned cycle = graph->labels[arc->callee].cycle;
    return cycle != NO_CYCLE && arc->caller != NO_FUNCTION &&
           graph->labels[arc->caller].cycle == cycle;
}

/* The line of an arc as seen from one of its ends; the other end is `at`. */
static void add_arc(struct graph *graph, const struct arc *arc, enum line_kind kind)
{
    bool inside = is_inside(graph, arc);
    struct spent spent = of_arc(graph, arc);
    if (graph->basis == BASIS_TIMED && arc->count == 0)
        return; /* only sampled */
    if (arc->caller == arc->callee && graph->basis != BASIS_PATHS)
        return; /* the primary line's +N */
    add_line(graph,
             (struct graph_line){
                 .kind = kind,
                 .timed = !inside,
                 .interrupt = arc->interrupt,
                 .at = kind == LINE_PARENT ? arc->caller : arc->callee,
                 .self = spent.self,
                 .children = spent.children,
                 .count = arc->count,
                 .of = inside || arc->count == 0 ? 0 : graph->labels[arc->callee].calls,
             });
}

static int by_other_end(const void *left, const void *right)
{
    const struct graph_line *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* One line for each caller of a cycle, however many members it calls. */
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

/* `outside`: but those in its own cycle. */
static void add_parents(struct graph *graph, const struct function *function,
                        bool outside)
{
    const struct analysis *analysis = graph->analysis;
    for (size_t i = 0; i < function->ins; i++) {
        const struct arc *arc = &analysis->arcs[analysis->ins[function->first_in + i]];
        if (!outside || !is_inside(graph, arc))
            add_arc(graph, arc, LINE_PARENT);
    }
}

static void add_primary(struct graph *graph, enum line_kind kind, size_t at)
{
    const struct function *function = &graph->analysis->functions[at];
    const struct timed *timed = &function->timed;
    struct spent spent = of_function(graph, function);
    add_line(graph, (struct graph_line){
                        .kind = kind,
                        .timed = true,
                        .no_self = graph->basis == BASIS_TIMED &&
                                   timed->calls + timed->recursive == 0,
                        .at = at,
                        .self = spent.self,
                        .children = spent.children,
                        .count = function->calls,
                        .of = function->self_calls,
                    });
}

static void add_function(struct graph *graph, size_t at)
{
    const struct analysis *analysis = graph->analysis;
    const struct function *function = &analysis->functions[at];
    size_t first = graph->used;
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
                        });
    sort_lines(graph, first, false);
    add_primary(graph, LINE_PRIMARY, at);
    first = graph->used;
    for (size_t i = 0; i < function->outs; i++)
        add_arc(graph, &analysis->arcs[function->first_out + i], LINE_CHILD);
    sort_lines(graph, first, true);
}

static void add_cycle(struct graph *graph, size_t at)
{
    const struct cycle *cycle = &graph->analysis->cycles[at];
    size_t first = graph->used;
    for (size_t i = 0; i < cycle->member_count; i++)
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
    for (size_t i = 0; i < analysis->cycle_count; i++) {
        const struct cycle *cycle = &analysis->cycles[i];
        struct spent spent = of_cycle(graph, cycle);
        graph->entries[graph->entry_count++] = (struct entry){
            i, true, spent.self + spent.children, (double)cycle->calls, ""};
    }
    for (size_t i = 0; i < analysis->function_count; i++) {
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
                       : &graph->labels[entry->at].index) = i + 1;
    }
}

/* The lines of all entries that are shown, an entry at a time; returns how many a limit
 * left out. */
static size_t add_entries(struct graph *graph, struct table *table, struct sheet *sheet)
{
    const struct report *report = graph->report;
    size_t shown = 0, left_out = 0;
    for (size_t i = 0; i < graph->entry_count && !graph->failed; i++) {
        const struct entry *entry = &graph->entries[i];
        if (report->focus != NULL && (entry->cycle || !report->focus[entry->at]))
            continue;
        if (report->limit != 0 && shown == report->limit) {
            left_out++;
            continue;
        }
        graph->used = 0;
        if (shown++ > 0)
            add_line(graph, (struct graph_line){.kind = LINE_RULE});
        if (entry->cycle)
            add_cycle(graph, entry->at);
        else
            add_function(graph, entry->at);
        table->rows = graph->used;
        sheet_add(sheet);
    }
    return left_out;
}

static void title(const struct report *report)
{
    fputc('\n', report->out);
    style_tint(&report->style, report->out, TINT_BOLD);
    fputs("Call graph", report->out);
    style_tint(&report->style, report->out, TINT_PLAIN);
    style_tint(&report->style, report->out, TINT_DIM);
    if (report->analysis->timed.raw)
        fputs("  computed: measured, the profiler's own time put back", report->out);
    else if (report->analysis->timed.known)
        fputs("  measured", report->out);
    else if (report->analysis->measured)
        fprintf(report->out, "  measured, %s one standard error",
                report->style.utf8 ? "±" : "+-");
    else if (report->analysis->has_samples)
        fputs("  ~, and all times of callers and callees, are estimated from the calls",
              report->out);
    style_tint(&report->style, report->out, TINT_PLAIN);
    fputs("\n\n", report->out);
}

static bool print(struct graph *graph, struct error *error)
{
    static const struct column *const shown[] = {columns, path_columns, timed_columns};
    struct table table = {
        .columns = shown[graph->basis],
        .column_count = sizeof columns / sizeof columns[0],
        .view = graph,
        .knows = report_knows(graph->report),
        .time_unit = graph->scale.unit,
        .is_rule = is_rule,
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
    graph.cycle_index = calloc(analysis->cycle_count + 1, sizeof(size_t));
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
