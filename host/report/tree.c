/* SPDX-License-Identifier: MIT */
/* Who called a function, or whom it called, by the call paths of samples: a tree with
 * that function as its root. The outermost call of a recursive function counts. */
#include <stdlib.h>
#include <string.h>

#include "../base/memstream.h"
#include "../base/vector.h"
#include "../port/text.h"
#include "../profile/tasks.h"
#include "columns.h"
#include "report.h"

#define NO_NODE SIZE_MAX

/* A node is a frame or, above the outermost frame, the end of a path or a task. */
enum { KEY_END = 1, KEY_TASK = 2 };
#define KEY(kind, number) ((uint64_t)(kind) << 32 | (number))

struct node {
    uint64_t key;
    double samples, self;
    size_t child, next; /* the first node below it; the next node beside it */
    size_t depth;
    bool hidden;
};

/* A line: the node, and the text before its name. */
struct tree_row {
    size_t node;
    char *text;
};

struct tree {
    const struct report *report;
    const struct analysis *analysis;
    const char *name; /* name of the root */
    double unseen;    /* of the root, as of a function (analyse.h) */
    bool callees;
    bool *wanted; /* by frame */
    struct node *nodes;
    size_t used, allocated;
    struct tree_row *rows;
    size_t row_count;
    bool failed; /* out of memory */
};

/* ---- Building it ---- */

static size_t new_node(struct tree *tree, uint64_t key, size_t depth)
{
    if (!vector_grow(&tree->nodes, tree->used, &tree->allocated, sizeof *tree->nodes)) {
        tree->failed = true;
        return NO_NODE;
    }
    tree->nodes[tree->used] = (struct node){key, 0, 0, NO_NODE, NO_NODE, depth, false};
    return tree->used++;
}

static size_t child_of(struct tree *tree, size_t parent, uint64_t key)
{
    size_t child = tree->nodes[parent].child;
    while (child != NO_NODE && tree->nodes[child].key != key)
        child = tree->nodes[child].next;
    if (child != NO_NODE)
        return child;
    child = new_node(tree, key, tree->nodes[parent].depth + 1);
    if (child == NO_NODE)
        return NO_NODE;
    tree->nodes[child].next = tree->nodes[parent].child;
    tree->nodes[parent].child = child;
    return child;
}

/* Goes from a node to the next one on a path; from NO_NODE it stays at NO_NODE. */
static size_t go(struct tree *tree, size_t at, uint64_t key, double samples)
{
    if (at == NO_NODE)
        return NO_NODE;
    size_t child = child_of(tree, at, key);
    if (child != NO_NODE)
        tree->nodes[child].samples += samples;
    return child;
}

static void add_callees(struct tree *tree, const struct call_path *path, size_t first)
{
    double samples = (double)path->samples;
    size_t at = 0;
    for (size_t i = first + 1; i < path->depth; i++)
        at = go(tree, at, path->frames[i], samples);
    if (at != NO_NODE)
        tree->nodes[at].self += samples;
}

static void add_callers(struct tree *tree, const struct call_path *path, size_t first)
{
    double samples = (double)path->samples;
    size_t at = 0;
    for (size_t i = first; i > 0; i--)
        at = go(tree, at, path->frames[i - 1], samples);
    if (call_path_above(path->end) != NULL)
        at = go(tree, at, KEY(KEY_END, path->end == STACK_INTERRUPT), samples);
    if (tree->report->profile->task_count > 0)
        go(tree, at, KEY(KEY_TASK, path->task), samples);
}

static void build(struct tree *tree)
{
    const struct analysis *analysis = tree->analysis;
    new_node(tree, KEY(KEY_END, 0), 0);
    for (size_t i = 0; i < analysis->path_count && !tree->failed; i++) {
        const struct call_path *path = &analysis->paths[i];
        size_t first = 0;
        while (first < path->depth && !tree->wanted[path->frames[first]])
            first++;
        if (first == path->depth || path->overhead || path->samples == 0)
            continue;
        tree->nodes[0].samples += (double)path->samples;
        if (tree->callees)
            add_callees(tree, path, first);
        else
            add_callers(tree, path, first);
    }
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
                                     nodes[*link].key < nodes[node].key)))
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
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
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
    for (size_t i = limit; i < tree->used; i++)
        order[i]->hidden = true;
    free(order);
}

static void put_node_name(const struct tree *tree, size_t node, FILE *out)
{
    uint64_t key = tree->nodes[node].key;
    uint32_t number = (uint32_t)key;
    char label[TASK_LABEL_MAX];
    if (node == 0) {
        fputs(tree->name, out);
    } else if (key >> 32 == KEY_TASK) {
        task_label(label, tree->report->profile, number);
        fprintf(out, "task %s", label);
    } else if (key >> 32 == KEY_END) {
        fputs(call_path_above(number == 1 ? STACK_INTERRUPT : STACK_UNSURE), out);
    } else {
        fprintf(out, "%s%s", frame_name(tree->analysis, number),
                frame_suffix(tree->analysis, number));
    }
}

