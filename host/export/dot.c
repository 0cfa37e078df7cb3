/* SPDX-License-Identifier: MIT */
/*
 * The call graph for graphviz: the functions with the most time (then with the most
 * calls) and the calls between them. A node's fill, from cool to hot, shows its self
 * share of the time, its frame the total share. An edge is as wide as the share of the
 * time that passes along it, which call paths measure. Timed calls measure all of this,
 * and each call site has an edge, as in the call-site graphs of sensor nodes. Each task
 * and interrupt has a frame of its own with the functions that it ran.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/arc_sites.h"
#include "../base/compare.h"
#include "../base/plural.h"
#include "../port/sort.h"
#include "dot.h"

enum { ROW = 5 }; /* nodes without edges in one row */

struct dot_spent dot_spent(const struct analysis *analysis,
                           const struct function *function)
{
    double self = (double)function->timed->self;

    return analysis->timed.known
               ? (struct dot_spent){self, self + (double)function->timed->children}
               : (struct dot_spent){function->self, function->total};
}

static double total_time(const struct analysis *analysis, const struct function *function)
{
    return dot_spent(analysis, function).total;
}

static int by_weight(const void *left, const void *right, void *context)
{
    const struct analysis *analysis = context;
    const size_t *a = left, *b = right;
    const struct function *one = &analysis->functions[*a],
                          *other = &analysis->functions[*b];

    double first = total_time(analysis, one), second = total_time(analysis, other);

    ORDER_BY(second, first);
    ORDER_BY(other->calls, one->calls);
    return (*a > *b) - (*a < *b);
}

/* The time that is 100 %: that of all tasks, if there are any. */
static double whole_time(const struct analysis *analysis, const struct export_part *part)
{
    if (part == NULL)
        return analysis->timed.known ? (double)analysis->timed.program
                                     : analysis->program;
    return analysis->timed.known ? (double)part->tasks->time
                                 : (double)part->tasks->samples / analysis->hz;
}

/* How many functions this task may show; 0: all. The tasks share the limit, and the
 * busiest is served first. */
static size_t most_shown(const struct export_options *options)
{
    size_t limit = options->limit;

    if (limit > 0 && options->part != NULL)
        limit =
            limit > options->part->tasks->count ? limit / options->part->tasks->count : 1;
    return limit;
}

/* Whether the limit is used up before this task. There are no more frames than functions.
 */
static bool is_left_out(const struct export_options *options)
{
    return options->part != NULL && options->limit > 0 &&
           options->part->number >= options->limit;
}

