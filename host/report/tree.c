/* SPDX-License-Identifier: MIT */
/* Who called a function, or whom it called, by the call paths of samples: a tree with
 * that function as its root. The outermost call of a recursive function counts. */
#include <stdlib.h>
#include <string.h>

#include "../analysis/frame_tree.h"
#include "../base/compare.h"
#include "../base/memstream.h"
#include "../base/vector.h"
#include "../port/stream.h"
#include "../port/text.h"
#include "columns.h"
#include "report.h"

#define NO_NODE SIZE_MAX
/* About as many columns have a row's figures on a terminal; names have the rest. */
enum { CALLER_FIGURES = 24, CALLEE_FIGURES = 36 };

struct node {
    uint32_t frame; /* of the tree of all paths */
    double samples, self;
    size_t child, next; /* the first node below it; the next node beside it */
    size_t depth;
    bool left_out;
};

/* A line: of a chain of nodes the last one, and the text. */
struct tree_row {
    size_t node;
    char *text;
    bool goes_on; /* the chain of the line above goes on: the line has no figures */
};

struct tree {
    const struct report *report;
    const struct analysis *analysis;
    const struct frame_tree *paths;
    const char *name; /* name of the root; NULL: nothing is wanted */
    double hidden;    /* of the root, as of a function (analysis.h) */
    bool several;     /* functions of more than one name are the root */
    bool callees;
    bool *wanted; /* by frame */
    struct node *nodes;
    size_t used, allocated;
    struct tree_row *rows;
    size_t row_count;
    size_t left_out; /* nodes that the limit hides */
    bool failed;     /* out of memory */
};

/* ---- Building it ---- */

static size_t new_node(struct tree *tree, uint32_t frame, size_t depth)
{
    if (!vector_grow(&tree->nodes, tree->used, &tree->allocated, sizeof *tree->nodes)) {
        tree->failed = true;
        return NO_NODE;
    }
    tree->nodes[tree->used] = (struct node){frame, 0, 0, NO_NODE, NO_NODE, depth, false};
    return tree->used++;
}

static size_t child_of(struct tree *tree, size_t parent, uint32_t frame)
{
    size_t child = tree->nodes[parent].child;
    while (child != NO_NODE && tree->nodes[child].frame != frame)
        child = tree->nodes[child].next;
    if (child != NO_NODE)
        return child;
    child = new_node(tree, frame, tree->nodes[parent].depth + 1);
    if (child == NO_NODE)
        return NO_NODE;
    tree->nodes[child].next = tree->nodes[parent].child;
    tree->nodes[parent].child = child;
    return child;
}

/* Goes from a node to that of the frame below it; from NO_NODE it stays at NO_NODE. */
static size_t go(struct tree *tree, size_t at, uint32_t frame, double samples)
{
    if (at == NO_NODE)
        return NO_NODE;
    size_t child = child_of(tree, at, frame);
    if (child != NO_NODE)
        tree->nodes[child].samples += samples;
    return child;
}

/* Adds what is below a node; at[depth] is where a node of that depth was added. */
static void add_callees(struct tree *tree, size_t root, size_t *at)
{
    const struct tree_node *nodes = tree->paths->nodes;
    at[nodes[root].depth] = 0;
    tree->nodes[0].self += (double)nodes[root].self;
    for (size_t i = root + 1; i < nodes[root].end; i++) {
        size_t depth = nodes[i].depth;
        at[depth] = go(tree, at[depth - 1], nodes[i].frame, (double)nodes[i].total);
        if (at[depth] != NO_NODE)
            tree->nodes[at[depth]].self += (double)nodes[i].self;
    }
}

/* Adds what is above a node: callers, what stands above the outermost, the task. */
static void add_callers(struct tree *tree, size_t node)
{
    const struct tree_node *nodes = tree->paths->nodes;
    double samples = (double)nodes[node].total;
    size_t at = 0;
    for (size_t i = nodes[node].parent; i != 0; i = nodes[i].parent)
        at = go(tree, at, nodes[i].frame, samples);
}

