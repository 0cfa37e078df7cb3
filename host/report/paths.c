/* SPDX-License-Identifier: MIT */
/* The most frequent call paths of samples: among all, and among those that lead to each
 * function. */
#include <stdlib.h>
#include <string.h>

#include "../analysis/frame_tree.h"
#include "../base/compare.h"
#include "columns.h"
#include "report.h"

enum {
    SHARE_COLUMNS = 6,
    GAP = 2,
    EACH_MAX = 3, /* paths shown for each function */
    NAME_LEAST = 16,
    FOLD_LEAST = 3, /* frames, and paths that share them, before they are folded */
    LINES_MOST = 2, /* of a usual path, on a terminal */
};

/* The way from the root to a node: a whole path; or the outer part of paths, down to a
 * function's outermost call. */
struct way {
    size_t function; /* NO_FUNCTION: a whole path */
    size_t node;
    double samples;
};

/* A function of a path, or several of them that are put as one. */
struct piece {
    const char *name;
    char suffix[48];
    bool task; /* no function: no arrow stands behind it */
};

struct ways {
    const struct report *report;
    const struct frame_tree *tree;
    struct way *items;
    size_t count;
    size_t fold;    /* the node whose way from the root is put once; 0: none */
    uint32_t *path; /* room for the deepest one, in nodes and in pieces */
    struct piece *pieces;
    size_t time_columns, energy_columns;
};

/* Makes room for all that is found and put; release it in any case. */
static bool ways_init(struct ways *ways)
{
    const struct frame_tree *tree = ways->tree;
    ways->items = calloc(tree->count, sizeof *ways->items);
    ways->path = calloc(tree->depth + 1, sizeof *ways->path);
    ways->pieces = calloc(tree->depth + 2, sizeof *ways->pieces);
    return ways->items != NULL && ways->path != NULL && ways->pieces != NULL;
}

static void ways_release(struct ways *ways)
{
    free(ways->items);
    free(ways->path);
    free(ways->pieces);
}

