/* SPDX-License-Identifier: MIT */
/*
 * The map of -R: lines "OBJECT:ANYTHING FUNCTION", as of `nm -A`. The object is what
 * stands before the first colon, the function what stands behind the last blank (behind
 * the colon, if there is none: GNU gprof crashes).
 *
 * Of the functions in a run of lines with the same object only the first becomes a
 * symbol, by the object's name; of several lines with the same function the last counts.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES_MAX = 1 << 30 };

static bool out_of_memory(struct error *error)
{
    return error_set(error, EXIT_NO, "out of memory");
}

static bool read_text(struct gprof_map *map, FILE *file)
{
    size_t room = 0;

    do {
        char *text;

        room = room == 0 ? 65536 : 2 * room;
        text = room <= MAP_BYTES_MAX ? realloc(map->text, room + 1) : NULL;
        if (text == NULL)
            return false;
        map->text = text;
        map->text_bytes += fread(text + map->text_bytes, 1, room - map->text_bytes, file);
    } while (map->text_bytes == room);
    map->text[map->text_bytes] = '\0';
    return true;
}

static bool add_entry(struct gprof_map *map, const char *object, const char *function)
{
    if (map->count == map->room) {
        size_t room = map->room == 0 ? 256 : 2 * map->room;
        struct gprof_map_entry *entries = realloc(map->entries, room * sizeof *entries);

        if (entries == NULL)
            return false;
        map->entries = entries;
        map->room = room;
    }
    map->entries[map->count] = (struct gprof_map_entry){
        .object = object,
        .function = function,
        .kept =
            map->count == 0 || strcmp(map->entries[map->count - 1].object, object) != 0,
    };
    map->count++;
    return true;
}

/* *bad: the line has no object. */
static bool add_line(struct gprof_map *map, char *line, bool *bad)
{
    char *colon = strchr(line, ':'), *blank;

    if (line[0] == '\0' || strncmp(line, "No symbols in ", 14) == 0)
        return true;
    *bad = colon == NULL || colon == line;
    if (*bad)
        return true;
    *colon = '\0';
    blank = strrchr(colon + 1, ' ');
    return add_entry(map, line, blank != NULL ? blank + 1 : colon + 1);
}

static bool add_lines(struct gprof_map *map, bool *bad)
{
    char *line = map->text, *end = map->text + map->text_bytes;

    while (line < end && !*bad) {
        char *newline = memchr(line, '\n', (size_t)(end - line));

        newline = newline != NULL ? newline : end;
        *newline = '\0';
        if (!add_line(map, line, bad))
            return false;
        line = newline + 1;
    }
    return true;
}

static size_t hash_name(const char *name)
{
    size_t hash = 5381;

    for (; *name != '\0'; name++)
        hash = (hash * 33) ^ (unsigned char)*name;
    return hash ^ hash >> 17;
}

static bool index_functions(struct gprof_map *map)
{
    map->bucket_count = 16;
    while (map->bucket_count < 2 * map->count)
        map->bucket_count *= 2;
    map->buckets = malloc(map->bucket_count * sizeof *map->buckets);
    if (map->buckets == NULL)
        return false;
    memset(map->buckets, 0xff, map->bucket_count * sizeof *map->buckets);
    for (size_t i = 0; i < map->count; i++) {
        size_t bucket = hash_name(map->entries[i].function) & (map->bucket_count - 1);

        map->entries[i].next = map->buckets[bucket];
        map->buckets[bucket] = i;
    }
    return true;
}

bool gprof_read_map(struct gprof *gprof, struct error *error)
{
    const char *path = gprof->options.file_order_map;
    bool bad = false, ok;
    FILE *file;

    if (path == NULL)
        return true;
    file = fopen(path, "rb");
    if (file == NULL)
        return error_set(error, EXIT_NO, "could not open %s.", path);
    gprof->map = calloc(1, sizeof *gprof->map);
    ok = gprof->map != NULL && read_text(gprof->map, file);
    fclose(file);
    if (!ok || !add_lines(gprof->map, &bad))
        return out_of_memory(error);
    if (bad)
        return error_set(error, EXIT_NO, "unable to parse mapping file %s.", path);
    return index_functions(gprof->map) || out_of_memory(error);
}

bool gprof_map_name(const struct gprof *gprof, const char **name)
{
    const struct gprof_map *map = gprof->map;
    size_t i;

    /* With -l GNU gprof does not look into the map. */
    if (map == NULL || gprof->options.lines)
        return true;
    i = map->buckets[hash_name(*name) & (map->bucket_count - 1)];
    while (i != SIZE_MAX && strcmp(map->entries[i].function, *name) != 0)
        i = map->entries[i].next;
    if (i == SIZE_MAX)
        return true;
    *name = map->entries[i].object;
    return map->entries[i].kept;
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
    free(gprof->map->buckets);
    free(gprof->map);
    gprof->map = NULL;
}
