/* SPDX-License-Identifier: MIT */
/*
 * The call graph for graphviz: the functions with the most time (then with the most
 * calls) and the calls between them. A node's fill, from cool to hot, shows its self
 * share of the time, its frame the total share. An edge is as wide as the share of the
 * time that passes along it, which call paths measure. Timed calls measure all of this,
 * and each call site has an edge. Each task and interrupt has a frame of its own with
 * the functions that it ran.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"

enum {
    LABEL_BYTES = 48,
    TOOLTIP_BYTES = 200,
    ROW = 5 /* nodes without edges side by side */
};

struct graph {
    FILE *out;
    const struct analysis *analysis;
    const struct export_options *options;
    struct image *image;
    double whole;        /* the time that is 100 %, as in struct spent; 0: unknown */
    double rate_hz;      /* the rate of samples; 0: not known */
    bool measured;       /* call paths measured some of the totals */
    double tick_seconds; /* the time base's tick; 0: unknown */
    size_t *order;       /* function indices; those that are shown come first */
    size_t shown;
    bool *show; /* by function */
};

/* Times of timed calls are in ticks, others in seconds. */
struct spent {
    double self, total;
};

static struct spent spent_in(const struct analysis *analysis,
                             const struct function *function)
{
    double self = (double)function->timed->self;

    return analysis->timed.known
               ? (struct spent){self, self + (double)function->timed->children}
               : (struct spent){function->self, function->total};
}

static double total_time(const struct analysis *analysis, const struct function *function)
{
    return spent_in(analysis, function).total;
}

static int by_weight(const void *left, const void *right, void *context)
{
    const struct analysis *analysis = context;
    const size_t *a = left, *b = right;
    const struct function *one = &analysis->functions[*a],
                          *other = &analysis->functions[*b];

    double first = total_time(analysis, one), second = total_time(analysis, other);

    if (first != second)
        return first > second ? -1 : 1;
    if (one->calls != other->calls)
        return one->calls > other->calls ? -1 : 1;
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

/* How many functions this task may show: the tasks share the limit, the busiest come
 * first; 0: all. */
static size_t most_shown(const struct export_options *options)
{
    size_t limit = options->limit;

    if (limit > 0 && options->part != NULL)
        limit =
            limit > options->part->tasks->count ? limit / options->part->tasks->count : 1;
    return limit;
}

/* Whether the limit is used up before this task: there are no more frames than functions.
 */
static bool is_left_out(const struct export_options *options)
{
    return options->part != NULL && options->limit > 0 &&
           options->part->number >= options->limit;
}

static bool graph_init(struct graph *graph)
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
    qsort_r(graph->order, count, sizeof *graph->order, by_weight, (void *)analysis);
    graph->shown = limit == 0 || limit > count ? count : limit;
    for (size_t i = 0; i < graph->shown; i++)
        graph->show[graph->order[i]] = true;
    return true;
}

/* Writes a name inside a quoted string, where \n is a new line of the label. */
static bool put_name(FILE *out, const char *name, size_t most)
{
    char *text = export_text(name, most);

    if (text == NULL)
        return false;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            putc('\\', out);
        putc(*c, out);
    }
    free(text);
    return true;
}

static void put_duration(FILE *out, double seconds)
{
    if (seconds >= 1 || seconds <= 0)
        fprintf(out, "%.3g s", seconds);
    else if (seconds >= 1e-3)
        fprintf(out, "%.3g ms", seconds * 1e3);
    else if (seconds >= 1e-6)
        fprintf(out, "%.3g \xc2\xb5s", seconds * 1e6);
    else
        fprintf(out, "%.3g ns", seconds * 1e9);
}

static void put_ticks(const struct graph *graph, double ticks)
{
    double tick = graph->tick_seconds;

    if (tick > 0)
        put_duration(graph->out, ticks * tick);
    else
        fprintf(graph->out, "%.6g ticks", ticks);
}

static void put_count(FILE *out, uint64_t number)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);

    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            putc(',', out);
        putc(digits[i], out);
    }
}

/* The share of the time, between 0 and 1. */
static double share(const struct graph *graph, double time)
{
    return graph->whole > 0 ? fmin(fmax(time / graph->whole, 0), 1) : 0;
}