static int by_samples(const void *left, const void *right)
{
    const struct way *a = left, *b = right;
    ORDER_BY(a->function, b->function);
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Whether the report shows what goes through that node. */
static bool is_focus(const struct ways *ways, size_t node)
{
    const struct tree_frame *frame = tree_frame(ways->tree, node);
    return frame->kind == TREE_FUNCTION &&
           (ways->report->focus == NULL || ways->report->focus[frame->number]);
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
    size_t task = frame_tree_above(ways->tree, way->node, TREE_TASK);
    return energy_of_samples(
        ways->report->energy, ways->report->profile, ways->report->analysis, way->samples,
        task != 0 ? tree_frame(ways->tree, task)->number : TASK_NONE);
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

/* Columns of a piece of a path that begins on a new line at `next` where it does not fit;
 * *room: those of its name. */
static size_t piece_columns(const struct ways *ways, const struct piece *piece,
                            size_t next, size_t *room)
{
    const struct style *style = &ways->report->style;
    size_t columns = style_columns(style, piece->name, NULL);
    size_t behind = style_columns(style, piece->suffix, NULL);
    *room = style->width == 0                           ? SIZE_MAX
            : next + behind + NAME_LEAST < style->width ? style->width - next - behind
                                                        : NAME_LEAST;
    return (columns < *room ? columns : *room) + behind;
}

/* Puts the pieces of a path, those that do not fit on new lines; or puts none, and only
 * counts the lines, which it returns. */
static size_t put_pieces(const struct ways *ways, size_t count, size_t indent, bool put)
{
    const struct style *style = &ways->report->style;
    FILE *out = ways->report->out;
    const char *arrow = style->utf8 ? "→ " : "> ";
    size_t next = indent + GAP + 2; /* column where a piece begins on a new line */
    size_t lines = 1, at = indent;
    for (size_t i = 0, room; i < count; i++) {
        const struct piece *piece = &ways->pieces[i];
        size_t columns = piece_columns(ways, piece, next, &room);
        size_t before = i == 0 ? 0 : ways->pieces[i - 1].task ? 1 : 3;
        bool new_line = i > 0 && style->width > 0 && at + before + columns > style->width;
        if (put && new_line)
            fprintf(out, "\n%*s%s", (int)indent + GAP, "", arrow);
        else if (put && i > 0)
            fprintf(out, " %s", before > 1 ? arrow : "");
        if (put) {
            style_fit(style, out, piece->name, room, CUT_NAME);
            style_text(style, out, piece->suffix, SIZE_MAX);
        }
        lines += new_line;
        at = (new_line ? next : at + before) + columns;
    }
    return lines;
}

/* Makes the pieces of the way to a node: "main", "fib" with " ×3", "add" with "
 * (inlined)". What is folded is one piece, unless `whole`. Returns how many there are. */
static size_t make_pieces(const struct ways *ways, size_t node, bool whole)
{
    const struct frame_tree *tree = ways->tree;
    const struct style *style = &ways->report->style;
    size_t depth = frame_tree_path(tree, node, ways->path), count = 0, i = 0;
    size_t folded = tree->nodes[ways->fold].depth;
    if (!whole && folded > 0 && depth > folded && ways->path[folded - 1] == ways->fold) {
        ways->pieces[count++] = (struct piece){.name = style->utf8 ? "…" : "..."};
        i = folded;
    }
    for (size_t next; i < depth; i = next) {
        const struct tree_frame *frame = tree_frame(tree, ways->path[i]);
        struct piece *piece = &ways->pieces[count++];
        for (next = i + 1; next < depth; next++)
            if (tree_frame(tree, ways->path[next]) != frame)
                break;
        piece->name = frame->name;
        piece->task = frame->kind == TREE_TASK;
        int used = snprintf(piece->suffix, sizeof piece->suffix, "%s",
                            piece->task ? ":" : tree_suffix(frame));
        if (next > i + 1)
            snprintf(piece->suffix + used, sizeof piece->suffix - (size_t)used, " %s%zu",
                     style->utf8 ? "×" : "x", next - i);
    }
    return count;
}

/* Where a path takes more lines than are usual, one piece stands for some in its middle.
 * Returns how many pieces are left. */
static size_t shorten(const struct ways *ways, size_t count, size_t indent)
{
    size_t first = ways->fold > 0 ? 2 : 1; /* the one after it is replaced */
    struct piece *gap = &ways->pieces[first];
    if (ways->report->rest == NULL)
        return count;
    for (size_t left_out = 0;
         put_pieces(ways, count, indent, false) > LINES_MOST && first + 2 < count;
         count--) {
        left_out += left_out > 0 ? 1 : 2;
        *gap = (struct piece){.name = ""};
        snprintf(gap->suffix, sizeof gap->suffix, "(%zu more)", left_out);
        memmove(gap + 1, gap + 2, (count - first - 2) * sizeof *gap);
    }
    return count;
}

/* Puts "main → fib ×3 → add (inlined)". */
static void put_way(const struct ways *ways, size_t node, bool whole, size_t indent)
{
    size_t count = make_pieces(ways, node, whole);
    count = shorten(ways, count, indent);
    put_pieces(ways, count, indent, true);
}

/* Columns before a path. */
static size_t path_indent(const struct ways *ways)
{
    size_t indent = SHARE_COLUMNS + GAP + ways->time_columns + GAP;
    return ways->report->energy != NULL ? indent + ways->energy_columns + GAP : indent;
}

static void put_row(const struct ways *ways, const struct way *way)
{
    put_figures(ways, way->samples);
    if (ways->report->energy != NULL) {
        const struct joules energy = energy_of(ways, way);
        put_energy(ways, &energy);
    }
    put_way(ways, way->node, false, path_indent(ways));
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

/* Counts for each node how many of the first paths lead on from there; not at a node in a
 * run of one function, which is put as one piece. */
static void count_below(const struct ways *ways, size_t shown, size_t *below)
{
    const struct tree_node *nodes = ways->tree->nodes;
    for (size_t i = 0; i < shown; i++) {
        size_t node = ways->items[i].node;
        for (size_t at = nodes[node].parent; at != 0; node = at, at = nodes[at].parent)
            below[at] += nodes[at].frame != nodes[node].frame;
    }
}

/* Finds the begin that half of the first paths or more share, and which saves most if it
 * is put once. false: out of memory. */
static bool find_fold(struct ways *ways, size_t shown)
{
    const struct tree_node *nodes = ways->tree->nodes;
    size_t *below = calloc(ways->tree->count, sizeof *below), best = 0;
    if (below == NULL)
        return false;
    count_below(ways, shown, below);
    for (size_t i = 1; i < ways->tree->count; i++) {
        size_t saved = below[i] > 0 ? (below[i] - 1) * nodes[i].depth : 0;
        if (saved > best && below[i] >= FOLD_LEAST && 2 * below[i] >= shown &&
            nodes[i].depth >= FOLD_LEAST) {
            best = saved;
            ways->fold = i;
        }
    }
    free(below);
    return true;
}

/* Puts what is folded: "… = main → run". */
static void put_fold(const struct ways *ways)
{
    const struct report *report = ways->report;
    size_t indent = path_indent(ways);
    const char *dots = report->style.utf8 ? "… = " : "... = ";
    style_tint(&report->style, report->out, TINT_DIM);
    fprintf(report->out, "%*s%s", (int)indent, "", dots);
    put_way(ways, ways->fold, true, indent + style_columns(&report->style, dots, NULL));
    style_tint(&report->style, report->out, TINT_PLAIN);
    fputc('\n', report->out);
}

/* Adds the nodes in which paths end, and that have or are below the focus. */
static void add_whole(struct ways *ways)
{
    const struct frame_tree *tree = ways->tree;
    size_t shown = 0; /* the end of what is below the focus */
    for (size_t i = 1; i < tree->count; i++) {
        if (tree_frame(tree, i)->kind == TREE_PROFILER) {
            i = tree->nodes[i].end - 1;
            continue;
        }
        if (i >= shown && (ways->report->focus == NULL || is_focus(ways, i)))
            shown = tree->nodes[i].end;
        if (i < shown && tree->nodes[i].self > 0)
            ways->items[ways->count++] =
                (struct way){NO_FUNCTION, i, (double)tree->nodes[i].self};
    }
}

static bool print_all(const struct report *report, const struct frame_tree *tree,
                      size_t most)
{
    struct ways ways = {.report = report, .tree = tree};
    bool done = ways_init(&ways);
    size_t shown = 0;
    if (done) {
        add_whole(&ways);
        qsort(ways.items, ways.count, sizeof *ways.items, by_samples);
        shown = most > 0 && most < ways.count ? most : ways.count;
        done = report->rest == NULL || find_fold(&ways, shown);
    }
    if (done) {
        measure(&ways);
        title(&ways, "Call paths", "measured");
        if (ways.fold > 0)
            put_fold(&ways);
        for (size_t i = 0; i < shown; i++)
            put_row(&ways, &ways.items[i]);
        report_cut(report, ways.count - shown, "path", "paths");
    }
    ways_release(&ways);
    return done;
}

/* ---- The paths to each function ---- */

/* Adds the outermost calls of each function: the nodes with nothing of it above them. */
static bool collect_ways(struct ways *ways)
{
    const struct frame_tree *tree = ways->tree;
    uint32_t *below = calloc(ways->report->analysis->function_count + 1, sizeof *below);
    bool done = ways_init(ways) && below != NULL;
    for (size_t i = 1; done && i < tree->count; i++) {
        const struct tree_frame *frame = tree_frame(tree, i);
        if (frame->kind == TREE_PROFILER)
            i = tree->nodes[i].end - 1;
        if (frame->kind != TREE_FUNCTION || !is_focus(ways, i) ||
            i < below[frame->number])
            continue;
        below[frame->number] = tree->nodes[i].end;
        ways->items[ways->count++] =
            (struct way){frame->number, i, (double)tree->nodes[i].total};
    }
    if (done)
        qsort(ways->items, ways->count, sizeof *ways->items, by_samples);
    free(below);
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

static bool print_each(const struct report *report, const struct frame_tree *tree)
{
    struct ways ways = {.report = report, .tree = tree};
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
    ways_release(&ways);
    return done;
}

static bool print(const struct report *report, size_t most, bool each,
                  struct error *error)
{
    struct frame_tree tree;
    if (!frame_tree_build(&tree, TREE_BY_FUNCTION, report->profile, report->analysis,
                          report->image, error))
        return false;
    bool done =
        (print_all(report, &tree, most) && (!each || print_each(report, &tree))) ||
        error_set(error, EXIT_BAD_INPUT, "out of memory");
    frame_tree_release(&tree);
    return done;
}

bool report_top_paths(const struct report *report, size_t most, struct error *error)
{
    return print(report, most, false, error);
}

bool report_paths(const struct report *report, size_t most, struct error *error)
{
    return print(report, most, true, error);
}
