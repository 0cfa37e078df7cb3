/* SPDX-License-Identifier: MIT */
/*
 * Finds files and lines of labels, and makes labels of lines (-l). It goes through .text
 * once, from border to border, instead of looking up each byte.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/path.h"
#include "../../base/search.h"
#include "../../base/vector.h"
#include "image.h"

struct bfd_lines *gprof_lines(struct gprof *gprof)
{
    struct gprof_image *image = gprof->image;
    struct bfd_text text = {image->text_index, image->text_low, image->text_high};
    if (image->lines == NULL && !bfd_lines_open(&image->lines, &image->file, &text)) {
        bfd_lines_release(image->lines);
        image->lines = NULL;
    }
    return image->lines;
}

bool gprof_lines_depend(struct gprof *gprof, bool *depends)
{
    const struct bfd_lines *lines = gprof_lines(gprof);
    if (lines != NULL)
        *depends = bfd_lines_depend(lines);
    return lines != NULL;
}

/* ---- Numbers of files ---- */

/* A path of gprof->files, with its number. */
struct numbered {
    const char *path;
    uint32_t number;
};

static int by_path(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    return strcmp(a->path, b->path);
}

/* Adds the path with the next number. */
static struct numbered *add_path(struct gprof *gprof, const char *path)
{
    struct gprof_image *image = gprof->image;
    struct numbered *added = malloc(sizeof(*added));
    if (added == NULL)
        return NULL;
    *added = (struct numbered){path, (uint32_t)gprof->file_count + 1};
    if (!vector_grow(&gprof->files, gprof->file_count, &image->file_room,
                     sizeof(*gprof->files)) ||
        tsearch(added, &image->paths, by_path) == NULL) {
        free(added);
        return NULL;
    }
    gprof->files[gprof->file_count] = (struct gprof_file){
        .path = path, .base = path_tail(path, 1), .order = gprof->file_count};
    gprof->file_count++;
    return added;
}

/* Gives the file its number in gprof->files, if it has none. */
static bool number_file(struct gprof *gprof, struct bfd_file *file)
{
    struct numbered wanted = {file->path, 0};
    if (file->number != 0)
        return true;
    struct numbered **found = tfind(&wanted, &gprof->image->paths, by_path);
    struct numbered *numbered = found != NULL ? *found : add_path(gprof, file->path);
    file->number = numbered == NULL ? 0 : numbered->number;
    return numbered != NULL;
}

/* ---- Lines ---- */

/* What is known of an address, and up to which address the same is true. */
struct known_line {
    uint32_t file; /* number in gprof->files; 0: file and line are unknown */
    uint32_t line;
    const char *name; /* NULL: unknown */
    bool is_static;
    uint64_t until;
};

/* place->until is in and out, as in bfd_lines_at(). */
static bool find_place(struct gprof *gprof, uint64_t address, bool names,
                       struct known_line *place)
{
    struct bfd_place found = {.until = place->until};
    if (!bfd_lines_at(gprof->image->lines, address, names, &found) ||
        (found.file != NULL && !number_file(gprof, found.file)))
        return false;
    *place = (struct known_line){.file = found.file == NULL ? 0 : found.file->number,
                                 .line = found.line,
                                 .name = found.name,
                                 .until = found.until};
    return true;
}

bool gprof_find_line(struct gprof *gprof, struct gprof_label *label)
{
    const struct bfd_lines *lines = gprof_lines(gprof);
    struct known_line place = {.until = UINT64_MAX};
    if (lines == NULL)
        return false;
    bool names = gprof->options.lines || !bfd_has_name(lines, label->address);
    if (!find_place(gprof, label->address, names, &place))
        return false;
    if (place.file != 0 && (place.name != NULL || !names)) {
        label->file = place.file;
        label->line = place.line;
    }
    return true;
}

/* Whether the function that the address belongs to is static: then its lines are static,
 * too. */
static bool is_static_at(const struct gprof_labels *functions, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, functions->count, functions->items[middle].address <= address);
    return low > 0 && address <= functions->items[low - 1].end &&
           functions->items[low - 1].is_static;
}

static bool same(const struct known_line *a, const struct known_line *b)
{
    return a->file == b->file && a->line == b->line && a->name != NULL &&
           b->name != NULL && strcmp(a->name, b->name) == 0;
}

/* Adds a label at `address` if `place` is another line than `last` is. */
static bool add_line(const struct gprof_labels *functions, uint64_t address,
                     const struct known_line *place, struct known_line *last,
                     struct gprof_labels *labels)
{
    struct gprof_label label = {.address = address,
                                .name = place->name,
                                .file = place->file,
                                .line = place->line,
                                .is_line = true,
                                .is_static = last->is_static};
    /* The line is static as the line before it is, if both are of the same function. */
    if (last->name == NULL || strcmp(last->name, place->name) != 0)
        label.is_static = is_static_at(functions, address);
    *last = *place;
    last->is_static = label.is_static;
    return gprof_add_label(labels, &label);
}

static bool walk_text(struct gprof *gprof, const struct gprof_labels *functions,
                      struct gprof_labels *labels)
{
    const struct gprof_image *image = gprof->image;
    struct known_line last = {.name = NULL};
    for (uint64_t at = image->text_low; at < image->text_high;) {
        struct known_line place = {.until = image->text_high};
        if (!find_place(gprof, at, true, &place))
            return false;
        if (place.file != 0 && place.name != NULL && !same(&place, &last) &&
            !add_line(functions, at, &place, &last, labels))
            return false;
        at = place.until;
    }
    return true;
}

bool gprof_add_line_labels(struct gprof *gprof, const struct gprof_labels *functions,
                           struct gprof_labels *labels)
{
    const struct bfd_lines *lines = gprof_lines(gprof);
    if (lines == NULL)
        return false;
    /* GNU gprof looks all addresses up twice, and makes labels the second time. */
    size_t changes = bfd_lines_changes(lines), count = labels->count;
    if (!walk_text(gprof, functions, labels))
        return false;
    if (bfd_lines_changes(lines) == changes)
        return true;
    labels->count = count;
    return walk_text(gprof, functions, labels);
}
