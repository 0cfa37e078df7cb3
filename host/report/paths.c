/* SPDX-License-Identifier: MIT */
/* The most frequent call paths of samples: among all, and among those that lead to each
 * function. */
#include <stdlib.h>
#include <string.h>

#include "../profile/tasks.h"
#include "columns.h"
#include "report.h"

enum {
    SHARE_COLUMNS = 6,
    GAP = 2,
    EACH_MAX = 3, /* paths shown for each function */
    NAME_LEAST = 16
};

/* A whole path; or the outer part of paths, down to a function's outermost call. */
struct way {
    size_t function; /* NO_FUNCTION: a whole path */
    const struct call_path *path;
    size_t depth; /* number of the path's frames */
    double samples;
};

struct ways {
    const struct report *report;
    struct way *items;
    size_t count;
    size_t time_columns, energy_columns;
};

static int compare_ways(const struct way *a, const struct way *b)
{
    const struct call_path *one = a->path, *other = b->path;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (one->task != other->task)
        return one->task < other->task ? -1 : 1;
    if (one->end != other->end)
        return one->end < other->end ? -1 : 1;
    for (size_t i = 0; i < a->depth && i < b->depth; i++)
        if (one->frames[i] != other->frames[i])
            return one->frames[i] < other->frames[i] ? -1 : 1;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

static int by_way(const void *left, const void *right)
{
    return compare_ways(left, right);
}

static int by_samples(const void *left, const void *right)
{
    const struct way *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    return compare_ways(a, b);
}

static void merge(struct ways *ways)
{
    size_t kept = 0;
    qsort(ways->items, ways->count, sizeof *ways->items, by_way);
    for (size_t i = 0; i < ways->count; i++) {
        if (kept > 0 && compare_ways(&ways->items[kept - 1], &ways->items[i]) == 0)
            ways->items[kept - 1].samples += ways->items[i].samples;
        else
            ways->items[kept++] = ways->items[i];
    }
    ways->count = kept;
    qsort(ways->items, ways->count, sizeof *ways->items, by_samples);
}

/* Whether a path is the program's and goes through the focus. */
static bool is_shown(const struct report *report, const struct call_path *path)
{
    bool shown = report->focus == NULL;
    for (size_t i = 0; i < path->depth && !shown; i++)
        shown = report->focus[report->analysis->frames[path->frames[i]].function];
    return shown && !path->overhead && path->samples > 0;
}

/* ---- One path ---- */

static void put_energy(const struct ways *ways, const struct joules *energy)
{
    const struct report *report = ways->report;
    char text[CELL_TEXT_MAX];
    report_energy(text, sizeof text, report, energy);
    fprintf(report->out, "%*s%s%*s",
            (int)(ways->energy_columns - style_columns(&report->style, text, NULL)), "",
            text, GAP, "");
}

static struct joules energy_of(const struct ways *ways, const struct way *way)
{
    return energy_of_samples(ways->report->energy, ways->report->profile,
                             ways->report->analysis, way->samples, way->path->task);
}

static void put_figures(const struct ways *ways, double samples)
{
    const struct report *report = ways->report;
    const struct analysis *analysis = report->analysis;
    char share[CELL_TEXT_MAX], time[CELL_TEXT_MAX];
    report_share(share, sizeof share, report, samples / analysis->hz, analysis->program);
    report_sampled(time, sizeof time, report, samples / analysis->hz);
    style_tint(&report->style, report->out,
               report_heat(report_percent(samples / analysis->hz, analysis->program)));
    fprintf(report->out, "%*s", SHARE_COLUMNS, share);
    style_tint(&report->style, report->out, TINT_PLAIN);
    fprintf(report->out, "%*s%s%*s",
            (int)(GAP + ways->time_columns - style_columns(&report->style, time, NULL)),
            "", time, GAP, "");
}

/* Puts one of several pieces; if it does not fit, it goes on a new line. */
static size_t put_piece(const struct ways *ways, const char *name, const char *suffix,
                        size_t at, size_t indent)
{
    const struct style *style = &ways->report->style;
    FILE *out = ways->report->out;
    const char *arrow = style->utf8 ? "→ " : "> ";
    size_t columns = style_columns(style, name, NULL), room = SIZE_MAX;
    size_t behind = style_columns(style, suffix, NULL);
    size_t next = indent + GAP + 2; /* column where a piece begins on a new line */
    if (style->width > 0)
        room = next + behind + NAME_LEAST < style->width ? style->width - next - behind
                                                         : NAME_LEAST;
    columns = (columns < room ? columns : room) + behind;
    if (at > indent && style->width > 0 && at + 3 + columns > style->width) {
        fprintf(out, "\n%*s%s", (int)indent + GAP, "", arrow);
        at = next;
    } else if (at > indent) {
        fprintf(out, " %s", arrow);
        at += 3;
    }
    at += style_fit(style, out, name, room, CUT_NAME);
    return at + style_text(style, out, suffix, SIZE_MAX);
}

/* Puts "main → fib ×3 → add (inlined)". */
static void put_way(const struct ways *ways, const struct way *way, size_t indent)
{
    const struct analysis *analysis = ways->report->analysis;
    const uint32_t *frames = way->path->frames;
    const char *times = ways->report->style.utf8 ? "×" : "x";
    char label[TASK_LABEL_MAX], suffix[48];
    size_t at = indent;
    if (ways->report->profile->task_count > 0) {
        task_label(label, ways->report->profile, way->path->task);
        at = put_piece(ways, label, ":", at, indent);
    }
    if (call_path_above(way->path->end) != NULL)
        at = put_piece(ways, call_path_above(way->path->end), "", at, indent);
    for (size_t i = 0, next; i < way->depth; i = next) {
        for (next = i + 1; next < way->depth && frames[next] == frames[i];)
            next++;
        int used =
            snprintf(suffix, sizeof suffix, "%s", frame_suffix(analysis, frames[i]));
        if (next > i + 1)
            snprintf(suffix + used, sizeof suffix - (size_t)used, " %s%zu", times,
                     next - i);
        at = put_piece(ways, frame_name(analysis, frames[i]), suffix, at, indent);
    }
}

static void put_row(const struct ways *ways, const struct way *way)
{
    size_t indent = SHARE_COLUMNS + GAP + ways->time_columns + GAP;
    put_figures(ways, way->samples);
    if (ways->report->energy != NULL) {
        const struct joules energy = energy_of(ways, way);
        put_energy(ways, &energy);
        indent += ways->energy_columns + GAP;
    }
    put_way(ways, way, indent);
    fputc('\n', ways->report->out);
}

static void widen(const struct ways *ways, const char *text, size_t *columns)
{
    size_t wide = style_columns(&ways->report->style, text, NULL);
    if (wide > *columns)
        *columns = wide;
}

/* Finds the columns of the widest time and energy. */
static void measure(struct ways *ways)
{
    char text[CELL_TEXT_MAX];
    for (size_t i = 0; i < ways->count; i++) {
        report_sampled(text, sizeof text, ways->report,
                       ways->items[i].samples / ways->report->analysis->hz);
        widen(ways, text, &ways->time_columns);
        if (ways->report->energy == NULL)
            continue;
        const struct joules energy = energy_of(ways, &ways->items[i]);
        report_energy(text, sizeof text, ways->report, &energy);
        widen(ways, text, &ways->energy_columns);
    }
}

static void title(const struct ways *ways, const char *text, const char *more)
{
    const struct report *report = ways->report;
    const char *unit = report_time_scale(report).unit;
    int columns = (int)style_columns(&report->style, unit, NULL);
    report_title(report, text, "%s, %s one standard error", more,
                 report_plus_minus(report));
    style_tint(&report->style, report->out, TINT_DIM);
    fprintf(report->out, "%*s%*s%s", SHARE_COLUMNS, "%",
            GAP + (int)ways->time_columns - columns, "", unit);
    if (report->energy != NULL) {
        unit = report_energy_scale(report).unit;
        columns = (int)style_columns(&report->style, unit, NULL);
        fprintf(report->out, "%*s%s", GAP + (int)ways->energy_columns - columns, "",
                unit);
    }
    fputs("  call path", report->out);
    style_tint(&report->style, report->out, TINT_PLAIN);
    fputc('\n', report->out);
}

/* ---- All paths ---- */

static bool print_all(const struct report *report, size_t most, struct error *error)
{
    const struct analysis *analysis = report->analysis;
    struct ways ways = {.report = report};
    ways.items = calloc(analysis->path_count + 1, sizeof *ways.items);
    if (ways.items == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    for (size_t i = 0; i < analysis->path_count; i++) {
        const struct call_path *path = &analysis->paths[i];
        if (is_shown(report, path))
            ways.items[ways.count++] =
                (struct way){NO_FUNCTION, path, path->depth, (double)path->samples};
    }
    merge(&ways);
    measure(&ways);
    title(&ways, "Call paths", "measured");
    for (size_t i = 0; i < ways.count && (most == 0 || i < most); i++)
        put_row(&ways, &ways.items[i]);
    if (most > 0)
        report_cut(report, ways.count > most ? ways.count - most : 0, "path", "paths");
    free(ways.items);
    return true;
}

/* ---- The paths to each function ---- */

/* Adds the part of the path that leads to each of its functions: to that function's
 * outermost call. */
static void add_ways(struct ways *ways, const struct call_path *path, size_t *seen,
                     size_t number)
{
    const struct report *report = ways->report;
    for (size_t i = 0; i < path->depth; i++) {
        const struct frame *frame = &report->analysis->frames[path->frames[i]];
        if (frame->inlined != NULL || seen[frame->function] == number ||
            (report->focus != NULL && !report->focus[frame->function]))
            continue;
        seen[frame->function] = number;
        ways->items[ways->count++] =
            (struct way){frame->function, path, i + 1, (double)path->samples};
    }
}

static bool collect_ways(struct ways *ways)
{
    const struct analysis *analysis = ways->report->analysis;
    size_t *seen = calloc(analysis->function_count + 1, sizeof *seen);
    size_t most = 0;
    for (size_t i = 0; i < analysis->path_count; i++)
        most += analysis->paths[i].depth;
    ways->items = calloc(most + 1, sizeof *ways->items);
    bool done = seen != NULL && ways->items != NULL;
    for (size_t i = 0; done && i < analysis->path_count; i++)
        if (is_shown(ways->report, &analysis->paths[i]))
            add_ways(ways, &analysis->paths[i], seen, i + 1);
    if (done)
        merge(ways);
    free(seen);
    return done;
}

static void print_function(const struct ways *ways, const struct function *function,
                           const struct way *first, size_t count)
{
    const struct report *report = ways->report;
    fputc('\n', report->out);
    put_figures(ways, function->total * report->analysis->hz);
    if (report->energy != NULL)
        put_energy(
            ways,
            &report->energy->functions.total[function - report->analysis->functions]);
    style_tint(&report->style, report->out, TINT_BOLD);
    style_text(&report->style, report->out, function->name, SIZE_MAX);
    style_tint(&report->style, report->out, TINT_PLAIN);
    fputc('\n', report->out);
    for (size_t i = 0; i < count && i < EACH_MAX; i++)
        put_row(ways, &first[i]);
    report_cut(report, count > EACH_MAX ? count - EACH_MAX : 0, "path", "paths");
}

struct reached {
    const struct function *function;
    const struct way *first;
    size_t count;
};

static int by_total(const void *left, const void *right)
{
    const struct reached *a = left, *b = right;
    if (a->function->total != b->function->total)
        return a->function->total < b->function->total ? 1 : -1;
    return (a->function > b->function) - (a->function < b->function);
}

static size_t group(const struct ways *ways, struct reached *functions)
{
    const struct analysis *analysis = ways->report->analysis;
    size_t count = 0;
    for (size_t i = 0; i < ways->count; i++) {
        const struct way *way = &ways->items[i];
        if (i == 0 || way->function != way[-1].function)
            functions[count++] =
                (struct reached){&analysis->functions[way->function], way, 0};
        functions[count - 1].count++;
    }
    qsort(functions, count, sizeof *functions, by_total);
    return count;
}

static bool print_each(const struct report *report, struct error *error)
{
    struct ways ways = {.report = report};
    struct reached *functions =
        calloc(report->analysis->function_count + 1, sizeof *functions);
    bool done = functions != NULL && collect_ways(&ways);
    size_t count = done ? group(&ways, functions) : 0;
    size_t shown = report->limit > 0 && report->limit < count ? report->limit : count;
    if (done) {
        measure(&ways);
        title(&ways, "Call paths to each function", "total, measured");
    }
    for (size_t i = 0; i < shown; i++)
        print_function(&ways, functions[i].function, functions[i].first,
                       functions[i].count);
    report_cut(report, count - shown, "function", "functions");
    free(functions);
    free(ways.items);
    return done || error_set(error, EXIT_BAD_INPUT, "out of memory");
}

bool report_top_paths(const struct report *report, size_t most, struct error *error)
{
    return print_all(report, most, error);
}

bool report_paths(const struct report *report, size_t most, struct error *error)
{
    return print_all(report, most, error) && print_each(report, error);
}
