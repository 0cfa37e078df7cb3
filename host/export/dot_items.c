/* SPDX-License-Identifier: MIT */
/* Nodes and edges: their texts, figures and colours. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/path.h"
#include "../base/plural.h"
#include "dot.h"

enum { TOOLTIP_BYTES = 200 };

/* Writes a name inside a quoted string, where \n is a new line of the label. */
bool dot_name(FILE *out, const char *name, size_t most)
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

void dot_duration(FILE *out, double seconds)
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

void dot_ticks(const struct dot *graph, double ticks)
{
    double tick = graph->tick_seconds;

    if (tick > 0)
        dot_duration(graph->out, ticks * tick);
    else
        fprintf(graph->out, "%.6g ticks", ticks);
}

void dot_count(FILE *out, uint64_t number)
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
static double share(const struct dot *graph, double time)
{
    return graph->whole > 0 ? fmin(fmax(time / graph->whole, 0), 1) : 0;
}

/* Writes a node's name. A function has a node for each task that ran it. */
static void put_id(const struct dot *graph, size_t function)
{
    if (graph->options->part != NULL)
        fprintf(graph->out, "t%zu", graph->options->part->number);
    fprintf(graph->out, "f%zu", function);
}

void dot_ends(const struct dot *graph, size_t caller, size_t callee)
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

/* Whether a function is the profiler's own, or runs while the processor is idle. */
static bool is_no_load(const struct dot *graph, const struct function *function)
{
    const struct task_sum *task = export_task(graph->options);

    return function->overhead || (task != NULL && task->idle);
}

/* Writes a line of a node's label: the kind of time, the share and the time. */
static void put_time(const struct dot *graph, const struct function *function,
                     const char *what, double time)
{
    bool shares = !function->overhead && graph->whole > 0;

    fprintf(graph->out, "\\n%s", what);
    if (shares)
        fprintf(graph->out, "%.1f %%", 100 * share(graph, time));
    if (graph->analysis->has_time) {
        fputs(shares ? ", " : "", graph->out);
        dot_duration(graph->out, time);
    }
}

static void put_calls(const struct dot *graph, uint64_t calls)
{
    dot_count(graph->out, calls);
    fputs(calls == 1 ? " call" : " calls", graph->out);
}

static void put_node_figures(const struct dot *graph, const struct function *function)
{
    if (function->overhead) {
        put_time(graph, function, graph->analysis->has_time ? "profiler, " : "profiler",
                 function->self);
    } else if (function->children > 0) {
        put_time(graph, function, "self ", function->self);
        put_time(graph, function, "total ", dot_spent(graph->analysis, function).total);
    } else if (function->self > 0) {
        put_time(graph, function, "", function->self);
    }
    if (!graph->analysis->has_samples && function->calls > 0) {
        fputs("\\n", graph->out);
        put_calls(graph, function->calls);
    }
}

/* Writes calls, total and self, as call-site graphs of sensor nodes show them. */
static void put_timed_figures(const struct dot *graph, const struct function *function)
{
    const struct timed *timed = function->timed;

    if (timed->calls + timed->recursive == 0)
        return;
    fputs("\\n", graph->out);
    put_calls(graph, timed->calls + timed->recursive);
    if (timed->calls > 0) {
        fputs("\\ntotal ", graph->out);
        dot_ticks(graph, (double)timed->total);
    }
    fputs("\\nself ", graph->out);
    dot_ticks(graph, (double)timed->self);
}

/* Writes how long single calls took: min, mean and max. Single calls are not known where
 * the profiler's cost was put back. */
static void put_singles(const struct dot *graph, uint64_t shortest, double mean,
                        uint64_t longest)
{
    if (longest == 0)
        return;
    fputs("\\nmin ", graph->out);
    dot_ticks(graph, (double)shortest);
    fputs(", mean ", graph->out);
    dot_ticks(graph, mean);
    fputs(", max ", graph->out);
    dot_ticks(graph, (double)longest);
}

/* Writes from how short to how long they are, if that is not nearly the same. */
static void put_range(const struct dot *graph, const char *before, uint64_t shortest,
                      uint64_t longest)
{
    if ((double)longest <= 1.005 * (double)shortest)
        return;
    fputs(before, graph->out);
    dot_ticks(graph, (double)shortest);
    fputs(" to ", graph->out);
    dot_ticks(graph, (double)longest);
}

static void put_timed(const struct dot *graph, const struct timed *timed)
{
    if (timed->calls > 1)
        put_singles(graph, timed->shortest, (double)timed->total / (double)timed->calls,
                    timed->longest);
}

/* Writes the file and line of a place, if they are known, behind `before`. */
static bool put_place(const struct dot *graph, const char *before,
                      const struct image_line *place)
{
    if (place->file == NULL)
        return true;
    fputs(before, graph->out);
    if (!dot_name(graph->out, path_tail(place->file, 1), LABEL_BYTES))
        return false;
    fprintf(graph->out, ":%u", place->line);
    return true;
}

/* The name of a function in a tooltip. */
static bool put_tooltip_name(const struct dot *graph, size_t function)
{
    return dot_name(graph->out, graph->analysis->functions[function].name, TOOLTIP_BYTES);
}

/* Begins the tooltip of an edge and of its label. */
static bool put_ends(const struct dot *graph, size_t caller, size_t callee)
{
    if (!put_tooltip_name(graph, caller))
        return false;
    fputs(" \xe2\x86\x92 ", graph->out); /* an arrow */
    return put_tooltip_name(graph, callee);
}

