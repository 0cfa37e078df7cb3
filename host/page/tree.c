/* SPDX-License-Identifier: MIT */
/* The tree of call paths, made of the lines that export_folded() writes, and the hottest
 * paths.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/memstream.h"
#include "../export/export.h"
#include "../export/folded_lines.h"
#include "data.h"

enum { HOTTEST = 3 };

/* A frame's name, and the function that has it. */
struct named {
    char *name;
    size_t function;
};

struct tree {
    const struct page *page;
    struct folded_lines lines;
    struct folded_names names;
    struct named *functions; /* by name */
    uint64_t *counts;        /* the counts that nodes have, each once, ascending */
    size_t count_count;
    uint64_t *from; /* by depth: where the node that is open begins */
};

/* ---- Which function a frame is ---- */

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int order = strcmp(a->name, b->name);

    return order != 0 ? order : (a->function > b->function) - (a->function < b->function);
}

static bool name_functions(struct tree *tree)
{
    const struct analysis *analysis = tree->page->analysis;

    tree->functions = calloc(analysis->function_count + 1, sizeof *tree->functions);
    for (size_t i = 0; tree->functions != NULL && i < analysis->function_count; i++) {
        tree->functions[i] = (struct named){folded_name(analysis->functions[i].name), i};
        if (tree->functions[i].name == NULL)
            return false;
    }
    if (tree->functions != NULL)
        qsort(tree->functions, analysis->function_count, sizeof *tree->functions,
              by_name);
    return tree->functions != NULL;
}