static bool graph_init(struct dot *graph)
{
    const struct analysis *analysis = graph->analysis;
    size_t count = analysis->function_count, limit = most_shown(graph->options);

    graph->whole = whole_time(analysis, graph->options->part);
    graph->order = calloc(count + 1, sizeof *graph->order);
    graph->show = calloc(count + 1, sizeof *graph->show);
    if (graph->order == NULL || graph->show == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        graph->order[i] = i;
    port_qsort_r(graph->order, count, sizeof *graph->order, by_weight, (void *)analysis);
    graph->shown = limit == 0 || limit > count ? count : limit;
    for (size_t i = 0; i < graph->shown; i++)
        graph->show[graph->order[i]] = true;
    return true;
}

static void put_left_out(const struct dot *graph)
{
    size_t all = graph->analysis->function_count, left_out = all - graph->shown;

    if (left_out > 0)
        fprintf(graph->out,
                "\\n%zu of %zu functions are left out: those with least time.", left_out,
                all);
}

static void put_number(const struct dot *graph, uint64_t number, const char *what)
{
    dot_count(graph->out, number);
    fprintf(graph->out, " %s%s", what, plural(number));
}

static void put_samples(const struct dot *graph, uint64_t samples)
{
    put_number(graph, samples, "sample");
    if (graph->rate_hz > 0) {
        fprintf(graph->out, " at %g Hz: ", graph->rate_hz);
        dot_duration(graph->out, (double)samples / graph->analysis->hz);
    }
    if (graph->measured)
        fputs(". All is measured, by the call paths of the samples.", graph->out);
    else
        fputs(". Self is measured; total, and what passes along a call, is estimated "
              "from the calls.",
              graph->out);
}

/* Writes the title of the graph, or of a task's frame. */
static void put_title(const struct dot *graph, const struct profile *profile)
{
    const struct task_sums *tasks =
        graph->options->part != NULL ? graph->options->part->tasks : NULL;
    uint64_t samples = tasks != NULL ? tasks->samples : profile->received[EVENT_SAMPLE];
    bool timed = tasks != NULL ? tasks->time > 0 : graph->analysis->timed.known;

    fputs("    label=\"", graph->out);
    if (tasks != NULL)
        fputs("Each frame is a task or an interrupt; shares are of all of them.\\n",
              graph->out);
    if (timed) {
        put_number(graph,
                   tasks != NULL
                       ? tasks->calls
                       : profile->received[EVENT_CALL] - profile_switches(profile),
                   "timed call");
        fputs("; on each edge a call site, its calls and their mean time.", graph->out);
    } else if (samples > 0) {
        put_samples(graph, samples);
    } else {
        put_number(graph, tasks != NULL ? tasks->calls : profile->received[EVENT_ARC],
                   "call");
    }
    if (tasks == NULL)
        put_left_out(graph);
    else if (graph->options->limit > 0 && tasks->count > graph->options->limit)
        fprintf(graph->out, "\\n%zu of %zu are left out: those with least time.",
                tasks->count - graph->options->limit, tasks->count);
    fputs("\";\n", graph->out);
}

static bool is_shown(const struct dot *graph, size_t caller, size_t callee)
{
    return caller != NO_FUNCTION && graph->show[caller] && graph->show[callee];
}

/* Marks functions with an edge to or from another one. */
static void connect(bool *connected, size_t caller, size_t callee)
{
    if (caller != callee)
        connected[caller] = connected[callee] = true;
}

static bool put_edges(const struct dot *graph, bool *connected)
{
    const struct analysis *analysis = graph->analysis;

    for (size_t i = 0; i < analysis->site_count; i++) {
        const struct call_site *site = &analysis->sites[i];

        if (!is_shown(graph, site->caller, site->callee))
            continue;
        if (!dot_site(graph, site))
            return false;
        connect(connected, site->caller, site->callee);
    }
    for (size_t i = 0; i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];

        if (analysis->timed.known && arc->count == 0)
            continue; /* this call is known only from samples */
        if (arc->times != NULL || !is_shown(graph, arc->caller, arc->callee))
            continue;
        if (!dot_edge(graph, arc))
            return false;
        connect(connected, arc->caller, arc->callee);
    }
    return true;
}

/* graphviz puts nodes without edges into one row or column, however many there are.
 * Invisible edges divide it into several. */
static bool put_rows(const struct dot *graph, const bool *connected)
{
    size_t *alone = calloc(graph->shown + 1, sizeof *alone), count = 0;

    if (alone == NULL)
        return false;
    for (size_t i = 0; i < graph->shown; i++)
        if (!connected[graph->order[i]])
            alone[count++] = graph->order[i];
    /* in a task's frame edges lead to the right, else down */
    size_t row = graph->options->part != NULL ? ROW : (count + ROW - 1) / ROW;

    for (size_t i = 1; i < count; i++)
        if (i % row != 0) {
            dot_ends(graph, alone[i - 1], alone[i]);
            fputs(" [style=invis];\n", graph->out);
        }
    free(alone);
    return true;
}

/* Writes the label of a task's frame: its name and what `report --by task` says of it. */
static bool put_task_label(const struct dot *graph, const struct task_sum *task)
{
    const struct task_sums *tasks = graph->options->part->tasks;

    fputs("        label=\"", graph->out);
    if (!dot_name(graph->out, task->label, LABEL_BYTES))
        return false;
    if (task->idle)
        fputs(" (idle)", graph->out);
    if (task->runs > 0) {
        fprintf(graph->out, "\\n%.1f %%, ",
                100 * (double)task->time.total / fmax((double)tasks->time, 1));
        dot_ticks(graph, (double)task->time.total);
        fputs(" in ", graph->out);
        put_number(graph, task->runs, "run");
    } else if (tasks->samples > 0) {
        fprintf(graph->out, "\\n%.1f %%, ",
                100 * (double)task->samples / (double)tasks->samples);
        put_number(graph, task->samples, "sample");
    }
    put_left_out(graph);
    fputs("\";\n", graph->out);
    return true;
}

