/* SPDX-License-Identifier: MIT */
/*
 * -R: a line of the map, as of `nm -A`, has an object file before its first colon and a
 * function behind its last blank. All functions of an object that lie together become one
 * symbol, which carries the object's name.
 */
#include "map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *function, *object;
};

struct gprof_map {
    char *text; /* the file, cut up into words */
    struct entry *entries;
    size_t count, room;
    struct entry **by_function;
};

static bool read_text(FILE *file, char **text, size_t *size)
{
    size_t room = 65536, got;

    *size = 0;
    *text = malloc(room);
    while (*text != NULL && (got = fread(*text + *size, 1, room - 1 - *size, file)) > 0) {
        char *larger;

        *size += got;
        if (*size < room - 1)
            continue;
        room *= 2;
        larger = realloc(*text, room);
        if (larger == NULL)
            free(*text);
        *text = larger;
    }
    if (*text == NULL)
        return false;
    (*text)[*size] = '\0';
    return true;
}

static bool add_entry(struct gprof_map *map, const char *function, const char *object)
{
    if (map->count == map->room) {
        size_t room = map->room > 0 ? 2 * map->room : 1024;
        struct entry *entries = reallocarray(map->entries, room, sizeof *entries);

        if (entries == NULL)
            return false;
        map->entries = entries;
        map->room = room;
    }
    map->entries[map->count++] = (struct entry){function, object};
    return true;
}

static bool read_line(struct gprof_map *map, char *line)
{
    char *colon = strchr(line, ':'), *blank = strrchr(line, ' ');

    if (colon == NULL || strncmp(line, "No symbols in ", 14) == 0)
        return true;
    *colon = '\0';
    return add_entry(map, blank != NULL && blank > colon ? blank + 1 : colon + 1, line);
}

static bool read_lines(struct gprof_map *map)
{
    for (char *line = map->text, *next; *line != '\0'; line = next) {
        size_t length = strcspn(line, "\n");

        next = line + length + (line[length] == '\n');
        line[length] = '\0';
        if (!read_line(map, line))
            return false;
    }
    return true;
}

static int by_function(const void *left, const void *right, void *context)
{
    (void)context;
    return strcmp(((const struct entry *)left)->function,
                  ((const struct entry *)right)->function);
}

static bool sort_entries(struct gprof_map *map)
{
    map->by_function = calloc(map->count + 1, sizeof(struct entry *));
    if (map->by_function == NULL)
        return false;
    for (size_t i = 0; i < map->count; i++)
        map->by_function[i] = &map->entries[i];
    return gprof_sort((void **)map->by_function, map->count, by_function, NULL);
}

static int search(const void *key, const void *item)
{
    return strcmp(key, (*(struct entry *const *)item)->function);
}

static const char *object_of(const struct gprof_map *map, const char *function)
{
    struct entry **found =
        bsearch(function, map->by_function, map->count, sizeof(struct entry *), search);

    return found != NULL ? (*found)->object : NULL;
}

/* Symbols of one object in a row become one, with the range of all. */
static void merge_symbols(struct gprof *gprof)
{
    size_t kept = 0;

    for (size_t i = 0; i < gprof->symbol_count; i++) {
        struct gprof_symbol *symbol = &gprof->symbols[i];
        const char *object = object_of(gprof->map, symbol->name);

        if (object != NULL && kept > 0 && gprof->symbols[kept - 1].mapped &&
            strcmp(gprof->symbols[kept - 1].name, object) == 0) {
            gprof->symbols[kept - 1].end = symbol->end;
            continue;
        }
        if (object != NULL) {
            symbol->name = object;
            symbol->mapped = true;
        }
        gprof->symbols[kept++] = *symbol;
    }
    gprof->symbol_count = kept;
}

static bool read_map(struct gprof *gprof, FILE *file)
{
    struct gprof_map *map = gprof->map = calloc(1, sizeof *map);
    size_t size;

    return map != NULL && read_text(file, &map->text, &size) && read_lines(map) &&
           sort_entries(map);
}

bool gprof_apply_map(struct gprof *gprof, struct error *error)
{
    const char *path = gprof->options.file_order_map;
    FILE *file;
    bool done;

    if (path == NULL)
        return true;
    file = fopen(path, "r");
    if (file == NULL)
        return error_set(error, EXIT_NO, "could not open %s.", path);
    done = read_map(gprof, file);
    fclose(file);
    if (!done)
        return error_set(error, EXIT_NO, "out of memory");
    merge_symbols(gprof);
    return true;
}

void gprof_map_release(struct gprof *gprof)
{
    if (gprof->map == NULL)
        return;
    free(gprof->map->text);
    free(gprof->map->entries);
    free(gprof->map->by_function);
    free(gprof->map);
    gprof->map = NULL;
}

static int by_name(const void *left, const void *right, void *context)
{
    (void)context;
    return strcmp(left, right);
}

bool gprof_print_unmapped_files(struct gprof *gprof, struct error *error)
{
    const struct gprof_map *map = gprof->map;
    size_t room = gprof->symbol_count + (map != NULL ? map->count : 0), used = 0, all = 0;
    const char **carried = calloc(room + 1, sizeof *carried), **objects;

    if (carried == NULL)
        return error_set(error, EXIT_NO, "out of memory");
    objects = carried + gprof->symbol_count;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        if (gprof->symbols[i].mapped)
            carried[used++] = gprof->symbols[i].name;
    }
    for (; map != NULL && all < map->count; all++)
        objects[all] = map->entries[all].object;
    if (!gprof_sort((void **)carried, used, by_name, NULL) ||
        !gprof_sort((void **)objects, all, by_name, NULL)) {
        free(carried);
        return error_set(error, EXIT_NO, "out of memory");
    }
    for (size_t i = 0, at = 0; i < all; i++) {
        if (i > 0 && strcmp(objects[i], objects[i - 1]) == 0)
            continue;
        while (at < used && strcmp(carried[at], objects[i]) < 0)
            at++;
        if (at == used || strcmp(carried[at], objects[i]) != 0)
            fprintf(gprof->out, "%s\n", objects[i]);
    }
    free(carried);
    return true;
}