/* Writes a node's name. A function has a node for each task that ran it. */
static void put_id(const struct graph *graph, size_t function)
{
    if (graph->options->part != NULL)
        fprintf(graph->out, "t%zu", graph->options->part->number);
    fprintf(graph->out, "f%zu", function);
}

static void put_ends(const struct graph *graph, size_t caller, size_t callee)
{
    fputs("    ", graph->out);
    put_id(graph, caller);
    fputs(" -> ", graph->out);
    put_id(graph, callee);
}

struct colour {
    double red, green, blue;
};

/* A colour of the scale. The square root makes small shares visible. */
static struct colour heat(double part, const struct colour *scale, size_t colours)
{
    double at = sqrt(part) * (double)(colours - 1);
    size_t low = (size_t)at < colours - 1 ? (size_t)at : colours - 2;
    double rest = at - (double)low;
    const struct colour *a = &scale[low], *b = &scale[low + 1];

    return (struct colour){a->red + rest * (b->red - a->red),
                           a->green + rest * (b->green - a->green),
                           a->blue + rest * (b->blue - a->blue)};
}

static void put_colour(FILE *out, const char *attribute, struct colour colour)
{
    fprintf(out, ", %s=\"#%02x%02x%02x\"", attribute, (unsigned)lrint(colour.red),
            (unsigned)lrint(colour.green), (unsigned)lrint(colour.blue));
}

static const struct colour fills[] = {
    {243, 246, 249}, {254, 240, 217}, {253, 204, 150}, {246, 148, 110}, {226, 92, 84},
};
static const struct colour lines[] = {{176, 186, 196}, {201, 140, 92}, {176, 52, 48}};
static const struct colour grey = {226, 228, 232};
enum { FILLS = sizeof fills / sizeof fills[0], LINES = sizeof lines / sizeof lines[0] };

/* Whether a function is the profiler's own, or runs while there is nothing to do. */
static bool is_no_load(const struct graph *graph, const struct function *function)
{
    const struct task_sum *task = export_task(graph->options);

    return function->overhead || (task != NULL && task->idle);
}

/* Writes a line of a node's label: the kind of time, the share and the time. */
static void put_time(const struct graph *graph, const struct function *function,
                     const char *what, double time)
{
    bool shares = !function->overhead && graph->whole > 0;

    fprintf(graph->out, "\\n%s", what);
    if (shares)
        fprintf(graph->out, "%.1f %%", 100 * share(graph, time));
    if (graph->analysis->has_time) {
        fputs(shares ? ", " : "", graph->out);
        put_duration(graph->out, time);
    }
}

static void put_node_figures(const struct graph *graph, const struct function *function)
{
    if (function->overhead) {
        put_time(graph, function, graph->analysis->has_time ? "profiler, " : "profiler",
                 function->self);
    } else if (function->children > 0) {
        put_time(graph, function, "self ", function->self);
        put_time(graph, function, "total ", total_time(graph->analysis, function));
    } else if (function->self > 0) {
        put_time(graph, function, "", function->self);
    }
    if (!graph->analysis->has_samples && function->calls > 0) {
        fputs("\\n", graph->out);
        put_count(graph->out, function->calls);
        fputs(function->calls == 1 ? " call" : " calls", graph->out);
    }
}

/* Writes calls, total and self, as call-site graphs of sensor nodes show them. */
static void put_timed_figures(const struct graph *graph, const struct function *function)
{
    const struct timed *timed = function->timed;

    if (timed->calls + timed->recursive == 0)
        return;
    fputs("\\n", graph->out);
    put_count(graph->out, timed->calls + timed->recursive);
    fputs(timed->calls + timed->recursive == 1 ? " call" : " calls", graph->out);
    if (timed->calls > 0) {
        fputs("\\ntotal ", graph->out);
        put_ticks(graph, (double)timed->total);
    }
    fputs("\\nself ", graph->out);
    put_ticks(graph, (double)timed->self);
}

