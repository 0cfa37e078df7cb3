/* SPDX-License-Identifier: MIT */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "../base/utf8.h"

char *export_text(const char *name, size_t most)
{
    return utf8_text(name, most);
}

struct image_line export_place(struct image *image, const struct function *function)
{
    enum { DEPTH = 32 };
    struct image_line lines[DEPTH];
    size_t depth = 0;

    if (image != NULL && function->symbol != NULL)
        depth = image_lines(image, function->address, lines, DEPTH);
    /* the last one is the function itself; code inlined at its start comes before */
    return depth > 0 ? lines[depth - 1] : (struct image_line){0};
}

struct image_line export_call_site(struct image *image, const struct call_site *site)
{
    struct image_line line;

    if (site->inlined)
        return site->where;
    return image != NULL && site->from > 0 &&
                   image_lines(image, site->from - 1, &line, 1) > 0
               ? line
               : (struct image_line){0};
}

const struct task_sum *export_task(const struct export_options *options)
{
    const struct export_part *part = options->part;

    return part != NULL ? &part->tasks->items[part->number] : NULL;
}

bool export_is_first(const struct export_options *options)
{
    return options->part == NULL || options->part->written == 0;
}

bool export_is_last(const struct export_options *options)
{
    return options->part == NULL ||
           options->part->written + 1 == options->part->tasks->count;
}
