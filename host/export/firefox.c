/* SPDX-License-Identifier: MIT */
/* Writes the tree of frames as profiler.firefox.com opens it: its processed format,
 * version 61 (the project's src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md). Each task is a thread. Samples follow each other
 * in the order of their paths, because it is not known when they were taken. */
#include <stdlib.h>

#include "../analysis/frame_tree.h"
#include "export.h"

enum { VERSION = 61, GECKO_VERSION = 31 };
static const size_t NONE = SIZE_MAX; /* null */

/* The format's stacks: a frame and the stack that called it. They are the tree's nodes,
 * but for the root and tasks, which are threads. */
struct stack_table {
    const struct frame_tree *tree;
    size_t *frames, *callers; /* of each stack; a caller may be NONE */
    size_t *numbers;          /* of each node: its stack's number, or NONE */
    size_t count;
};

static bool is_thread(const struct frame_tree *tree, size_t node)
{
    return node == 0 || tree_frame(tree, node)->kind == TREE_TASK;
}

static bool make_stacks(struct stack_table *stacks)
{
    const struct frame_tree *tree = stacks->tree;

    stacks->frames = calloc(tree->count, sizeof *stacks->frames);
    stacks->callers = calloc(tree->count, sizeof *stacks->callers);
    stacks->numbers = calloc(tree->count, sizeof *stacks->numbers);
    if (stacks->frames == NULL || stacks->callers == NULL || stacks->numbers == NULL)
        return false;
    for (size_t i = 0; i < tree->count; i++) {
        stacks->numbers[i] = NONE;
        if (is_thread(tree, i))
            continue;
        stacks->frames[stacks->count] = tree->nodes[i].frame;
        stacks->callers[stacks->count] = stacks->numbers[tree->nodes[i].parent];
        stacks->numbers[i] = stacks->count++;
    }
    return true;
}

static void stacks_release(struct stack_table *stacks)
{
    free(stacks->frames);
    free(stacks->callers);
    free(stacks->numbers);
}

static void put_column(struct json *json, const char *key, const size_t *numbers,
                       size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == NONE)
            json_null(json, NULL);
        else
            json_whole(json, NULL, numbers[i]);
    }
    json_close(json, ']');
}

/* Puts columns that are the same in each row: `value` is a digit, '-' for -1, 'n' for
 * null, 'f' for false, or 'i' for the row's number. */
static void put_columns(struct json *json, const char *const keys[], const char *values,
                        size_t count)
{
    for (size_t k = 0; keys[k] != NULL; k++) {
        json_open(json, keys[k], '[');
        for (size_t i = 0; i < count; i++) {
            if (values[k] == 'n')
                json_null(json, NULL);
            else if (values[k] == 'f')
                json_bool(json, NULL, false);
            else if (values[k] == '-')
                json_real(json, NULL, -1);
            else
                json_whole(json, NULL, values[k] == 'i' ? i : 0);
        }
        json_close(json, ']');
    }
    json_whole(json, "length", count);
}

static void put_table(struct json *json, const char *key, const char *const keys[],
                      const char *values, size_t count)
{
    json_open(json, key, '{');
    put_columns(json, keys, values, count);
    json_close(json, '}');
}

/* Puts functions and frames: each function has one frame. */
static void put_shared(struct json *json, const struct stack_table *stacks)
{
    const struct frame_tree *tree = stacks->tree;

    json_open(json, "shared", '{');
    json_open(json, "stringArray", '[');
    for (size_t i = 0; i < tree->frame_count; i++)
        json_text(json, NULL, tree->frames[i].text);
    json_close(json, ']');
    json_open(json, "stackTable", '{');
    put_column(json, "frame", stacks->frames, stacks->count);
    put_column(json, "prefix", stacks->callers, stacks->count);
    json_whole(json, "length", stacks->count);
    json_close(json, '}');
    put_table(json, "frameTable",
              (const char *[]){"func", "address", "inlineDepth", "category",
                               "subcategory", "nativeSymbol", "innerWindowID", "line",
                               "column", NULL},
              "i-000n0nn", tree->frame_count);
    put_table(json, "funcTable",
              (const char *[]){"name", "isJS", "relevantForJS", "resource", "source",
                               "lineNumber", "columnNumber", NULL},
              "iff-nnn", tree->frame_count);
    put_table(json, "resourceTable",
              (const char *[]){"lib", "name", "host", "type", NULL}, "nnnn", 0);
    put_table(json, "nativeSymbols",
              (const char *[]){"libIndex", "address", "name", "functionSize", NULL},
              "nnnn", 0);
    put_table(json, "sources",
              (const char *[]){"id", "filename", "startLine", "startColumn",
                               "sourceMapURL", NULL},
              "nnnnn", 0);
    json_close(json, '}');
}

/* The samples of a thread: of a task's node or, if that is the root, of all that are in
 * no task. */
struct thread {
    const struct stack_table *stacks;
    size_t node;
};

/* The next node of the thread with samples after `node`; the tree's count: none is left.
 */
