/* SPDX-License-Identifier: MIT */
/* Writes a format, some once for each task. */
#include <stdlib.h>

#include "export.h"

static bool write_tree(const struct export_format *format, FILE *out,
                       const struct profile *profile, const struct analysis *analysis,
                       struct image *image, struct error *error)
{
    struct frame_tree tree;

    if (!frame_tree_build(&tree, format->view, profile, analysis, image, error))
        return false;
    bool done = tree.nodes[0].total > 0
                    ? format->write_tree(out, &tree, analysis, image, error)
                    : error_set(error, EXIT_BAD_INPUT,
                                "there are neither samples nor timed calls to show");
    frame_tree_release(&tree);
    return done;
}

static bool write_one(const struct export_format *format, FILE *out,
                      const struct profile *profile, struct image *image,
                      const struct export_options *options, struct error *error)
{
    struct analysis analysis;
    bool done;

    if (!analyse(&analysis, profile, image, error))
        return false;
    done = format->write != NULL
               ? format->write(out, profile, &analysis, image, options, error)
               : write_tree(format, out, profile, &analysis, image, error);
    analysis_release(&analysis);
    return done;
}

/* Writes the part of each task, the busiest first or last. */
static bool write_parts(const struct export_format *format, FILE *out,
                        const struct profile *profile, struct image *image,
                        struct export_options options, const struct task_sums *tasks,
                        struct error *error)
{
    struct profile *parts = calloc(tasks->count, sizeof *parts);
    unsigned known = 0;
    struct export_part part = {.tasks = tasks, .known = &known, .warn = options.warn};
    bool done = true;

    if (parts == NULL || !profile_split(parts, profile, tasks)) {
        free(parts);
        return error_no_memory(error);
    }
    options.part = &part;
    if (tasks->samples > 0)
        options.warn = NULL; /* a warning that one task has no data would mislead:
                              * others may have some */
    for (; part.written < tasks->count && done; part.written++) {
        part.number = format->upwards ? tasks->count - 1 - part.written : part.written;
        done = write_one(format, out, &parts[part.number], image, &options, error);
    }
    for (size_t i = 0; i < tasks->count; i++)
        profile_release(&parts[i]);
    free(parts);
    return done;
}

bool export_all(const struct export_format *format, FILE *out,
                const struct profile *profile, struct image *image,
                const struct export_options *options, struct error *error)
{
    struct task_sums tasks;
    bool done;

    if (!task_sums_init(&tasks, profile))
        return error_no_memory(error);
    if (format->by_task && profile->task_count > 0 && tasks.count > 0)
        done = write_parts(format, out, profile, image, *options, &tasks, error);
    else
        done = write_one(format, out, profile, image, options, error);
    task_sums_release(&tasks);
    return done;
}