/* Adds all outermost calls of what is wanted. */
static bool build(struct tree *tree)
{
    const struct frame_tree *paths = tree->paths;
    size_t *at = calloc(paths->depth + 1, sizeof *at);
    tree->failed = at == NULL;
    new_node(tree, 0, 0);
    for (size_t i = 1; i < paths->count && !tree->failed; i++) {
        bool own = tree_frame(paths, i)->kind == TREE_PROFILER;
        if (!own && !tree->wanted[paths->nodes[i].frame])
            continue;
        if (!own) {
            tree->nodes[0].samples += (double)paths->nodes[i].total;
            if (tree->callees)
                add_callees(tree, i, at);
            else
                add_callers(tree, i);
        }
        i = paths->nodes[i].end - 1;
    }
    free(at);
    return !tree->failed;
}

/* ---- Rows ---- */

/* Sorts the children, those with the most samples first. The list is short. */
static void sort_children(struct tree *tree, size_t parent)
{
    struct node *nodes = tree->nodes;
    size_t left = nodes[parent].child, sorted = NO_NODE;
    while (left != NO_NODE) {
        size_t node = left, *link = &sorted;
        left = nodes[node].next;
        while (*link != NO_NODE && (nodes[*link].samples > nodes[node].samples ||
                                    (nodes[*link].samples == nodes[node].samples &&
                                     nodes[*link].frame < nodes[node].frame)))
            link = &nodes[*link].next;
        nodes[node].next = *link;
        *link = node;
    }
    nodes[parent].child = sorted;
}

static int by_samples(const void *left, const void *right)
{
    const struct node *a = *(const struct node *const *)left;
    const struct node *b = *(const struct node *const *)right;
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    ORDER_BY(a->depth, b->depth);
    return (a > b) - (a < b);
}

/* Hides all but the `limit` largest nodes. A node above one that is shown is shown, too.
 */
static void hide_small(struct tree *tree, size_t limit)
{
    struct node **order = calloc(tree->used + 1, sizeof *order);
    if (order == NULL) {
        tree->failed = true;
        return;
    }
    for (size_t i = 0; i < tree->used; i++)
        order[i] = &tree->nodes[i];
    qsort(order, tree->used, sizeof *order, by_samples);
    for (size_t i = limit; i < tree->used; i++, tree->left_out++)
        order[i]->left_out = true;
    free(order);
}

static const char *node_text(const struct tree *tree, size_t node)
{
    return node == 0 ? tree->name : tree->paths->frames[tree->nodes[node].frame].text;
}

static void put_node_name(const struct tree *tree, size_t node, FILE *out)
{
    bool task = tree->paths->frames[tree->nodes[node].frame].kind == TREE_TASK;
    fprintf(out, "%s%s", node > 0 && task ? "task " : "", node_text(tree, node));
}

static size_t next_shown(const struct tree *tree, size_t node)
{
    while (node != NO_NODE && tree->nodes[node].left_out)
        node = tree->nodes[node].next;
    return node;
}

/* The only node below this one, if all of its samples come from there; else NO_NODE. */
static size_t only_child(const struct tree *tree, size_t node)
{
    const struct node *nodes = tree->nodes;
    size_t child = nodes[node].child;
    bool only = child != NO_NODE && nodes[child].next == NO_NODE &&
                !nodes[child].left_out && nodes[child].samples >= nodes[node].samples;
    return only ? child : NO_NODE;
}

static const char *arrow_of(const struct tree *tree)
{
    bool utf8 = tree->report->style.utf8;
    return tree->callees ? utf8 ? "→ " : "> " : utf8 ? "← " : "< ";
}

/* Puts a node and what follows it without a branch, "a → b → c", or as much of that as
 * fits a row from column `at` on. Returns the last node. */
static size_t put_chain(const struct tree *tree, size_t node, size_t at, FILE *out)
{
    const struct style *style = &tree->report->style;
    unsigned figures = tree->callees ? CALLEE_FIGURES : CALLER_FIGURES;
    size_t next, room = style->width > figures ? style->width - figures : 1;
    put_node_name(tree, node, out);
    at += style_columns(style, node_text(tree, node), NULL);
    while (node != 0 && (next = only_child(tree, node)) != NO_NODE) {
        at += 3 + style_columns(style, node_text(tree, next), NULL);
        if (style->width > 0 && at > room)
            break;
        fprintf(out, " %s", arrow_of(tree));
        node = next;
        put_node_name(tree, node, out);
    }
    return node;
}

/* Adds a row that begins with `before` and `branch`; one that goes on with a chain has an
 * arrow behind them, and no figures. Returns the row's last node. */
