/* SPDX-License-Identifier: MIT */
/* Which rows a table has, and in which order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/frame_tree.h"
#include "../base/select.h"
#include "../base/vector.h"
#include "../port/text.h"
#include "internal.h"

static int by_key(const void *left, const void *right)
{
    const struct top_row *a = left, *b = right;
    int order = (a->key < b->key) - (a->key > b->key);

    if (order == 0)
        order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_name(const void *left, const void *right)
{
    const struct top_row *a = left, *b = right;
    int order = strcmp(a->name, b->name);

    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_key_reversed(const void *left, const void *right)
{
    return by_key(right, left);
}

static int by_name_reversed(const void *left, const void *right)
{
    return by_name(right, left);
}

typedef int compare_rows(const void *, const void *);

static compare_rows *order_of(const struct top *top)
{
    if (top->sort == TOP_NAME)
        return top->reverse ? by_name_reversed : by_name;
    return top->reverse ? by_key_reversed : by_key;
}

static bool add_row(struct top *top, struct top_row row)
{
    if (!vector_grow(&top->rows, top->row_count, &top->room, sizeof row))
        return false;
    top->rows[top->row_count++] = row;
    return true;
}

/* ---- Functions ---- */

/* A figure that is none of the usual columns. What is not known comes last. */
static double figure_key(const struct top *top, const struct top_row *row)
{
    const struct figure_source source = top_source_of(top);
    const struct figure *by = figure_in(top->by, top->found.knows);
    struct measure measure =
        figure_measure(by, &source, &top->found.analysis.functions[row->function]);

    if (isnan(measure.value))
        return top->reverse ? INFINITY : -INFINITY;
    return measure.value + (double)measure.recursive;
}

static double key_of(const struct top *top, const struct top_row *row)
{
    struct top_figures figures = top_figures(top, row);

    switch (top->sort) {
    case TOP_SELF: /* without shares, calls decide */
        return top_whole(top) > 0 ? figures.self : figures.calls;
    case TOP_TOTAL:
        return top_whole(top) > 0 ? figures.total : figures.calls;
    case TOP_CALLS:
        return figures.calls;
    case TOP_MEAN:
        return figures.mean;
    case TOP_SORTS:
        return figure_key(top, row);
    default:
        return 0;
    }
}

static bool is_shown(const struct top *top, const struct function *function)
{
    bool nothing = function->total <= 0 && function->calls == 0 &&
                   function->self_calls == 0 && function->timed->self == 0;

    return !function->overhead && !nothing &&
           (top->filter[0] == '\0' ||
            port_strcasestr(function->name, top->filter) != NULL);
}

static bool add_functions(struct top *top)
{
    const struct analysis *analysis = &top->found.analysis;

    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        struct top_row row = {0, function->name, function->address, (uint32_t)i,
                              0, ROW_FUNCTION};

        row.key = key_of(top, &row);
        if (is_shown(top, function) && !add_row(top, row))
            return false;
    }
    return true;
}

static bool add_tasks(struct top *top)
{
    const struct task_sums *tasks = &top->found.tasks;
    bool any = top->found.look.profile.task_count > 0;

    for (size_t i = 0; any && i < tasks->count; i++) {
        struct top_row row = {top_task_share(top, &tasks->items[i]),
                              tasks->items[i].label,
                              i,
                              0,
                              (uint32_t)i,
                              ROW_TASK};

        if (!add_row(top, row))
            return false;
    }
    return true;
}

/* ---- What a function expands to ---- */

/* The first few rows of one kind, in order, with room for one more. */
struct found_rows {
    struct top_row items[TOP_EXPANDED + 1];
    size_t count;
};

static void keep(struct found_rows *found, struct top_row row)
{
    size_t at = found->count;

    for (; at > 0 && by_key(&row, &found->items[at - 1]) < 0; at--)
        found->items[at] = found->items[at - 1];
    found->items[at] = row;
    found->count += found->count < TOP_EXPANDED;
}

