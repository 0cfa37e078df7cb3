/* SPDX-License-Identifier: MIT */
/* The tree of call paths, and the hottest paths. */
#include <stdlib.h>

#include "../analysis/frame_tree.h"
#include "../export/export.h"
#include "data.h"

enum { HOTTEST = 3 };

struct tree {
    const struct page *page;
    struct frame_tree paths;
    uint64_t *counts; /* the counts that nodes have, each once, ascending */
    size_t count_count;
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

/* Puts the nodes below the root, each behind those below it; those of one depth come from
 * left to right. */
static void put_nodes(struct json *json, const struct frame_tree *tree, uint64_t *from)
{
    uint64_t at = 0;
    size_t open = 0; /* the last node that is not put yet; those above it are not, too */

    for (size_t i = 1; i <= tree->count; i++) {
        while (open != 0 && tree->nodes[open].end <= i) {
            const struct tree_node *node = &tree->nodes[open];

            json_whole(json, NULL, node->depth - 1);
            json_whole(json, NULL, node->frame - 1);
            json_whole(json, NULL, from[node->depth]);
            json_whole(json, NULL, node->total);
            open = node->parent;
        }
        if (i == tree->count)
            break;
        open = i;
        from[tree->nodes[i].depth] = at;
        at += tree->nodes[i].self;
    }
}

/* ---- The counts of nodes, each once, with its share ---- */

static int by_count(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static bool find_counts(struct tree *tree)
{
    size_t count = tree->paths.count, kept = 0;

    tree->counts = calloc(count, sizeof *tree->counts);
    if (tree->counts == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        tree->counts[i] = tree->paths.nodes[i].total;
    qsort(tree->counts, count, sizeof *tree->counts, by_count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || tree->counts[kept - 1] != tree->counts[i])
            tree->counts[kept++] = tree->counts[i];
    tree->count_count = kept;
    return true;
}

/* Puts `count` as a share of `of`, and its error. */
static void put_share(struct json *json, const struct tree *tree, uint64_t count,
                      uint64_t of)
{
    double total = (double)of, share = (double)count / total;
    bool sampled = tree->page->analysis->measured && tree->page->analysis->has_samples;

    json_real(json, NULL, 100 * share);
    if (sampled && count < of)
        json_real(json, NULL, 100 * analysis_share_error(share, total));
    else
        json_null(json, NULL);
}

static void put_counts(struct json *json, const struct tree *tree)
{
    json_open(json, "counts", '[');
    for (size_t i = 0; i < tree->count_count; i++) {
        json_open(json, NULL, '[');
        json_whole(json, NULL, tree->counts[i]);
        put_share(json, tree, tree->counts[i], tree->paths.nodes[0].total);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* ---- The hottest paths ---- */

/* Puts [share, error, [name, function], ...]; the share is of the program's time. */
static void put_path(struct json *json, const struct tree *tree, size_t leaf,
                     uint64_t program, uint32_t *path)
{
    size_t depth = frame_tree_path(&tree->paths, leaf, path);

    json_open(json, NULL, '[');
    put_share(json, tree, tree->paths.nodes[leaf].self, program);
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

/* Finds the nodes with the most for themselves, without those that are not the program's;
 * returns what the program has. */
static uint64_t find_hottest(const struct frame_tree *tree, size_t top[HOTTEST + 1])
{
    uint64_t program = tree->nodes[0].total;

    for (size_t i = 1; i < tree->count; i++) {
        enum tree_kind kind = tree_frame(tree, i)->kind;
        size_t at = HOTTEST;

        if (kind == TREE_PROFILER) {
            program -= tree->nodes[i].total;
            i = tree->nodes[i].end - 1;
        }
        if (kind == TREE_PROFILER || kind == TREE_UNFINISHED || tree->nodes[i].self == 0)
            continue;
        for (; at > 0 &&
               (top[at - 1] == 0 || tree->nodes[top[at - 1]].self < tree->nodes[i].self);
             at--)
            top[at] = top[at - 1];
        top[at] = i;
    }
    return program;
}

static void put_hottest(FILE *out, const struct tree *tree, uint32_t *path)
{
    size_t top[HOTTEST + 1] = {0};
    uint64_t program = find_hottest(&tree->paths, top);
    struct json json;

    data_begin(&json, out, "hottest");
    json_open(&json, "paths", '[');
    for (size_t i = 0; i < HOTTEST && top[i] != 0; i++)
        put_path(&json, tree, top[i], program, path);
    json_close(&json, ']');
    put_energies(&json, tree, top);
    data_end(&json);
}

/* ---- All of it ---- */

static void put_tree(FILE *out, const struct tree *tree, uint64_t *from)
{
    static const char *const columns[] = {"depth", "name", "from", "count", NULL};
    struct json json;

    data_begin(&json, out, "tree");
    json_text(&json, "unit", tree->paths.samples ? "samples" : "ticks");
    json_real(&json, "hz", tree->paths.hz);
    json_bool(&json, "tasks", tree->page->profile->task_count > 0);
    json_whole(&json, "total", tree->paths.nodes[0].total);
    put_names(&json, tree);
    put_counts(&json, tree);
    data_words(&json, "columns", columns);
    json_open(&json, "values", '[');
    put_nodes(&json, &tree->paths, from);
    json_close(&json, ']');
    data_end(&json);
}

bool data_tree(FILE *out, const struct page *page, struct error *error)
{
    struct tree tree = {.page = page};

    if (!frame_tree_build(&tree.paths, TREE_BY_FUNCTION, page->profile, page->analysis,
                          page->image, error))
        return false;
    uint32_t *path = calloc(tree.paths.depth + 1, sizeof *path);
    uint64_t *from = calloc(tree.paths.depth + 1, sizeof *from);
    bool done = path != NULL && from != NULL && find_counts(&tree);
    /* counts alone make no paths: the blocks are left out */
    if (done && tree.paths.nodes[0].total > 0) {
        put_hottest(out, &tree, path);
        put_tree(out, &tree, from);
    }
    free(path);
    free(from);
    free(tree.counts);
    frame_tree_release(&tree.paths);
    return done || export_no_memory(error);
}