static size_t add_row(struct tree *tree, size_t node, const char *before,
                      const char *branch, bool goes_on)
{
    const struct style *style = &tree->report->style;
    size_t size, at;
    char *text = NULL;
    FILE *out = port_open_memstream(&text, &size);
    if (out == NULL) {
        tree->failed = true;
        return node;
    }
    fprintf(out, "%s%s%s", before, branch, goes_on ? arrow_of(tree) : "");
    at = style_columns(style, before, NULL) + style_columns(style, branch, NULL);
    node = put_chain(tree, node, goes_on ? at + 2 : at, out);
    if (!memstream_close(out, &text)) {
        tree->failed = true;
        return node;
    }
    tree->rows[tree->row_count++] = (struct tree_row){node, text, goes_on};
    return node;
}

/* Siblings that are not shown yet. */
struct pending {
    size_t node;
    char *before;
};

/* Adds the first of these siblings with its chain, and keeps the others. Returns the
 * chain's last node; `under` stands before what is below it. */
static size_t add_sibling(struct tree *tree, struct pending *pending, const char **under)
{
    bool utf8 = tree->report->style.utf8;
    size_t node = pending->node, next;
    pending->node = next_shown(tree, tree->nodes[node].next);
    bool last = pending->node == NO_NODE;
    *under = last ? "   " : utf8 ? "│  " : "|  ";
    node = add_row(tree, node, pending->before,
                   utf8   ? last ? "└─ " : "├─ "
                   : last ? "`- "
                          : "|- ",
                   false);
    while (!tree->failed && (next = only_child(tree, node)) != NO_NODE)
        node = add_row(tree, next, pending->before, *under, true);
    return node;
}

static void add_rows(struct tree *tree, struct pending *stack)
{
    const char *under;
    size_t depth = 0;
    add_row(tree, 0, "", "", false);
    sort_children(tree, 0);
    stack[0] = (struct pending){next_shown(tree, tree->nodes[0].child), strdup("")};
    while (!tree->failed && stack[0].before != NULL) {
        if (stack[depth].node == NO_NODE) {
            free(stack[depth].before);
            if (depth-- == 0)
                return;
            continue;
        }
        size_t node = add_sibling(tree, &stack[depth], &under);
        struct pending *below = &stack[depth + 1];
        sort_children(tree, node);
        below->node = next_shown(tree, tree->nodes[node].child);
        tree->failed =
            port_asprintf(&below->before, "%s%s", stack[depth].before, under) < 0;
        depth += !tree->failed;
    }
    tree->failed = true;
    for (size_t i = 0; i <= depth; i++)
        free(stack[i].before);
}

static void make_rows(struct tree *tree)
{
    size_t deepest = 0;
    if (tree->report->limit > 0)
        hide_small(tree, tree->report->limit);
    for (size_t i = 0; i < tree->used; i++)
        deepest = tree->nodes[i].depth > deepest ? tree->nodes[i].depth : deepest;
    struct pending *stack = calloc(deepest + 2, sizeof *stack);
    tree->rows = calloc(tree->used + 1, sizeof *tree->rows);
    if (stack == NULL || tree->rows == NULL)
        tree->failed = true;
    if (!tree->failed)
        add_rows(tree, stack);
    free(stack);
}

/* ---- Printing it ---- */

static const struct node *node_of(const void *view, size_t row)
{
    const struct tree *tree = view;
    return &tree->nodes[tree->rows[row].node];
}

static enum tint tint_of(size_t row)
{
    return row == 0 ? TINT_BOLD : TINT_PLAIN;
}

/* The other rows are of paths as they came. */
static double hidden_of(const struct tree *tree, size_t row)
{
    return row == 0 ? tree->hidden : 0;
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct tree *tree = view;
    double time = node_of(view, row)->samples / tree->analysis->hz;
    if (tree->rows[row].goes_on)
        return;
    report_total_share(cell->text, sizeof cell->text, tree->report, time,
                       hidden_of(tree, row), tree->analysis->program);
    cell->tint = report_heat(report_percent(time, tree->analysis->program));
}

static void put_time(struct cell *cell, const struct tree *tree, double samples,
                     double hidden)
{
    if (samples > 0)
        report_total(cell->text, sizeof cell->text, tree->report,
                     samples / tree->analysis->hz, hidden);
}