/* Tasks, interrupts and idle tasks look different. graphviz draws a frame only if it has
 * a node. */
static bool open_frame(const struct dot *graph)
{
    const struct task_sum *task = export_task(graph->options);
    bool interrupt = task->number >= TASK_INTERRUPT && task->number < TASK_UNKNOWN;
    const char *look = interrupt    ? "color=\"#4a78b0\", fillcolor=\"#eef4fb\""
                       : task->idle ? "color=\"#b0bac4\", fillcolor=\"#f6f7f9\""
                                    : "color=\"#8a949e\", fillcolor=\"#fffdf7\"";

    fprintf(graph->out,
            "    subgraph cluster_t%zu {\n        graph [style=\"filled,rounded%s\", %s, "
            "fontsize=14, fontcolor=\"#20262c\", labelloc=t, margin=12];\n",
            graph->options->part->number, task->idle ? ",dashed" : "", look);
    if (graph->shown == 0)
        fprintf(graph->out,
                "        t%zu [label=\"no calls seen\", shape=plaintext, style=\"\", "
                "fontsize=10];\n",
                graph->options->part->number);
    return put_task_label(graph, task);
}

static bool put_calls(const struct dot *graph)
{
    bool *connected = calloc(graph->analysis->function_count + 1, sizeof *connected);
    bool done = connected != NULL;

    for (size_t i = 0; i < graph->shown && done; i++)
        done = dot_node(graph, graph->order[i]);
    done = done && put_edges(graph, connected) && put_rows(graph, connected);
    free(connected);
    return done;
}

static bool put_frame(const struct dot *graph)
{
    bool framed = graph->options->part != NULL;

    if ((framed && !open_frame(graph)) || !put_calls(graph))
        return false;
    if (framed)
        fputs("    }\n", graph->out);
    return true;
}

static bool put_graph(const struct dot *graph, const struct profile *profile)
{
    if (export_is_first(graph->options)) {
        fputs("digraph mcuprof {\n"
              "    graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, "
              "fontcolor=\"#5b6570\", labelloc=b, nodesep=0.3, ranksep=0.45, pad=0.2, "
              "bgcolor=white];\n"
              "    node [fontname=\"Helvetica,Arial,sans-serif\", fontcolor=\"#20262c\", "
              "shape=box, style=\"filled,rounded\", margin=\"0.14,0.08\"];\n"
              "    edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, "
              "fontcolor=\"#5b6570\", arrowsize=0.7];\n",
              graph->out);
        /* frames side by side would be too wide; LR puts them one below the other */
        if (graph->options->part != NULL)
            fputs("    rankdir=LR;\n", graph->out);
        put_title(graph, profile);
    }
    if (!is_left_out(graph->options) && !put_frame(graph))
        return false;
    if (export_is_last(graph->options))
        fputs("}\n", graph->out);
    return true;
}

bool export_dot(FILE *out, const struct profile *profile, const struct analysis *analysis,
                struct image *image, const struct export_options *options,
                struct error *error)
{
    struct dot graph = {
        .out = out, .analysis = analysis, .options = options, .image = image};
    bool done;

    graph.tick_seconds = profile->time.hz > 0 ? 1 / profile->time.hz : 0;
    graph.rate_hz = profile->hz;
    graph.measured = analysis->measured;
    graph.sites = arc_sites(analysis, profile, image);
    done = graph.sites != NULL && graph_init(&graph) && put_graph(&graph, profile);
    free(graph.sites);
    free(graph.order);
    free(graph.show);
    return done || error_no_memory(error);
}
