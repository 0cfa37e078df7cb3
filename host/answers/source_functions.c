/* SPDX-License-Identifier: MIT */
#include "source_functions.h"

#include <stdlib.h>
#include <string.h>

#include "../base/path.h"
#include "../base/search.h"

static struct source_function source_of(const struct analysis *analysis,
                                        const struct tree_frame *frame)
{
    const struct function *function = &analysis->functions[frame->number];
    const struct image_symbol *symbol = function->symbol;

    if (frame->kind == TREE_INLINED)
        return (struct source_function){.name = frame->of->name,
                                        .plain = frame->of->inlined,
                                        .file = path_tail(frame->of->file, 1)};
    return (struct source_function){.name = function->name,
                                    .plain = symbol != NULL ? symbol->demangled
                                                            : function->name,
                                    .file = symbol != NULL ? symbol->source : NULL};
}

static int by_name(const void *left, const void *right)
{
    const struct source_function *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static struct source_function *find(const struct source_functions *sources,
                                    const char *name)
{
    size_t low = 0;

    SEARCH(low, sources->count, strcmp(sources->items[middle].name, name) < 0);
    return low < sources->count && strcmp(sources->items[low].name, name) == 0
               ? &sources->items[low]
               : NULL;
}

/* Makes one of the frames of each name. */
static void list(struct source_functions *sources, const struct analysis *analysis,
                 const struct frame_tree *tree)
{
    size_t count = 0;

    for (size_t i = 0; i < tree->frame_count; i++)
        if (tree_is_code(&tree->frames[i]))
            sources->items[count++] = source_of(analysis, &tree->frames[i]);
    qsort(sources->items, count, sizeof *sources->items, by_name);
    for (size_t i = 0; i < count; i++)
        if (i == 0 ||
            by_name(&sources->items[i], &sources->items[sources->count - 1]) != 0)
            sources->items[sources->count++] = sources->items[i];
}

/* Whether a node is, or is inlined into, a function of the profiler. */
static bool is_own(const struct analysis *analysis, const struct frame_tree *tree,
                   size_t node)
{
    size_t function = frame_tree_above(tree, node, TREE_FUNCTION);

    return analysis->functions[tree_frame(tree, function)->number].overhead;
}

/* Adds the samples of nodes; `of`: by frame, `below`: by source, both of zeros. */
static void add_nodes(struct source_functions *sources, const struct analysis *analysis,
                      const struct frame_tree *tree, struct source_function **of,
                      uint32_t *below)
{
    for (size_t i = 0; i < tree->frame_count; i++)
        if (tree_is_code(&tree->frames[i]))
            of[i] = find(sources, source_of(analysis, &tree->frames[i]).name);
    for (size_t i = 1; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        const struct tree_frame *frame = tree_frame(tree, i);
        struct source_function *source = of[node->frame];

        if (frame->kind == TREE_PROFILER)
            i = node->end - 1;
        if (source == NULL || is_own(analysis, tree, i))
            continue;
        source->self += (double)node->self;
        if (i < below[source - sources->items])
            continue;
        below[source - sources->items] = node->end;
        source->total += (double)node->total;
        if (frame->kind == TREE_INLINED)
            source->inlined += (double)node->total;
    }
}

/* What may be missing of a function may be missing of all that is inlined into it. */
static void add_hidden(struct source_functions *sources, const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->frame_count; i++) {
        const struct frame *frame = &analysis->frames[i];
        struct source_function *source = frame->same == i && frame->inlined != NULL
                                             ? find(sources, frame->name)
                                             : NULL;

        if (source != NULL)
            source->hidden += analysis->functions[frame->function].hidden;
    }
}

bool sources_find(struct source_functions *sources, const struct profile *profile,
                  const struct analysis *analysis, struct error *error)
{
    struct frame_tree tree;

    if (!frame_tree_build(&tree, TREE_BY_FUNCTION, profile, analysis, NULL, error))
        return false;
    *sources =
        (struct source_functions){calloc(tree.frame_count, sizeof *sources->items), 0};
    struct source_function **of = calloc(tree.frame_count, sizeof *of);
    uint32_t *below = calloc(tree.frame_count, sizeof *below);
    bool done = sources->items != NULL && of != NULL && below != NULL;
    if (done) {
        list(sources, analysis, &tree);
        add_nodes(sources, analysis, &tree, of, below);
        add_hidden(sources, analysis);
    } else {
        free(sources->items);
        error_no_memory(error);
    }
    free(of);
    free(below);
    frame_tree_release(&tree);
    return done;
}

void sources_release(struct source_functions *sources)
{
    free(sources->items);
}
