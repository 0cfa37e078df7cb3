/* SPDX-License-Identifier: MIT */
/* Writes folded.c's lines as profiler.firefox.com opens them: its processed format,
 * version 61 (the project's src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md). Each task is a thread. Samples follow each other
 * in the order of their paths, because it is not known when they were taken. */
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "folded_lines.h"

enum { VERSION = 61, GECKO_VERSION = 31 };
static const size_t NONE = SIZE_MAX; /* null */

/* The tree of all paths: a stack is a frame and the stack that called it. */
struct tree {
    size_t *names, *callers; /* of each stack; a caller may be NONE */
    size_t *of_line;
    size_t count;
};

/* The number of a line's first frames that are not shown: its task is one, because the
 * task is the thread. */
static size_t hidden(const struct profile *profile, const struct folded_line *line)
{
    return profile->task_count > 0 && line->depth > 1 ? 1 : 0;
}

static bool make_tree(struct tree *tree, const struct folded_lines *lines,
                      const struct folded_names *names, const struct profile *profile)
{
    size_t all = 0, *path = calloc(lines->depth_max + 1, sizeof *path);

    for (size_t i = 0; i < lines->count; i++)
        all += lines->items[i].depth;
    tree->names = calloc(all, sizeof *tree->names);
    tree->callers = calloc(all, sizeof *tree->callers);
    tree->of_line = calloc(lines->count, sizeof *tree->of_line);
    if (path == NULL || tree->names == NULL || tree->callers == NULL ||
        tree->of_line == NULL) {
        free(path);
        return false;
    }
    for (size_t i = 0; i < lines->count; i++) {
        const struct folded_line *line = &lines->items[i];
        size_t first = hidden(profile, line);
        size_t shared = i > 0 ? folded_shared(line, line - 1) : 0;

        for (size_t j = shared > first ? shared : first; j < line->depth; j++) {
            tree->names[tree->count] = folded_name_number(names, line->frames[j]);
            tree->callers[tree->count] = j > first ? path[j - 1] : NONE;
            path[j] = tree->count++;
        }
        tree->of_line[i] = path[line->depth - 1];
    }
    free(path);
    return true;
}

static void tree_release(struct tree *tree)
{
    free(tree->names);
    free(tree->callers);
    free(tree->of_line);
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

/* Puts functions and frames: a function is a name, and each has one frame. */
static void put_shared(struct json *json, const struct tree *tree,
                       const struct folded_names *names)
{
    json_open(json, "shared", '{');
    json_open(json, "stringArray", '[');
    for (size_t i = 0; i < names->count; i++)
        json_text(json, NULL, names->items[i]);
    json_close(json, ']');
    json_open(json, "stackTable", '{');
    put_column(json, "frame", tree->names, tree->count);
    put_column(json, "prefix", tree->callers, tree->count);
    json_whole(json, "length", tree->count);
    json_close(json, '}');
    put_table(json, "frameTable",
              (const char *[]){"func", "address", "inlineDepth", "category",
                               "subcategory", "nativeSymbol", "innerWindowID", "line",
                               "column", NULL},
              "i-000n0nn", names->count);
    put_table(json, "funcTable",
              (const char *[]){"name", "isJS", "relevantForJS", "resource", "source",
                               "lineNumber", "columnNumber", NULL},
              "iff-nnn", names->count);
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

/* Puts the samples. Times and weights are milliseconds if the rate is known, else counts.
 * A last sample without weight marks the end of the one before it. */
static void put_samples(struct json *json, const struct folded_lines *lines,
                        const struct tree *tree, size_t from, size_t to, double hz)
{
    double scale = hz > 0 ? 1000 / hz : 1, at = 0;

    json_open(json, "samples", '{');
    json_open(json, "stack", '[');
    for (size_t i = from; i < to; i++)
        json_whole(json, NULL, tree->of_line[i]);
    json_null(json, NULL);
    json_close(json, ']');
    json_open(json, "time", '[');
    json_real(json, NULL, at);
    for (size_t i = from; i < to; i++)
        json_real(json, NULL, at += (double)lines->items[i].count * scale);
    json_close(json, ']');
    json_open(json, "weight", '[');
    for (size_t i = from; i < to; i++)
        json_real(json, NULL, (double)lines->items[i].count * scale);
    json_whole(json, NULL, 0);
    json_close(json, ']');
    json_text(json, "weightType", hz > 0 ? "tracing-ms" : "samples");
    json_whole(json, "length", to - from + 1);
    json_close(json, '}');
}

static void put_thread(struct json *json, const struct folded_lines *lines,
                       const struct tree *tree, const char *name, size_t from, size_t to,
                       double hz)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "processType", "default");
    json_text(json, "processName", "mcuprof");
    json_whole(json, "processStartupTime", 0);
    json_null(json, "processShutdownTime");
    json_whole(json, "registerTime", 0);
    json_null(json, "unregisterTime");
    json_open(json, "pausedRanges", '[');
    json_close(json, ']');
    json_bool(json, "isMainThread", from == 0);
    json_text(json, "pid", "0");
    json_whole(json, "tid", from);
    put_samples(json, lines, tree, from, to, hz);
    put_table(json, "markers",
              (const char *[]){"data", "name", "startTime", "endTime", "phase",
                               "category", NULL},
              "nnnnnn", 0);
    json_close(json, '}');
}

static void put_threads(struct json *json, const struct folded_lines *lines,
                        const struct tree *tree, const struct profile *profile)
{
    bool tasks = profile->task_count > 0;

    json_open(json, "threads", '[');
    for (size_t from = 0, to; from < lines->count; from = to) {
        const char *task = lines->items[from].frames[0];

        for (to = from + 1; to < lines->count; to++)
            if (tasks && strcmp(lines->items[to].frames[0], task) != 0)
                break;
        put_thread(json, lines, tree, tasks ? task : "firmware", from, to,
                   folded_hz(profile));
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

bool export_firefox(FILE *out, const char *text, const struct profile *profile,
                    struct image *image, struct error *error)
{
    struct json json = {.out = out};
    struct folded_names names;
    struct folded_lines lines;
    struct tree tree = {0};
    bool done = folded_lines_read(&lines, &names, text, error) &&
                (make_tree(&tree, &lines, &names, profile) || export_no_memory(error));

    (void)image;
    if (done) {
        json_open(&json, NULL, '{');
        put_meta(&json, folded_hz(profile));
        json_open(&json, "libs", '[');
        json_close(&json, ']');
        put_shared(&json, &tree, &names);
        put_threads(&json, &lines, &tree, profile);
        json_close(&json, '}');
        fputc('\n', out);
    }
    tree_release(&tree);
    folded_lines_release(&lines, &names);
    return done;
}
