/* SPDX-License-Identifier: MIT */
/* The tree of the program's call paths, without the profiler's, and what an overview has
 * of it: the hottest paths, the tasks' shares, the tree's large nodes. All shares are of
 * the program. */
#include <stdlib.h>

#include "../analysis/frame_tree.h"
#include "../capture/tasks.h"
#include "../export/export.h"
#include "data.h"

enum { HOTTEST = 3, LARGE = 400 /* a large node has this part of the whole at least */ };

struct tree {
    const struct page *page;
    const struct profile *profile; /* the page's, or the one to compare with */
    struct frame_tree paths;
    uint64_t *totals; /* of the nodes, without the profiler's; 0: it is left out */
};

/* The function that a frame is; SIZE_MAX: it is inlined, or none. */
static size_t function_of(const struct tree_frame *frame)
{
    return frame->kind == TREE_FUNCTION ? frame->number : SIZE_MAX;
}

/* The root has no name. */
static void put_names(struct json *json, const struct tree *tree)
{
    json_open(json, "names", '[');
    for (size_t i = 1; i < tree->paths.frame_count; i++)
        json_text(json, NULL, tree->paths.frames[i].text);
    json_close(json, ']');
    json_open(json, "functions", '[');
    for (size_t i = 1; i < tree->paths.frame_count; i++)
        data_index(json, NULL, function_of(&tree->paths.frames[i]));
    json_close(json, ']');
}

/* Takes what is the profiler's off all totals. false: out of memory. */
static bool find_totals(struct tree *tree)
{
    const struct frame_tree *paths = &tree->paths;

    tree->totals = calloc(paths->count, sizeof *tree->totals);
    if (tree->totals == NULL)
        return false;
    for (size_t i = 0; i < paths->count; i++)
        tree->totals[i] = paths->nodes[i].total;
    for (size_t i = 1; i < paths->count; i++) {
        if (tree_frame(paths, i)->kind != TREE_PROFILER)
            continue;
        for (size_t above = i; above != 0; above = paths->nodes[above].parent)
            tree->totals[above] -= paths->nodes[i].total;
        tree->totals[0] -= paths->nodes[i].total;
        i = paths->nodes[i].end - 1;
    }
    return true;
}

/* ---- The hottest paths ---- */

/* Puts `count` as a share of the program, and its error. */
static void put_share(struct json *json, const struct tree *tree, uint64_t count)
{
    uint64_t of = tree->totals[0];
    double total = (double)of, share = (double)count / total;
    bool sampled = tree->page->analysis->measured && tree->page->analysis->has_samples;

    json_real(json, NULL, 100 * share);
    if (sampled && count < of)
        json_real(json, NULL, 100 * analysis_share_error(share, total));
    else
        json_null(json, NULL);
}