static bool put_node(const struct graph *graph, size_t index)
{
    const struct function *function = &graph->analysis->functions[index];
    struct spent spent = spent_in(graph->analysis, function);
    double self = is_no_load(graph, function) ? 0 : share(graph, spent.self);
    double total = is_no_load(graph, function) ? 0 : share(graph, spent.total);

    fputs("    ", graph->out);
    put_id(graph, index);
    fputs(" [label=\"", graph->out);
    if (!put_name(graph->out, function->name, LABEL_BYTES))
        return false;
    if (function->cycle != NO_CYCLE)
        fprintf(graph->out, "\\n(cycle %u)", function->cycle);
    if (graph->analysis->timed.known)
        put_timed_figures(graph, function);
    else
        put_node_figures(graph, function);
    fputs("\", tooltip=\"", graph->out);
    if (!put_name(graph->out, function->name, TOOLTIP_BYTES))
        return false;
    fprintf(graph->out, "\", fontsize=%.1f, penwidth=%.2f", 11 + 5 * sqrt(self),
            1 + 1.5 * total);
    put_colour(graph->out, "fillcolor",
               is_no_load(graph, function) ? grey : heat(self, fills, FILLS));
    put_colour(graph->out, "color", heat(total, lines, LINES));
    fputs("];\n", graph->out);
    return true;
}

/* No-break spaces keep an edge's label off a thick line. */
#define BESIDE "\xc2\xa0\xc2\xa0"

static void put_edge(const struct graph *graph, const struct arc *arc)
{
    double part = share(graph, arc->self + arc->children);

    put_ends(graph, arc->caller, arc->callee);
    fputs(" [label=\"" BESIDE, graph->out);
    if (arc->count > 0) {
        put_count(graph->out, arc->count);
        fputs("\xc3\x97", graph->out); /* times */
    }
    if (part > 0)
        fprintf(graph->out, "%s%.1f %%", arc->count > 0 ? "\\n" BESIDE : "", 100 * part);
    if (part > 0 && graph->analysis->measured && graph->analysis->has_time) {
        fputs(", ", graph->out);
        put_duration(graph->out, arc->self + arc->children);
    }
    fprintf(graph->out, "\", penwidth=%.2f, weight=%ld", 1 + 4 * part,
            1 + lrint(99 * part));
    put_colour(graph->out, "color", heat(part, lines, LINES));
    fputs(arc->interrupt ? ", style=dashed];\n" : "];\n", graph->out);
}

/* Writes an edge for a call site: its line, its calls and their mean time. */
static bool put_site(const struct graph *graph, const struct call_site *site)
{
    struct image_line place = export_call_site(graph->image, site->from);
    const char *file = place.file != NULL ? strrchr(place.file, '/') : NULL;
    double part = site->recursive ? 0 : share(graph, (double)site->took.total);

    put_ends(graph, site->caller, site->callee);
    fputs(" [label=\" ", graph->out);
    if (place.file != NULL) {
        if (!put_name(graph->out, file != NULL ? file + 1 : place.file, LABEL_BYTES))
            return false;
        fprintf(graph->out, ":%u\\n ", place.line);
    }
    put_count(graph->out, site->count);
    fputs("\xc3\x97 ", graph->out); /* times */
    put_ticks(graph, (double)site->took.total / (double)site->count);
    fprintf(graph->out, "\", penwidth=%.2f, weight=%ld", 1 + 4 * part,
            1 + lrint(99 * part));
    put_colour(graph->out, "color", heat(part, lines, LINES));
    fputs("];\n", graph->out);
    return true;
}

static void put_left_out(const struct graph *graph)
{
    size_t all = graph->analysis->function_count, left_out = all - graph->shown;

    if (left_out > 0)
        fprintf(graph->out,
                "\\n%zu of %zu functions are left out: those with least time.", left_out,
                all);
}

static void put_number(const struct graph *graph, uint64_t number, const char *what)
{
    put_count(graph->out, number);
    fprintf(graph->out, " %s%s", what, number == 1 ? "" : "s");
}

static void put_samples(const struct graph *graph, uint64_t samples)
{
    put_number(graph, samples, "sample");
    if (graph->rate_hz > 0) {
        fprintf(graph->out, " at %g Hz: ", graph->rate_hz);
        put_duration(graph->out, (double)samples / graph->analysis->hz);
    }
    if (graph->measured)
        fputs(". All is measured, by the call paths of the samples.", graph->out);
    else
        fputs(". Self is measured; total, and what passes along a call, is estimated "
              "from the calls.",
              graph->out);
}

