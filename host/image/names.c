/* SPDX-License-Identifier: MIT */
/* Tells functions of one name apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/path.h"
#include "../port/text.h"
#include "internal.h"

enum {
    DEPTH = 32,        /* calls that are inlined one in another */
    NAME_BYTES = 4096, /* longer names are told apart by nothing: a hostile ELF could have
                        * many that share their text */
};

/* How many symbols have a name (and, in the second index, a file) in common with this
 * one; symbol: 1 + its number, 0 where the entry is free. */
struct entry {
    uint32_t symbol, count;
};

struct index {
    struct entry *entries;
    size_t size;  /* a power of 2 */
    bool by_file; /* a symbol's file is a part of the key */
};

struct image_names {
    struct index names, files;
    char **told; /* by symbol: "FILE:NAME", as far as it was asked for */
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u; /* FNV-1a */
    return hash;
}

static bool is_long(const char *name)
{
    return strnlen(name, NAME_BYTES) == NAME_BYTES;
}

static const char *file_or_none(const struct image_symbol *symbol)
{
    return symbol->source != NULL ? symbol->source : "";
}

/* The entry of a name and, if the index is by file, of that file; or a free one. */
static struct entry *entry_of(const struct index *index, const struct image *image,
                              const char *name, const char *file)
{
    uint64_t hash = hash_text(14695981039346656037u, name);

    if (index->by_file)
        hash = hash_text(hash * 1099511628211u, file);
    for (size_t at = (size_t)(hash ^ hash >> 32);; at++) {
        struct entry *entry = &index->entries[at & (index->size - 1)];

        if (entry->symbol == 0)
            return entry;
        const struct image_symbol *symbol = &image->symbols[entry->symbol - 1];
        if (strcmp(symbol->demangled, name) == 0 &&
            (!index->by_file || strcmp(file_or_none(symbol), file) == 0))
            return entry;
    }
}

static bool make_index(struct index *index, size_t most, bool by_file)
{
    index->by_file = by_file;
    for (index->size = 2; index->size < most + most / 2 + 1;)
        index->size *= 2;
    index->entries = calloc(index->size, sizeof *index->entries);
    return index->entries != NULL;
}

static void count(const struct index *index, const struct image *image, size_t number)
{
    const struct image_symbol *symbol = &image->symbols[number];
    struct entry *entry = entry_of(index, image, symbol->demangled, file_or_none(symbol));

    if (entry->count++ == 0)
        entry->symbol = (uint32_t)number + 1;
}

static uint32_t users(const struct image *image, const struct image_symbol *symbol)
{
    return is_long(symbol->demangled)
               ? 1
               : entry_of(&image->names->names, image, symbol->demangled, NULL)->count;
}

static bool make_indices(struct image *image)
{
    struct image_names *names = image->names;
    size_t twins = 0;

    if (!make_index(&names->names, image->symbol_count, false))
        return false;
    for (size_t i = 0; i < image->symbol_count; i++)
        if (!is_long(image->symbols[i].demangled))
            count(&names->names, image, i);
    for (size_t i = 0; i < names->names.size; i++)
        if (names->names.entries[i].count > 1)
            twins += names->names.entries[i].count;
    names->told = twins > 0 ? calloc(image->symbol_count, sizeof *names->told) : NULL;
    if (!make_index(&names->files, twins, true) || (twins > 0 && names->told == NULL))
        return false;
    for (size_t i = 0; twins > 0 && i < image->symbol_count; i++)
        if (users(image, &image->symbols[i]) > 1)
            count(&names->files, image, i);
    return true;
}

/* Makes image->names, if it is NULL. */
static bool open_names(struct image *image)
{
    if (image->names != NULL)
        return true;
    image->names = calloc(1, sizeof *image->names);
    if (image->names != NULL && make_indices(image))
        return true;
    image_release_names(image);
    image->no_memory = true;
    return false;
}

/* The file of a function's first line; NULL: not known. */
static const char *path_of(struct image *image, const struct image_symbol *symbol)
{
    struct image_line lines[DEPTH];
    size_t depth = image_lines(image, symbol->address, lines, DEPTH);

    return depth > 0 ? lines[depth - 1].file : NULL;
}

/* Whether the linker has written that in place of a source file, for what was optimised
 * at link time. */
static bool is_of_linker(const char *source)
{
    return source[0] == '\0' || strcmp(source, "<artificial>") == 0 ||
           strcmp(source, "ld-temp.o") == 0;
}

void image_find_sources(struct image *image)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        struct image_symbol *symbol = &image->symbols[i];
        const char *path = symbol->source != NULL && is_of_linker(symbol->source)
                               ? path_of(image, symbol)
                               : NULL;

        if (path != NULL)
            symbol->source = path_tail(path, 1);
    }
}

const char *image_name(struct image *image, const struct image_symbol *symbol)
{
    const char *file = symbol->source, *path;

    if (file == NULL || !open_names(image) || users(image, symbol) < 2)
        return symbol->demangled;
    char **told = &image->names->told[symbol - image->symbols];
    if (*told != NULL)
        return *told;
    if (entry_of(&image->names->files, image, symbol->demangled, file)->count > 1 &&
        (path = path_of(image, symbol)) != NULL)
        file = path_tail(path, IMAGE_FOLDERS);
    if (port_asprintf(told, "%s:%s", file, symbol->demangled) < 0) {
        *told = NULL;
        image->no_memory = true;
        return symbol->demangled;
    }
    return *told;
}

bool image_has_other(struct image *image, const char *name, const char *file)
{
    if (is_long(name) || !open_names(image))
        return false;
    const struct entry *entry = entry_of(&image->names->names, image, name, NULL);
    if (entry->count != 1)
        return entry->count > 1;
    const struct image_symbol *symbol = &image->symbols[entry->symbol - 1];
    const char *path = path_of(image, symbol);
    unsigned parts = path != NULL ? IMAGE_FOLDERS : 1; /* a symbol has no folder */
    if (path == NULL)
        path = symbol->source;
    return path != NULL && file != NULL &&
           strcmp(path_tail(path, parts), path_tail(file, parts)) != 0;
}

void image_release_names(struct image *image)
{
    struct image_names *names = image->names;

    for (size_t i = 0; names != NULL && names->told != NULL && i < image->symbol_count;
         i++)
        free(names->told[i]);
    if (names != NULL) {
        free(names->told);
        free(names->names.entries);
        free(names->files.entries);
    }
    free(names);
    image->names = NULL;
}