static void cell_total(struct cell *cell, const void *view, size_t row)
{
    if (!((const struct tree *)view)->rows[row].goes_on)
        put_time(cell, view, node_of(view, row)->samples, hidden_of(view, row));
    cell->tint = tint_of(row);
}

static void cell_self(struct cell *cell, const void *view, size_t row)
{
    put_time(cell, view, node_of(view, row)->self, 0);
    cell->tint = tint_of(row);
}

static void cell_name(struct cell *cell, const void *view, size_t row)
{
    const struct tree *tree = view;
    cell->string = tree->rows[row].text;
    cell->tint = tint_of(row);
}

static const struct column callee_columns[] = {
    {{"total", "%"}, .width = 5, .cell = cell_share},
    {{"total", NULL}, .cell = cell_total},
    {{"self", NULL}, .drop = 1, .cell = cell_self},
    {{"", "function"}, .left = true, .cell = cell_name},
};

static const struct column caller_columns[] = {
    {{"time", "%"}, .width = 5, .cell = cell_share},
    {{"time", NULL}, .cell = cell_total},
    {{"", "function"}, .left = true, .cell = cell_name},
};

static bool title(const struct tree *tree, struct error *error)
{
    const char *what = tree->callees ? "Callees" : "Callers";
    char *name;
    if (port_asprintf(&name, "%s of %s%s", what, tree->name,
                      tree->several ? " (several functions)" : "") < 0)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    report_title(tree->report, name, "measured, %s one standard error",
                 report_plus_minus(tree->report));
    free(name);
    return true;
}

static bool print(const struct tree *tree, struct error *error)
{
    const struct report *report = tree->report;
    struct table table = {
        .columns = tree->callees ? callee_columns : caller_columns,
        .column_count = tree->callees ? 4 : 3,
        .view = tree,
        .rows = tree->row_count,
        .time_unit = report_time_scale(report).unit,
    };
    if (!title(tree, error))
        return false;
    if (!(tree->nodes[0].samples > 0))
        fputs("no samples\n", report->out);
    else if (!table_print(&table, &report->style, report->out, error))
        return false;
    report_cut(report, tree->left_out, "call path", "call paths");
    return true;
}

/* Finds what is called so; the root has its name or, if it is several, the wanted one. */
static bool find_frames(struct tree *tree, const char *name)
{
    const struct function *functions = tree->analysis->functions;
    for (size_t i = 0; i < tree->paths->frame_count; i++) {
        const struct tree_frame *frame = &tree->paths->frames[i];
        const struct function *function =
            frame->kind == TREE_FUNCTION ? &functions[frame->number] : NULL;
        if (function == NULL && frame->kind != TREE_INLINED)
            continue;
        tree->wanted[i] =
            analysis_is_named(frame->name, function != NULL ? function->symbol : NULL,
                              name) ||
            (function == NULL && analysis_is_named(frame->of->inlined, NULL, name));
        if (!tree->wanted[i])
            continue;
        tree->several =
            tree->several || (tree->name != NULL && strcmp(tree->name, frame->name) != 0);
        tree->name = tree->several ? name : frame->name;
        if (function != NULL)
            tree->hidden += function->hidden;
    }
    return tree->name != NULL;
}

static bool make(struct tree *tree, const char *name, bool *found, struct error *error)
{
    tree->wanted = calloc(tree->paths->frame_count, sizeof *tree->wanted);
    tree->failed = tree->wanted == NULL;
    *found = !tree->failed && find_frames(tree, name);
    if (*found && build(tree))
        make_rows(tree);
    if (tree->failed)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    return !*found || print(tree, error);
}

bool report_tree(const struct report *report, const char *name, bool callees, bool *found,
                 struct error *error)
{
    struct frame_tree paths;
    struct tree tree = {.report = report,
                        .analysis = report->analysis,
                        .paths = &paths,
                        .callees = callees};
    *found = false;
    if (!frame_tree_build(&paths, TREE_BY_FUNCTION, report->profile, report->analysis,
                          report->image, error))
        return false;
    bool done = make(&tree, name, found, error);
    for (size_t i = 0; i < tree.row_count; i++)
        free(tree.rows[i].text);
    free(tree.rows);
    free(tree.nodes);
    free(tree.wanted);
    frame_tree_release(&paths);
    return done;
}
