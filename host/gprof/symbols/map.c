/* SPDX-License-Identifier: MIT */
/*
 * The map of -R: lines "OBJECT:ANYTHING FUNCTION", as `nm -A` prints them. The object is
 * what stands before the first colon. The function is what stands behind the last blank,
 * or behind the colon if there is no blank (GNU gprof crashes then).
 *
 * In a run of lines with the same object only the first function becomes a symbol, under
 * the object's name. Static functions may be on several lines by the same name: then the
 * line that a binary search meets first counts.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/vector.h"
#include "image.h"

static bool out_of_memory(struct error *error)
{
    return error_set(error, EXIT_NO, "out of memory");
}

static bool add_entry(struct gprof_map *map, const char *object, const char *function)
{
    if (!vector_grow(&map->entries, map->count, &map->room, sizeof *map->entries))
        return false;
    map->entries[map->count] = (struct gprof_map_entry){
        .object = object,
        .function = function,
        .kept =
            map->count == 0 || strcmp(map->entries[map->count - 1].object, object) != 0,
    };
    map->count++;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads the line at *line and moves *line to the next one. *bad: the line has no object.
 * */
static bool add_line(struct gprof_map *map, char **line, bool *bad)
{
    static const char none[] = "No symbols in ";
    char *object = *line, *end = object + strcspn(object, ":\n"), *rest, *blank;
    bool skip = strncmp(object, none, sizeof none - 1) == 0;
    bool colon = *end == ':';

    /* GNU gprof skips a line that says "No symbols in", but only up to its colon. */
    *bad = !skip && (!colon || end == object);
    *line = end + (*end != '\0');
    if (skip || *bad)
        return true;
    *end = '\0';
    rest = *line;
    end = rest + strcspn(rest, "\n");
    *line = end + (*end != '\0');
    *end = '\0';
    blank = strrchr(rest, ' ');
    return add_entry(map, object, blank != NULL ? blank + 1 : rest);
}

/* White space before the object is skipped in the first line only. */
static bool add_lines(struct gprof_map *map, bool *bad)
{
    char *line = map->text;

    while (*line != '\0' && !*bad) {
        if (!add_line(map, &line, bad))
            return false;
        while (is_space(*line))
            line++;
    }
    return true;
}

static int by_function(const void *left, const void *right, void *context)
{
    const struct gprof_map_entry *a = left, *b = right;

    (void)context;
    return strcmp(a->function, b->function);
}

static bool sort_functions(struct gprof_map *map)
{
    map->sorted = malloc((map->count + 1) * sizeof(struct gprof_map_entry *));
    if (map->sorted == NULL)
        return false;
    for (size_t i = 0; i < map->count; i++)
        map->sorted[i] = &map->entries[i];
    return sort_stable((void **)map->sorted, map->count, by_function, NULL);
}

bool gprof_read_map(struct gprof *gprof, struct error *error)
{
    const char *path = gprof->options.file_order_map;
    bool bad = false;

    if (path == NULL)
        return true;
    gprof->map = calloc(1, sizeof *gprof->map);
    if (gprof->map == NULL)
        return out_of_memory(error);
    if (!gprof_read_text(path, &gprof->map->text, &gprof->map->text_bytes, error))
        return false;
    if (!add_lines(gprof->map, &bad))
        return out_of_memory(error);
    if (bad)
        return error_set(error, EXIT_NO, "unable to parse mapping file %s.", path);
    return sort_functions(gprof->map) || out_of_memory(error);
}

static const struct gprof_map_entry *find(const struct gprof_map *map, const char *name)
{
    size_t low = 0, high = map->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, map->sorted[middle]->function);

        if (order == 0)
            return map->sorted[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool gprof_map_name(const struct gprof *gprof, const char **name)
{
    const struct gprof_map_entry *entry =
        gprof->map != NULL ? find(gprof->map, *name) : NULL;

    if (entry == NULL)
        return true;
    *name = entry->object;
    return entry->kept;
}

bool gprof_map_has_named(const struct gprof_map *map, const char *name)
{
    uintptr_t begin = (uintptr_t)map->text, at = (uintptr_t)name;

    return at >= begin && at - begin < map->text_bytes;
}

void gprof_map_release(struct gprof *gprof)
{
    if (gprof->map == NULL)
        return;
    free(gprof->map->text);
    free(gprof->map->entries);
    free(gprof->map->sorted);
    free(gprof->map);
    gprof->map = NULL;
}