/* Writes the title of the graph, or of a task's frame. */
static void put_title(const struct graph *graph, const struct profile *profile)
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
        put_number(graph, tasks != NULL ? tasks->calls : profile->received[EVENT_CALL],
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

static bool is_shown(const struct graph *graph, size_t caller, size_t callee)
{
    return caller != NO_FUNCTION && graph->show[caller] && graph->show[callee];
}

/* Marks functions with an edge to or from another one. */
static void connect(bool *connected, size_t caller, size_t callee)
{
    if (caller != callee)
        connected[caller] = connected[callee] = true;
}

static bool put_edges(const struct graph *graph, bool *connected)
{
    const struct analysis *analysis = graph->analysis;

    for (size_t i = 0; i < analysis->site_count; i++) {
        const struct call_site *site = &analysis->sites[i];

        if (!is_shown(graph, site->caller, site->callee))
            continue;
        if (!put_site(graph, site))
            return false;
        connect(connected, site->caller, site->callee);
    }
    for (size_t i = 0; i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];

        if (analysis->timed.known && arc->count == 0)
            continue; /* known only from samples */
        if (arc->times != NULL || !is_shown(graph, arc->caller, arc->callee))
            continue;
        put_edge(graph, arc);
        connect(connected, arc->caller, arc->callee);
    }
    return true;
}

/* graphviz puts nodes without edges side by side, in one row or column however many there
 * are. Edges that nobody sees make several of it. */
static bool put_rows(const struct graph *graph, const bool *connected)
{
    size_t *alone = calloc(graph->shown + 1, sizeof *alone), count = 0;

    if (alone == NULL)
        return false;
    for (size_t i = 0; i < graph->shown; i++)
        if (!connected[graph->order[i]])
            alone[count++] = graph->order[i];
    /* edges lead to the right in a task's frame, else down */
    size_t row = graph->options->part != NULL ? ROW : (count + ROW - 1) / ROW;

    for (size_t i = 1; i < count; i++)
        if (i % row != 0) {
            put_ends(graph, alone[i - 1], alone[i]);
            fputs(" [style=invis];\n", graph->out);
        }
    free(alone);
    return true;
}

/* Writes the label of a task's frame: its name and what `report --by task` says of it. */
static bool put_task_label(const struct graph *graph, const struct task_sum *task)
{
    const struct task_sums *tasks = graph->options->part->tasks;

    fputs("        label=\"", graph->out);
    if (!put_name(graph->out, task->label, LABEL_BYTES))
        return false;
    if (task->idle)
        fputs(" (idle)", graph->out);
    if (task->runs > 0) {
        fprintf(graph->out, "\\n%.1f %%, ",
                100 * (double)task->time.total / fmax((double)tasks->time, 1));
        put_ticks(graph, (double)task->time.total);
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
static bool open_frame(const struct graph *graph)
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

static bool put_calls(const struct graph *graph)
{
    bool *connected = calloc(graph->analysis->function_count + 1, sizeof *connected);
    bool done = connected != NULL;

    for (size_t i = 0; i < graph->shown && done; i++)
        done = put_node(graph, graph->order[i]);
    done = done && put_edges(graph, connected) && put_rows(graph, connected);
    free(connected);
    return done;
}

static bool put_frame(const struct graph *graph)
{
    bool framed = graph->options->part != NULL;

    if ((framed && !open_frame(graph)) || !put_calls(graph))
        return false;
    if (framed)
        fputs("    }\n", graph->out);
    return true;
}

static bool put_graph(const struct graph *graph, const struct profile *profile)
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
        /* frames side by side would be too wide; with LR they are one below the other */
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
    struct graph graph = {
        .out = out, .analysis = analysis, .options = options, .image = image};
    bool done;

    graph.tick_seconds = profile->time.hz > 0 ? 1 / profile->time.hz : 0;
    graph.rate_hz = profile->hz;
    graph.measured = analysis->measured;
    done = graph_init(&graph) && put_graph(&graph, profile);
    free(graph.order);
    free(graph.show);
    return done || export_no_memory(error);
}
