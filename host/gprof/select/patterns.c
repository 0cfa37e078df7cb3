/* SPDX-License-Identifier: MIT */
/*
 * Matches symbols with the texts of specs. Each symbol is looked up in hashes of the
 * patterns, so that thousands of specs from an @FILE cost no more than the symbols that
 * they mean.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/search.h"
#include "specs.h"

/* The hash function FNV-1a by Fowler, Noll and Vo. */
static uint64_t hash_bytes(const char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_line(unsigned line)
{
    return (uint64_t)line * 0x9e3779b97f4a7c15u + 1;
}

static uint64_t hash_file(const struct gprof_file *file)
{
    return ((uint64_t)file->order + 1) * 0xc2b2ae3d27d4eb4fu;
}

static int compare_files(const void *left, const void *right)
{
    const struct gprof_file *a = *(struct gprof_file *const *)left;
    const struct gprof_file *b = *(struct gprof_file *const *)right;
    int bases = strcmp(a->base, b->base);

    if (bases != 0)
        return bases;
    return (a->order < b->order) - (a->order > b->order);
}

static bool sort_files(struct gprof_patterns *patterns, const struct gprof *gprof)
{
    if (gprof->file_count == 0)
        return true;
    patterns->files = malloc(gprof->file_count * sizeof(struct gprof_file *));
    if (patterns->files == NULL)
        return false;
    for (size_t i = 0; i < gprof->file_count; i++)
        patterns->files[i] = &gprof->files[i];
    qsort(patterns->files, gprof->file_count, sizeof *patterns->files, compare_files);
    return true;
}

/* Whether the base name is before (< 0), equal or behind text[0 .. size). */
static int compare_base(const char *base, const char *text, size_t size)
{
    int order = strncmp(base, text, size);

    return order != 0 ? order : base[size] != '\0';
}

static struct gprof_file *find_file(const struct gprof_patterns *patterns, size_t count,
                                    const char *text, size_t size)
{
    size_t low = 0;

    SEARCH(low, count, compare_base(patterns->files[middle]->base, text, size) < 0);
    if (low == count || compare_base(patterns->files[low]->base, text, size) != 0)
        return NULL;
    return patterns->files[low];
}

static void set_file(struct gprof_patterns *patterns, struct gprof_pattern *pattern,
                     const struct gprof *gprof, const char *text, size_t size)
{
    pattern->file = find_file(patterns, gprof->file_count, text, size);
    pattern->none = pattern->file == NULL;
}

/* Sets a line's number or a function's name; an empty text sets neither. */
static void set_place(struct gprof_pattern *pattern, const char *text, size_t size)
{
    if (size == 0)
        return;
    if (text[0] >= '0' && text[0] <= '9') {
        /* What stands behind the digits is ignored, even a '/'. */
        pattern->line = (unsigned)strtol(text, NULL, 10);
        return;
    }
    pattern->name = text;
    pattern->name_size = size;
}

static void parse_side(struct gprof_patterns *patterns, struct gprof_pattern *pattern,
                       const struct gprof *gprof, const char *text, size_t size)
{
    const char *colon = memchr(text, ':', size);

    if (colon != NULL) {
        if (colon > text)
            set_file(patterns, pattern, gprof, text, (size_t)(colon - text));
        set_place(pattern, colon + 1, size - (size_t)(colon + 1 - text));
    } else if (memchr(text, '.', size) != NULL) {
        set_file(patterns, pattern, gprof, text, size);
    } else {
        set_place(pattern, text, size);
    }
    pattern->any = !pattern->none && pattern->file == NULL && pattern->name == NULL &&
                   pattern->line == 0;
}

static void hash_pattern(struct gprof_patterns *patterns, struct gprof_pattern *pattern)
{
    size_t bucket;

    if (pattern->name != NULL) {
        pattern->hashed = hash_bytes(pattern->name, pattern->name_size);
    } else if (pattern->line != 0) {
        pattern->hashed = hash_line(pattern->line);
        patterns->by_line = true;
    } else {
        pattern->hashed = hash_file(pattern->file);
        patterns->by_file = true;
    }
    bucket = pattern->hashed & (patterns->bucket_count - 1);
    pattern->next = patterns->buckets[bucket];
    patterns->buckets[bucket] = (size_t)(pattern - patterns->list);
}

static void add_side(struct gprof_patterns *patterns, const struct gprof *gprof,
                     size_t spec, bool callee, const char *text, size_t size)
{
    struct gprof_pattern *pattern = &patterns->list[patterns->count++];

    *pattern = (struct gprof_pattern){.spec = spec, .callee = callee};
    parse_side(patterns, pattern, gprof, text, size);
    if (!pattern->none && !pattern->any)
        hash_pattern(patterns, pattern);
}

bool gprof_patterns_init(struct gprof_patterns *patterns, const struct gprof *gprof)
{
    size_t specs = gprof->options.spec_count;

    *patterns = (struct gprof_patterns){.bucket_count = 16};
    while (patterns->bucket_count < 4 * specs)
        patterns->bucket_count *= 2;
    patterns->list = calloc(2 * specs + 1, sizeof *patterns->list);
    patterns->buckets = malloc(patterns->bucket_count * sizeof *patterns->buckets);
    if (patterns->list == NULL || patterns->buckets == NULL ||
        !sort_files(patterns, gprof))
        return false;
    memset(patterns->buckets, 0xff, patterns->bucket_count * sizeof *patterns->buckets);
    for (size_t i = 0; i < specs; i++) {
        const char *text = gprof->options.specs[i].text;
        size_t size = strcspn(text, "/");

        add_side(patterns, gprof, i, false, text, size);
        if (text[size] == '/')
            add_side(patterns, gprof, i, true, text + size + 1, strlen(text + size + 1));
    }
    return true;
}

void gprof_patterns_release(struct gprof_patterns *patterns)
{
    free(patterns->list);
    free(patterns->buckets);
    free(patterns->files);
    *patterns = (struct gprof_patterns){0};
}

static bool means(const struct gprof_pattern *pattern, const struct gprof_symbol *symbol)
{
    return (pattern->file == NULL || pattern->file == symbol->file) &&
           (pattern->line == 0 || pattern->line == symbol->line) &&
           (pattern->name == NULL ||
            (strncmp(symbol->name, pattern->name, pattern->name_size) == 0 &&
             symbol->name[pattern->name_size] == '\0'));
}

/* Which patterns one lookup is for: those with a name, those with a line but no name, or
 * the rest. */
enum key { BY_NAME, BY_LINE, BY_FILE };

static enum key key_of(const struct gprof_pattern *pattern)
{
    if (pattern->name != NULL)
        return BY_NAME;
    return pattern->line != 0 ? BY_LINE : BY_FILE;
}

struct lookup {
    const struct gprof_patterns *patterns;
    const struct gprof_symbol *symbol;
    bool (*found)(const struct gprof_pattern *pattern, void *context);
    void *context;
};

static bool look_up(const struct lookup *lookup, enum key key, uint64_t hashed)
{
    const struct gprof_patterns *patterns = lookup->patterns;
    size_t i = patterns->buckets[hashed & (patterns->bucket_count - 1)];

    for (; i != SIZE_MAX; i = patterns->list[i].next) {
        const struct gprof_pattern *pattern = &patterns->list[i];

        if (pattern->hashed == hashed && key_of(pattern) == key &&
            means(pattern, lookup->symbol) && !lookup->found(pattern, lookup->context))
            return false;
    }
    return true;
}

bool gprof_patterns_match(
    const struct gprof_patterns *patterns, const struct gprof_symbol *symbol,
    bool (*found)(const struct gprof_pattern *pattern, void *context), void *context)
{
    const struct lookup lookup = {patterns, symbol, found, context};

    if (!look_up(&lookup, BY_NAME, hash_bytes(symbol->name, strlen(symbol->name))))
        return false;
    if (patterns->by_line && !look_up(&lookup, BY_LINE, hash_line(symbol->line)))
        return false;
    return !patterns->by_file || symbol->file == NULL ||
           look_up(&lookup, BY_FILE, hash_file(symbol->file));
}