static void put_figures(const struct dot *graph, const struct function *function)
{
    if (graph->analysis->timed.known)
        put_timed_figures(graph, function);
    else
        put_node_figures(graph, function);
}

static bool put_node_tooltip(const struct dot *graph, size_t index,
                             const struct image_line *place)
{
    const struct function *function = &graph->analysis->functions[index];
    uint64_t calls = function->calls + function->self_calls;

    if (!put_tooltip_name(graph, index) || !put_place(graph, "\\n", place))
        return false;
    if (calls > 0 && !graph->analysis->timed.known && graph->analysis->has_samples) {
        fputs("\\n", graph->out);
        put_calls(graph, calls);
    }
    put_figures(graph, function);
    put_timed(graph, function->timed);
    return true;
}

bool dot_node(const struct dot *graph, size_t index)
{
    const struct function *function = &graph->analysis->functions[index];
    struct image_line place = export_place(graph->image, function);
    struct dot_spent spent = dot_spent(graph->analysis, function);
    double self = is_no_load(graph, function) ? 0 : share(graph, spent.self);
    double total = is_no_load(graph, function) ? 0 : share(graph, spent.total);

    fputs("    ", graph->out);
    put_id(graph, index);
    fputs(" [label=\"", graph->out);
    if (!dot_name(graph->out, function->name, LABEL_BYTES))
        return false;
    if (function->cycle != NO_CYCLE)
        fprintf(graph->out, "\\n(cycle %u)", function->cycle);
    if (!put_place(graph, "\\n", &place))
        return false;
    put_figures(graph, function);
    put_range(graph, "\\n", function->timed->shortest, function->timed->longest);
    fputs("\", tooltip=\"", graph->out);
    if (!put_node_tooltip(graph, index, &place))
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

/* Writes how many calls were made, and from how many places. */
static bool put_edge_tooltip(const struct dot *graph, const struct arc *arc)
{
    uint32_t sites = graph->sites[arc - graph->analysis->arcs];

    fputs("\", tooltip=\"", graph->out);
    if (!put_ends(graph, arc->caller, arc->callee))
        return false;
    if (arc->count > 0) {
        fputs("\\n", graph->out);
        put_calls(graph, arc->count);
        if (sites > 0)
            fprintf(graph->out, " from %u site%s", sites, plural(sites));
    }
    return true;
}

bool dot_edge(const struct dot *graph, const struct arc *arc)
{
    double part = share(graph, arc->self + arc->children);

    dot_ends(graph, arc->caller, arc->callee);
    fputs(" [label=\"" BESIDE, graph->out);
    if (arc->count > 0) {
        dot_count(graph->out, arc->count);
        fputs("\xc3\x97", graph->out); /* times */
    }
    if (part > 0)
        fprintf(graph->out, "%s%.1f %%", arc->count > 0 ? "\\n" BESIDE : "", 100 * part);
    if (part > 0 && graph->analysis->measured && graph->analysis->has_time) {
        fputs(", ", graph->out);
        dot_duration(graph->out, arc->self + arc->children);
    }
    if (!put_edge_tooltip(graph, arc))
        return false;
    fprintf(graph->out, "\", penwidth=%.2f, weight=%ld", 1 + 4 * part,
            1 + lrint(99 * part));
    put_colour(graph->out, "color", heat(part, lines, LINES));
    fputs(arc->interrupt ? ", style=dashed];\n" : "];\n", graph->out);
    return true;
}

/* How many call sites lead from a function to another. */
static unsigned sites_between(const struct dot *graph, size_t caller, size_t callee)
{
    const struct analysis *analysis = graph->analysis;
    const struct function *from = &analysis->functions[caller];

    for (uint32_t i = from->first_out; i < from->first_out + from->outs; i++) {
        if (analysis->arcs[i].callee == callee)
            return graph->sites[i];
    }
    return 1;
}

static bool put_site_tooltip(const struct dot *graph, const struct call_site *site,
                             const struct image_line *place)
{
    unsigned sites = sites_between(graph, site->caller, site->callee);

    fputs("\", tooltip=\"", graph->out);
    if (!put_ends(graph, site->caller, site->callee) || !put_place(graph, "\\n", place))
        return false;
    fputs("\\n", graph->out);
    put_calls(graph, site->count);
    if (sites > 1)
        fprintf(graph->out, " from one of %u sites", sites);
    if (!site->scaled && site->count > 1)
        put_singles(graph, site->took.shortest,
                    (double)site->took.total / (double)site->count, site->took.longest);
    return true;
}

/* Writes an edge for a call site: its line, its calls and their mean time. */
bool dot_site(const struct dot *graph, const struct call_site *site)
{
    struct image_line place = export_call_site(graph->image, site);
    double part = site->recursive ? 0 : share(graph, (double)site->took.total);

    dot_ends(graph, site->caller, site->callee);
    fputs(" [label=\"" BESIDE, graph->out);
    if (!put_place(graph, "", &place))
        return false;
    fputs(place.file != NULL ? "\\n" BESIDE : "", graph->out);
    dot_count(graph->out, site->count);
    fputs("\xc3\x97 ", graph->out); /* times */
    dot_ticks(graph, (double)site->took.total / (double)site->count);
    if (!site->scaled)
        put_range(graph, "\\n" BESIDE, site->took.shortest, site->took.longest);
    if (!put_site_tooltip(graph, site, &place))
        return false;
    fprintf(graph->out, "\", penwidth=%.2f, weight=%ld", 1 + 4 * part,
            1 + lrint(99 * part));
    put_colour(graph->out, "color", heat(part, lines, LINES));
    fputs("];\n", graph->out);
    return true;
}
