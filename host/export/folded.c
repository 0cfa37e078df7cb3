/* SPDX-License-Identifier: MIT */
/*
 * Writes "root;child;leaf count" lines, as flamegraph.pl and speedscope read them; the
 * counts add up to exactly the samples or, without any, to the program's time in ticks.
 */
#include <stdlib.h>

#include "../analysis/frame_tree.h"
#include "export.h"

/* Puts a name; a semicolon would end it. */
static void put_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        putc_unlocked(*name == ';' ? ',' : *name, out);
}

static bool put_lines(FILE *out, const struct frame_tree *tree)
{
    uint32_t *path = calloc(tree->depth + 1, sizeof *path);
    bool done = path != NULL;

    for (size_t i = 1; done && i < tree->count; i++) {
        path[tree->nodes[i].depth - 1] = (uint32_t)i;
        if (tree->nodes[i].self == 0)
            continue;
        for (size_t j = 0; j < tree->nodes[i].depth; j++) {
            if (j > 0)
                putc_unlocked(';', out);
            put_name(out, tree_frame(tree, path[j])->text);
        }
        fprintf(out, " %llu\n", (unsigned long long)tree->nodes[i].self);
    }
    free(path);
    return done;
}

bool export_folded(FILE *out, const struct profile *profile,
                   const struct analysis *analysis, struct image *image,
                   const struct export_options *options, struct error *error)
{
    struct frame_tree tree;

    if (!frame_tree_build(&tree, TREE_BY_FUNCTION, profile, analysis, image, error))
        return false;
    if (profile->received[EVENT_SAMPLE] == 0 && !analysis->timed.known &&
        options->warn != NULL)
        options->warn("neither samples nor timed calls: counts alone make no lines");
    bool done = put_lines(out, &tree) || error_no_memory(error);
    frame_tree_release(&tree);
    return done;
}