static struct top_row arc_row(const struct top *top, size_t index, bool caller)
{
    const struct analysis *analysis = &top->found.analysis;
    const struct arc *arc = &analysis->arcs[index];
    size_t other = caller ? arc->caller : arc->callee;
    struct top_row row = {0, "[unknown]",     0,
                          0, (uint32_t)index, caller ? ROW_CALLER : ROW_CALLEE};

    if (other != NO_FUNCTION) {
        row.name = analysis->functions[other].name;
        row.address = analysis->functions[other].address;
        row.function = (uint32_t)other;
    }
    row.key = top_figures(top, &row).total;
    if (row.key <= 0) /* rows without times are sorted by calls, behind those with
                       * times */
        row.key = -1 / (1 + (double)arc->count);
    return row;
}

static void find_arcs(const struct top *top, const struct function *function,
                      struct found_rows *callers, struct found_rows *callees)
{
    const struct analysis *analysis = &top->found.analysis;

    for (size_t i = 0; i < function->ins; i++)
        keep(callers, arc_row(top, analysis->ins[function->first_in + i], true));
    for (size_t i = 0; i < function->outs; i++)
        keep(callees, arc_row(top, function->first_out + i, false));
}

/* Finds the paths that have the function; an item is the node in which a path ends. */
static void find_paths(const struct frame_tree *tree, size_t function,
                       struct found_rows *paths)
{
    size_t shown = 0; /* the end of what is below the function */

    for (size_t i = 1; i < tree->count; i++) {
        const struct tree_frame *frame = tree_frame(tree, i);
        struct top_row row = {(double)tree->nodes[i].self, "",          i,
                              (uint32_t)function,          (uint32_t)i, ROW_PATH};

        if (frame->kind == TREE_PROFILER)
            i = tree->nodes[i].end - 1;
        else if (i >= shown && frame->kind == TREE_FUNCTION && frame->number == function)
            shown = tree->nodes[i].end;
        if (i < shown && tree->nodes[i].self > 0)
            keep(paths, row);
    }
}

/* Writes the path from the leaf outwards, so that its inner end stays if the text is cut.
 */
static void name_path(const struct frame_tree *tree, size_t leaf, char text[TOP_TEXT_MAX])
{
    size_t used = 0;

    for (size_t i = leaf; i != 0 && used < TOP_TEXT_MAX - 1; i = tree->nodes[i].parent)
        if (tree_is_code(tree_frame(tree, i)) ||
            frame_tree_above(tree, i, TREE_FUNCTION) != 0)
            used +=
                (size_t)snprintf(text + used, TOP_TEXT_MAX - used, "%s%s",
                                 i == leaf ? "path " : " < ", tree_frame(tree, i)->name);
}

static void name_row(const struct analysis *analysis, const struct top_row *row,
                     char text[TOP_TEXT_MAX])
{
    const char *what = row->kind == ROW_CALLER ? "called by" : "calls";

    if (analysis->arcs[row->item].interrupt)
        what = row->kind == ROW_CALLER ? "interrupts" : "interrupted by";
    snprintf(text, TOP_TEXT_MAX, "%s %s", what, row->name);
}

/* `tree`: of the rows that are paths. */
static bool add_found(struct top *top, struct found_rows *found, size_t first_text,
                      const struct frame_tree *tree)
{
    for (size_t i = 0; i < found->count; i++) {
        char *text = top->texts[first_text + i];

        if (tree != NULL)
            name_path(tree, found->items[i].item, text);
        else
            name_row(&top->found.analysis, &found->items[i], text);
        found->items[i].name = text;
        if (!add_row(top, found->items[i]))
            return false;
    }
    return true;
}

static bool add_note(struct top *top, const char *text)
{
    return add_row(top, (struct top_row){.name = text, .kind = ROW_NOTE});
}