/* Puts [share, error, [name, function], ...]. */
static void put_path(struct json *json, const struct tree *tree, size_t leaf,
                     uint32_t *path)
{
    size_t depth = frame_tree_path(&tree->paths, leaf, path);

    json_open(json, NULL, '[');
    put_share(json, tree, tree->paths.nodes[leaf].self);
    for (size_t i = 0; i < depth; i++) {
        const struct tree_frame *frame = tree_frame(&tree->paths, path[i]);

        json_open(json, NULL, '[');
        json_text(json, NULL, frame->text);
        data_index(json, NULL, function_of(frame));
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Puts the energies of these paths, [joules, error] each, where they are known. */
static void put_energies(struct json *json, const struct tree *tree, const size_t *leaves)
{
    const struct page *page = tree->page;
    const struct energy *energy = page->energy;

    if (energy == NULL || energy->source != ENERGY_SAMPLED)
        return;
    json_open(json, "energies", '[');
    for (size_t i = 0; i < HOTTEST && leaves[i] != 0; i++) {
        size_t task = frame_tree_above(&tree->paths, leaves[i], TREE_TASK);
        const struct joules joules = energy_of_samples(
            energy, page->profile, page->analysis,
            (double)tree->paths.nodes[leaves[i]].self,
            task != 0 ? tree_frame(&tree->paths, task)->number : TASK_NONE);

        json_open(json, NULL, '[');
        json_real(json, NULL, joules.joules);
        json_real(json, NULL, joules.error);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Finds the nodes with the most for themselves, without those that are not the program's.
 */
static void find_hottest(const struct tree *tree, size_t top[HOTTEST + 1])
{
    const struct frame_tree *paths = &tree->paths;

    for (size_t i = 1; i < paths->count; i++) {
        size_t at = HOTTEST;

        if (tree->totals[i] == 0)
            i = paths->nodes[i].end - 1;
        if (tree->totals[i] == 0 || paths->nodes[i].self == 0 ||
            tree_frame(paths, i)->kind == TREE_UNFINISHED)
            continue;
        for (; at > 0 && (top[at - 1] == 0 ||
                          paths->nodes[top[at - 1]].self < paths->nodes[i].self);
             at--)
            top[at] = top[at - 1];
        top[at] = i;
    }
}

/* Puts [name, share, error] of each task, and the sum of those that only wait. */
static void put_tasks(struct json *json, const struct tree *tree)
{
    const struct frame_tree *paths = &tree->paths;
    uint64_t idle = 0;

    json_open(json, "tasks", '[');
    for (size_t i = 1; i < paths->count; i = paths->nodes[i].end) {
        const struct tree_frame *frame = tree_frame(paths, i);

        if (frame->kind != TREE_TASK)
            continue;
        if (task_is_idle(tree->page->profile, frame->number))
            idle += tree->totals[i];
        json_open(json, NULL, '[');
        json_text(json, NULL, frame->text);
        put_share(json, tree, tree->totals[i]);
        json_close(json, ']');
    }
    json_close(json, ']');
    json_open(json, "idle", '[');
    put_share(json, tree, idle);
    json_close(json, ']');
}

/* Puts depth, name, where it begins and total of the nodes that have at least so much,
 * each behind those below it; those of one depth come from left to right. `numbers` are
 * those of the frames' names, from 1 on. */
static void put_nodes(struct json *json, const struct tree *tree, uint64_t *from,
                      uint64_t least, const uint32_t *numbers)
{
    const struct frame_tree *paths = &tree->paths;
    uint64_t at = 0;
    size_t open = 0; /* the last node that is not put yet; those above it are not, too */

    for (size_t i = 1; i <= paths->count; i++) {
        while (open != 0 && paths->nodes[open].end <= i) {
            const struct tree_node *node = &paths->nodes[open];

            if (tree->totals[open] >= least) {
                json_whole(json, NULL, node->depth - 1);
                json_whole(json, NULL, numbers[node->frame] - 1);
                json_whole(json, NULL, from[node->depth]);
                json_whole(json, NULL, tree->totals[open]);
            }
            open = node->parent;
        }
        if (i == paths->count)
            break;
        if (tree->totals[i] == 0) { /* all below is the profiler's, too */
            i = paths->nodes[i].end - 1;
            continue;
        }
        open = i;
        from[paths->nodes[i].depth] = at;
        at += paths->nodes[i].self;
    }
}

/* Puts the large nodes as a tree of its own. `numbers` has room for all frames. */
static void put_large(struct json *json, const struct tree *tree, uint64_t *from,
                      uint32_t *numbers)
{
    const struct frame_tree *paths = &tree->paths;
    uint64_t least = tree->totals[0] / LARGE + 1;
    uint32_t count = 0;

    json_open(json, "large", '{');
    json_whole(json, "total", tree->totals[0]);
    json_open(json, "names", '[');
    for (size_t i = 1; i < paths->count; i++) {
        uint32_t frame = paths->nodes[i].frame;

        if (tree->totals[i] == 0)
            i = paths->nodes[i].end - 1;
        else if (tree->totals[i] >= least && numbers[frame] == 0) {
            numbers[frame] = ++count;
            json_text(json, NULL, paths->frames[frame].text);
        }
    }
    json_close(json, ']');
    json_open(json, "values", '[');
    put_nodes(json, tree, from, least, numbers);
    json_close(json, ']');
    json_close(json, '}');
}

static bool put_hottest(FILE *out, const struct tree *tree, uint32_t *path,
                        uint64_t *from)
{
    size_t top[HOTTEST + 1] = {0};
    uint32_t *numbers = calloc(tree->paths.frame_count, sizeof *numbers);
    struct json json;

    if (numbers == NULL)
        return false;
    find_hottest(tree, top);
    data_begin(&json, out, "hottest");
    json_open(&json, "paths", '[');
    for (size_t i = 0; i < HOTTEST && top[i] != 0; i++)
        put_path(&json, tree, top[i], path);
    json_close(&json, ']');
    put_energies(&json, tree, top);
    put_tasks(&json, tree);
    put_large(&json, tree, from, numbers);
    data_end(&json);
    free(numbers);
    return true;
}

/* ---- All of it ---- */

/* Puts one number of each node. A node stands before those below it. */
static void put_column(struct json *json, const struct tree *tree,
                       uint64_t (*number)(const struct tree_node *node))
{
    const struct frame_tree *paths = &tree->paths;

    for (size_t i = 1; i < paths->count; i++)
        if (tree->totals[i] == 0) /* all below is the profiler's, too */
            i = paths->nodes[i].end - 1;
        else
            json_whole(json, NULL, number(&paths->nodes[i]));
}

static uint64_t depth_of(const struct tree_node *node)
{
    return node->depth - 1;
}

static uint64_t name_of(const struct tree_node *node)
{
    return node->frame - 1;
}

static uint64_t self_of(const struct tree_node *node)
{
    return node->self;
}

/* Depths and what nodes have for themselves say where each is and what it has in all.
 * Column by column they are smaller when they are compressed. */
static void put_tree(FILE *out, const struct tree *tree, const char *block)
{
    static const char *const columns[] = {"depth", "name", "self", NULL};
    const struct frame_tree *paths = &tree->paths;
    struct json json;

    data_begin(&json, out, block);
    json_text(&json, "unit", paths->samples ? "samples" : "ticks");
    json_real(&json, "hz", paths->hz);
    json_bool(&json, "tasks", tree->profile->task_count > 0);
    json_whole(&json, "total", tree->totals[0]);
    put_names(&json, tree);
    data_words(&json, "columns", columns);
    json_open(&json, "values", '[');
    put_column(&json, tree, depth_of);
    put_column(&json, tree, name_of);
    put_column(&json, tree, self_of);
    json_close(&json, ']');
    data_end(&json);
}

/* Puts the tree of a profile, and what the overview needs of it, if it is the page's. */
static bool put_profile(FILE *out, const struct page *page, const struct diff_of *of,
                        struct error *error)
{
    bool ours = of->profile == page->profile;
    struct tree tree = {.page = page, .profile = of->profile};

    if (!frame_tree_build(&tree.paths, TREE_BY_FUNCTION, of->profile, of->analysis,
                          ours ? page->image : NULL, error))
        return false;
    uint32_t *path = calloc(tree.paths.depth + 1, sizeof *path);
    uint64_t *from = calloc(tree.paths.depth + 1, sizeof *from);
    bool done = path != NULL && from != NULL && find_totals(&tree);
    /* counts alone make no paths: the blocks are left out */
    if (done && tree.totals[0] > 0) {
        done = !ours || put_hottest(out, &tree, path, from);
        put_tree(out, &tree, ours ? "tree" : "tree_before");
    }
    free(path);
    free(from);
    free(tree.totals);
    frame_tree_release(&tree.paths);
    return done || error_no_memory(error);
}

bool data_tree(FILE *out, const struct page *page, struct error *error)
{
    const struct diff_of ours = {page->profile, page->analysis}, *before = page->before;

    return put_profile(out, page, &ours, error) &&
           (before == NULL || !before->analysis->measured || !page->analysis->measured ||
            put_profile(out, page, before, error));
}