/* The first function of that name; SIZE_MAX: the frame is no function of the ELF. */
static size_t function_named(const struct tree *tree, const char *name)
{
    size_t low = 0, high = tree->page->analysis->function_count;
    size_t count = high;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(tree->functions[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(tree->functions[low].name, name) == 0
               ? tree->functions[low].function
               : SIZE_MAX;
}

static void put_names(struct json *json, const struct tree *tree)
{
    json_open(json, "names", '[');
    for (size_t i = 0; i < tree->names.count; i++)
        json_text(json, NULL, tree->names.items[i]);
    json_close(json, ']');
    json_open(json, "functions", '[');
    for (size_t i = 0; i < tree->names.count; i++)
        data_index(json, NULL, function_named(tree, tree->names.items[i]));
    json_close(json, ']');
}

/* ---- Nodes ---- */

/* Takes a node after its last line was seen. */
typedef void take_node(void *context, const struct tree *tree, size_t depth,
                       const char *name, uint64_t from, uint64_t count);

/* Calls take() for each node; those of one depth come from left to right. A node ends
 * where the next line does not have its frame. */
static void walk(const struct tree *tree, take_node *take, void *context)
{
    const struct folded_lines *lines = &tree->lines;
    uint64_t at = 0;

    memset(tree->from, 0, (lines->depth_max + 1) * sizeof *tree->from);
    for (size_t i = 0; i < lines->count; i++) {
        const struct folded_line *line = &lines->items[i];
        size_t kept =
            i + 1 < lines->count ? folded_shared(line, &lines->items[i + 1]) : 0;

        at += line->count;
        for (size_t depth = line->depth; depth-- > kept;)
            take(context, tree, depth, line->frames[depth], tree->from[depth],
                 at - tree->from[depth]);
        for (size_t depth = kept; depth < lines->depth_max; depth++)
            tree->from[depth] = at;
    }
}

static void put_node(void *context, const struct tree *tree, size_t depth,
                     const char *name, uint64_t from, uint64_t count)
{
    struct json *json = context;

    json_whole(json, NULL, depth);
    json_whole(json, NULL, folded_name_number(&tree->names, name));
    json_whole(json, NULL, from);
    json_whole(json, NULL, count);
}

/* ---- The counts of nodes, each once, with its share ---- */

static void count_node(void *context, const struct tree *tree, size_t depth,
                       const char *name, uint64_t from, uint64_t count)
{
    uint64_t **next = context;

    (void)tree, (void)depth, (void)name, (void)from;
    *(*next)++ = count;
}

static int by_count(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static bool find_counts(struct tree *tree)
{
    size_t frames = 0, kept = 0;

    for (size_t i = 0; i < tree->lines.count; i++)
        frames += tree->lines.items[i].depth;
    tree->counts = calloc(frames + 1, sizeof *tree->counts);
    tree->from = calloc(tree->lines.depth_max + 1, sizeof *tree->from);
    if (tree->counts == NULL || tree->from == NULL)
        return false;
    uint64_t *end = tree->counts;
    walk(tree, count_node, &end);
    *end++ = tree->lines.total;
    size_t count = (size_t)(end - tree->counts);
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
        put_share(json, tree, tree->counts[i], tree->lines.total);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* ---- The hottest paths ---- */

/* Whether a line begins with that frame, or has it directly below its task. */
static bool is_below(const struct folded_line *line, const char *frame)
{
    for (size_t i = 0; i < line->depth && i < 2; i++)
        if (strcmp(line->frames[i], frame) == 0)
            return true;
    return false;
}

/* Puts [share, error, [name, function], ...]; the share is of the program's time. */
static void put_path(struct json *json, const struct tree *tree,
                     const struct folded_line *line, uint64_t program)
{
    json_open(json, NULL, '[');
    put_share(json, tree, line->count, program);
    for (size_t i = 0; i < line->depth; i++) {
        json_open(json, NULL, '[');
        json_text(json, NULL, line->frames[i]);
        data_index(json, NULL, function_named(tree, line->frames[i]));
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Puts the energies of these paths, [joules, error] each, where they are known: a path
 * with samples is of one task, whose label is its first frame. */
static void put_energies(struct json *json, const struct page *page,
                         const struct folded_line *const *lines)
{
    const struct energy *energy = page->energy;

    if (energy == NULL || energy->source != ENERGY_SAMPLED)
        return;
    json_open(json, "energies", '[');
    for (size_t i = 0; i < HOTTEST && lines[i] != NULL; i++) {
        size_t at = 0;

        while (at < energy->task_count &&
               strcmp(energy->tasks[at].label, lines[i]->frames[0]) != 0)
            at++;
        const struct joules joules =
            energy_of_samples(energy, page->profile, page->analysis,
                              at < energy->task_count ? (double)lines[i]->count : 0,
                              at < energy->task_count ? energy->tasks[at].number : 0);
        json_open(json, NULL, '[');
        json_real(json, NULL, joules.joules);
        json_real(json, NULL, joules.error);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Puts the hottest lines, without those that are not the program's. */
static void put_hottest(FILE *out, const struct tree *tree)
{
    const struct folded_line *top[HOTTEST + 1] = {NULL};
    uint64_t program = 0;
    struct json json;

    for (size_t i = 0; i < tree->lines.count; i++) {
        const struct folded_line *line = &tree->lines.items[i];
        size_t at = HOTTEST;

        if (is_below(line, FOLDED_PROFILER))
            continue;
        program += line->count;
        if (is_below(line, TIMED_UNFINISHED))
            continue;
        for (; at > 0 && (top[at - 1] == NULL || top[at - 1]->count < line->count); at--)
            top[at] = top[at - 1];
        top[at] = line;
    }
    data_begin(&json, out, "hottest");
    json_open(&json, "paths", '[');
    for (size_t i = 0; i < HOTTEST && top[i] != NULL; i++)
        put_path(&json, tree, top[i], program);
    json_close(&json, ']');
    put_energies(&json, tree->page, top);
    data_end(&json);
}

/* ---- All of it ---- */

static char *fold(const struct page *page, struct error *error)
{
    const struct export_options options = {.warn = NULL};
    char *text = NULL;
    size_t size = 0;
    FILE *memory = port_open_memstream(&text, &size);
    bool done = memory != NULL || export_no_memory(error);

    done = done && export_all(export_find("folded"), memory, page->profile, page->image,
                              &options, error);
    if (memory != NULL && !memstream_close(memory, &text) && done)
        done = export_no_memory(error);
    if (done)
        return text;
    free(text);
    return NULL;
}

static void put_tree(FILE *out, const struct tree *tree)
{
    static const char *const columns[] = {"depth", "name", "from", "count", NULL};
    const struct profile *profile = tree->page->profile;
    struct json json;

    data_begin(&json, out, "tree");
    json_text(&json, "unit", profile->received[EVENT_SAMPLE] > 0 ? "samples" : "ticks");
    json_real(&json, "hz", folded_hz(profile));
    json_bool(&json, "tasks", profile->task_count > 0);
    json_whole(&json, "total", tree->lines.total);
    put_names(&json, tree);
    put_counts(&json, tree);
    data_words(&json, "columns", columns);
    json_open(&json, "values", '[');
    walk(tree, put_node, &json);
    json_close(&json, ']');
    data_end(&json);
}

bool data_tree(FILE *out, const struct page *page, struct error *error)
{
    struct tree tree = {.page = page};
    char *text = fold(page, error);
    bool done = text != NULL;

    if (done && text[0] == '\0') { /* there are only counts, and they make no paths: the
                                    * block is left out */
        free(text);
        return true;
    }
    done = done && folded_lines_read(&tree.lines, &tree.names, text, error);
    if (done && name_functions(&tree) && find_counts(&tree)) {
        put_hottest(out, &tree);
        put_tree(out, &tree);
    } else if (done) {
        done = export_no_memory(error);
    }
    for (size_t i = 0; tree.functions != NULL && i < page->analysis->function_count; i++)
        free(tree.functions[i].name);
    free(tree.functions);
    free(tree.counts);
    free(tree.from);
    folded_lines_release(&tree.lines, &tree.names);
    free(text);
    return done;
}
