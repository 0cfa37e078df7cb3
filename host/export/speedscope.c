/* SPDX-License-Identifier: MIT */
/* Writes speedscope's file format, version 0.0.1, as a profile of samples. */
#include <stdlib.h>

#include "../analysis/frame_tree.h"
#include "export.h"

/* The root is no frame of a stack. */
static void put_names(struct json *json, const struct frame_tree *tree)
{
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (size_t i = 1; i < tree->frame_count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", tree->frames[i].text);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_stacks(struct json *json, const struct frame_tree *tree, uint32_t *path)
{
    json_open(json, "samples", '[');
    for (size_t i = 1; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];

        path[node->depth - 1] = node->frame - 1;
        if (node->self == 0)
            continue;
        json_open(json, NULL, '[');
        for (size_t j = 0; j < node->depth; j++)
            json_whole(json, NULL, path[j]);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Weights are seconds if the rate is known, else counts. */
static void put_profile(struct json *json, const struct frame_tree *tree, uint32_t *path)
{
    double unit = tree->hz > 0 ? tree->hz : 1;

    json_open(json, NULL, '{');
    json_text(json, "type", "sampled");
    json_text(json, "name", "mcuprof");
    json_text(json, "unit", tree->hz > 0 ? "seconds" : "none");
    json_whole(json, "startValue", 0);
    json_real(json, "endValue", (double)tree->nodes[0].total / unit);
    put_stacks(json, tree, path);
    json_open(json, "weights", '[');
    for (size_t i = 1; i < tree->count; i++)
        if (tree->nodes[i].self > 0)
            json_real(json, NULL, (double)tree->nodes[i].self / unit);
    json_close(json, ']');
    json_close(json, '}');
}

static bool put_all(FILE *out, const struct frame_tree *tree)
{
    uint32_t *path = calloc(tree->depth + 1, sizeof *path);
    struct json json = {.out = out};

    if (path == NULL)
        return false;
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&json, "exporter", "mcuprof");
    put_names(&json, tree);
    json_open(&json, "profiles", '[');
    put_profile(&json, tree, path);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', out);
    free(path);
    return true;
}

bool export_speedscope(FILE *out, const struct frame_tree *tree,
                       const struct analysis *analysis, struct image *image,
                       struct error *error)
{
    (void)analysis;
    (void)image;
    return put_all(out, tree) || error_no_memory(error);
}