static size_t next_sample(const struct thread *thread, size_t node)
{
    const struct frame_tree *tree = thread->stacks->tree;
    size_t end = tree->nodes[thread->node].end;

    while (++node < end) {
        if (node != thread->node && is_thread(tree, node))
            node = tree->nodes[node].end - 1;
        else if (tree->nodes[node].self > 0)
            return node;
    }
    return tree->count;
}

/* Puts the samples. Times and weights are milliseconds if the rate is known, else counts.
 * A last sample without weight marks the end of the one before it. */
static void put_samples(struct json *json, const struct thread *thread)
{
    const struct frame_tree *tree = thread->stacks->tree;
    double scale = tree->hz > 0 ? 1000 / tree->hz : 1, at = 0;
    size_t first = next_sample(thread, thread->node), count = 1;

    json_open(json, "samples", '{');
    json_open(json, "stack", '[');
    for (size_t i = first; i < tree->count; i = next_sample(thread, i), count++)
        json_whole(json, NULL, thread->stacks->numbers[i]);
    json_null(json, NULL);
    json_close(json, ']');
    json_open(json, "time", '[');
    json_real(json, NULL, at);
    for (size_t i = first; i < tree->count; i = next_sample(thread, i))
        json_real(json, NULL, at += (double)tree->nodes[i].self * scale);
    json_close(json, ']');
    json_open(json, "weight", '[');
    for (size_t i = first; i < tree->count; i = next_sample(thread, i))
        json_real(json, NULL, (double)tree->nodes[i].self * scale);
    json_whole(json, NULL, 0);
    json_close(json, ']');
    json_text(json, "weightType", tree->hz > 0 ? "tracing-ms" : "samples");
    json_whole(json, "length", count);
    json_close(json, '}');
}

static void put_thread(struct json *json, const struct thread *thread, size_t number)
{
    const struct frame_tree *tree = thread->stacks->tree;

    json_open(json, NULL, '{');
    json_text(json, "name",
              thread->node > 0 ? tree_frame(tree, thread->node)->text : "firmware");
    json_text(json, "processType", "default");
    json_text(json, "processName", "mcuprof");
    json_whole(json, "processStartupTime", 0);
    json_null(json, "processShutdownTime");
    json_whole(json, "registerTime", 0);
    json_null(json, "unregisterTime");
    json_open(json, "pausedRanges", '[');
    json_close(json, ']');
    json_bool(json, "isMainThread", number == 0);
    json_text(json, "pid", "0");
    json_whole(json, "tid", number);
    put_samples(json, thread);
    put_table(json, "markers",
              (const char *[]){"data", "name", "startTime", "endTime", "phase",
                               "category", NULL},
              "nnnnnn", 0);
    json_close(json, '}');
}

static void put_threads(struct json *json, const struct stack_table *stacks)
{
    const struct frame_tree *tree = stacks->tree;
    struct thread thread = {stacks, 0};
    size_t number = 0;

    json_open(json, "threads", '[');
    if (next_sample(&thread, 0) < tree->count)
        put_thread(json, &thread, number++);
    for (size_t i = 1; i < tree->count; i = tree->nodes[i].end) {
        thread.node = i;
        if (is_thread(tree, i))
            put_thread(json, &thread, number++);
    }
    json_close(json, ']');
}

static void put_meta(struct json *json, double hz)
{
    json_open(json, "meta", '{');
    json_text(json, "product", "mcuprof");
    json_whole(json, "version", GECKO_VERSION);
    json_whole(json, "preprocessedProfileVersion", VERSION);
    json_real(json, "interval", hz > 0 ? 1000 / hz : 1);
    json_whole(json, "startTime", 0);
    json_whole(json, "processType", 0);
    json_whole(json, "stackwalk", 1);
    json_bool(json, "symbolicated", true);
    json_bool(json, "usesOnlyOneStackType", true);
    json_bool(json, "sourceCodeIsNotOnSearchfox", true);
    json_open(json, "markerSchema", '[');
    json_close(json, ']');
    json_open(json, "categories", '[');
    json_open(json, NULL, '{');
    json_text(json, "name", "Other");
    json_text(json, "color", "grey");
    json_open(json, "subcategories", '[');
    json_text(json, NULL, "Other");
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
    json_close(json, '}');
}

static void put_all(FILE *out, const struct stack_table *stacks)
{
    struct json json = {.out = out};

    json_open(&json, NULL, '{');
    put_meta(&json, stacks->tree->hz);
    json_open(&json, "libs", '[');
    json_close(&json, ']');
    put_shared(&json, stacks);
    put_threads(&json, stacks);
    json_close(&json, '}');
    fputc('\n', out);
}

bool export_firefox(FILE *out, const struct frame_tree *tree,
                    const struct analysis *analysis, struct image *image,
                    struct error *error)
{
    struct stack_table stacks = {.tree = tree};

    (void)analysis;
    (void)image;
    bool done = make_stacks(&stacks) || error_no_memory(error);
    if (done)
        put_all(out, &stacks);
    stacks_release(&stacks);
    return done;
}