static bool add_paths(struct top *top, size_t function, struct found_rows *paths)
{
    const struct analysis *analysis = &top->found.analysis;
    struct frame_tree tree;
    struct error error;

    if (!analysis->measured)
        return true;
    if (!frame_tree_build(&tree, TREE_BY_FUNCTION, &top->found.look.profile, analysis,
                          NULL, &error))
        return false;
    find_paths(&tree, function, paths);
    bool done = add_found(top, paths, (size_t)2 * TOP_EXPANDED, &tree);
    frame_tree_release(&tree);
    return done;
}

/* Adds the rows to which a row's function expands, behind all others. */
static bool add_expansion(struct top *top, const struct top_row *row)
{
    const struct analysis *analysis = &top->found.analysis;
    const struct function *function = &analysis->functions[row->function];
    struct found_rows callers = {.count = 0}, callees = callers, paths = callers;

    find_arcs(top, function, &callers, &callees);
    if (!add_found(top, &callers, 0, NULL) ||
        !add_found(top, &callees, TOP_EXPANDED, NULL) ||
        !add_paths(top, row->function, &paths))
        return false;
    if (callers.count + callees.count + paths.count == 0)
        return add_note(top, analysis->measured || analysis->has_calls
                                 ? "nobody is known to call it, and it calls nobody"
                                 : "no calls are counted and no call paths sampled");
    return true;
}

/* Moves the last `count` rows to the place behind row `after`. */
static void rotate(struct top *top, size_t after, size_t count)
{
    struct top_row moved[3 * TOP_EXPANDED + 1];
    size_t rest = top->row_count - count - (after + 1);

    memcpy(moved, top->rows + top->row_count - count, count * sizeof *moved);
    memmove(top->rows + after + 1 + count, top->rows + after + 1, rest * sizeof *moved);
    memcpy(top->rows + after + 1, moved, count * sizeof *moved);
}

static bool expand(struct top *top, size_t most)
{
    size_t functions = top->row_count;

    for (size_t i = 0; i < functions && i < most; i++) {
        if (top->rows[i].address != top->expanded)
            continue;
        if (!add_expansion(top, &top->rows[i]))
            return false;
        rotate(top, i, top->row_count - functions);
        break;
    }
    return true;
}

/* How many functions come before this one; top->row_count: it has no row. */
static size_t rank_of(const struct top *top, uint64_t address)
{
    compare_rows *compare = order_of(top);
    size_t at = 0, rank = 0;

    while (at < top->row_count && top->rows[at].address != address)
        at++;
    if (at == top->row_count)
        return at;
    for (size_t i = 0; i < top->row_count; i++)
        rank += compare(&top->rows[i], &top->rows[at]) < 0;
    return rank;
}

/* Puts the cursor on the row that it follows, which must be one of the first `rows`. */
static void follow(struct top *top, size_t rows)
{
    for (size_t i = 0; i < rows && i < top->row_count; i++)
        if (top->rows[i].kind == ROW_FUNCTION &&
            top->rows[i].address == top->follow_address)
            top->cursor = i + top->follow_offset;
}

static bool find_functions(struct top *top, size_t most)
{
    size_t rank;

    if (!add_functions(top))
        return false;
    rank = rank_of(top, top->follow_address);
    top->follows = top->follows && rank < top->row_count;
    if (top->follows && rank + top->page > most)
        most = rank + top->page;
    sort_first(top->rows, top->row_count, sizeof *top->rows,
               most < top->row_count ? most : top->row_count, order_of(top));
    if (top->is_expanded && !expand(top, most))
        return false;
    if (top->follows)
        follow(top, most);
    return true;
}

bool top_find_rows(struct top *top, size_t most)
{
    top->row_count = 0;
    if (!top->found_any || top->pane == TOP_CONSOLE)
        return true;
    if (top->pane == TOP_FUNCTIONS)
        return find_functions(top, most);
    if (!add_tasks(top))
        return false;
    sort_first(top->rows, top->row_count, sizeof *top->rows, top->row_count, by_key);
    return true;
}