static size_t next_shown(const struct tree *tree, size_t node)
{
    while (node != NO_NODE && tree->nodes[node].hidden)
        node = tree->nodes[node].next;
    return node;
}

/* Adds a row; `before` stands before the branch that leads to the node. */
static void add_row(struct tree *tree, size_t node, const char *before,
                    const char *branch)
{
    size_t size;
    char *text = NULL;
    FILE *out = port_open_memstream(&text, &size);
    if (out == NULL) {
        tree->failed = true;
        return;
    }
    fprintf(out, "%s%s", before, branch);
    put_node_name(tree, node, out);
    if (!memstream_close(out, &text)) {
        tree->failed = true;
        return;
    }
    tree->rows[tree->row_count++] = (struct tree_row){node, text};
}

/* Siblings that are not shown yet. */
struct pending {
    size_t node;
    char *before;
};

/* Adds the first of these siblings, and keeps the others. Returns the first. */
static size_t add_sibling(struct tree *tree, struct pending *pending)
{
    bool utf8 = tree->report->style.utf8;
    size_t node = pending->node;
    pending->node = next_shown(tree, tree->nodes[node].next);
    bool last = pending->node == NO_NODE;
    add_row(tree, node, pending->before,
            utf8   ? last ? "└─ " : "├─ "
            : last ? "`- "
                   : "|- ");
    return node;
}

static void add_rows(struct tree *tree, struct pending *stack)
{
    bool utf8 = tree->report->style.utf8;
    size_t depth = 0;
    add_row(tree, 0, "", "");
    sort_children(tree, 0);
    stack[0] = (struct pending){next_shown(tree, tree->nodes[0].child), strdup("")};
    while (!tree->failed && stack[0].before != NULL) {
        if (stack[depth].node == NO_NODE) {
            free(stack[depth].before);
            if (depth-- == 0)
                return;
            continue;
        }
        size_t node = add_sibling(tree, &stack[depth]);
        bool last = stack[depth].node == NO_NODE;
        struct pending *below = &stack[depth + 1];
        sort_children(tree, node);
        below->node = next_shown(tree, tree->nodes[node].child);
        tree->failed = port_asprintf(&below->before, "%s%s", stack[depth].before,
                                     last   ? "   "
                                     : utf8 ? "│  "
                                            : "|  ") < 0;
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
static double unseen_of(const struct tree *tree, size_t row)
{
    return row == 0 ? tree->unseen : 0;
}

static void cell_share(struct cell *cell, const void *view, size_t row)
{
    const struct tree *tree = view;
    double time = node_of(view, row)->samples / tree->analysis->hz;
    report_total_share(cell->text, sizeof cell->text, tree->report, time,
                       unseen_of(tree, row), tree->analysis->program);
    cell->tint = report_heat(report_percent(time, tree->analysis->program));
}

static void put_time(struct cell *cell, const struct tree *tree, double samples,
                     double unseen)
{
    if (samples > 0)
        report_total(cell->text, sizeof cell->text, tree->report,
                     samples / tree->analysis->hz, unseen);
}

static void cell_total(struct cell *cell, const void *view, size_t row)
{
    put_time(cell, view, node_of(view, row)->samples, unseen_of(view, row));
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
    if (port_asprintf(&name, "%s of %s", what, tree->name) < 0)
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
    report_cut(report, tree->used - tree->row_count, "call path", "call paths");
    return true;
}

static bool find_frames(struct tree *tree, const char *name)
{
    const struct analysis *analysis = tree->analysis;
    bool found = false;
    for (size_t i = 0; i < analysis->frame_count; i++) {
        const struct frame *frame = &analysis->frames[i];
        const struct image_symbol *symbol =
            frame->inlined == NULL ? analysis->functions[frame->function].symbol : NULL;
        const char *its = frame_name(analysis, (uint32_t)i);
        tree->wanted[i] = analysis_is_named(its, symbol, name);
        if (tree->wanted[i])
            tree->name = its;
        found = found || tree->wanted[i];
        if (tree->wanted[i] && analysis->frames[i].inlined == NULL)
            tree->unseen += analysis->functions[analysis->frames[i].function].unseen;
    }
    return found;
}

bool report_tree(const struct report *report, const char *name, bool callees, bool *found,
                 struct error *error)
{
    const struct analysis *analysis = report->analysis;
    struct tree tree = {.report = report, .analysis = analysis, .callees = callees};
    *found = false;
    tree.wanted = calloc(analysis->frame_count + 1, sizeof *tree.wanted);
    tree.failed = tree.wanted == NULL;
    if (!tree.failed)
        *found = find_frames(&tree, name);
    if (*found)
        build(&tree);
    if (*found && !tree.failed)
        make_rows(&tree);
    bool done = !tree.failed || error_set(error, EXIT_BAD_INPUT, "out of memory");
    if (*found && done)
        done = print(&tree, error);
    for (size_t i = 0; i < tree.row_count; i++)
        free(tree.rows[i].text);
    free(tree.rows);
    free(tree.nodes);
    free(tree.wanted);
    return done;
}
