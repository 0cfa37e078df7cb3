/* SPDX-License-Identifier: MIT */
#include "texts.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAB_COLUMNS = 8, FILE_BYTES_MAX = 16 << 20, LINE_BYTES_MAX = 4096 };

bool texts_is_map(const char *map)
{
    const char *equals = strchr(map, '=');
    return equals != NULL && equals != map;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= FILE_BYTES_MAX && access(path, R_OK) == 0;
}

/* "DIRECTORY/REST" if there is such a file; to be freed. */
static char *file_in(const char *directory, const char *rest)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", directory, rest) < 0)
        return NULL;
    if (is_file(path))
        return path;
    free(path);
    return NULL;
}

static char *find_mapped(const struct texts *texts, const char *path)
{
    for (size_t i = 0; texts->maps != NULL && texts->maps[i] != NULL; i++) {
        const char *map = texts->maps[i], *equals = strchr(map, '=');
        size_t size = equals == NULL ? 0 : (size_t)(equals - map);
        while (size > 1 && map[size - 1] == '/')
            size--;
        if (size == 0 || strncmp(path, map, size) != 0 ||
            (path[size] != '/' && map[size - 1] != '/'))
            continue;
        char *found = file_in(equals + 1, path + size + strspn(path + size, "/"));
        if (found != NULL)
            return found;
    }
    return NULL;
}

static char *find_below(const struct texts *texts, const char *path)
{
    for (size_t i = 0; texts->directories != NULL && texts->directories[i] != NULL; i++) {
        for (const char *rest = path; rest != NULL; rest = strchr(rest, '/')) {
            rest += strspn(rest, "/");
            char *found = file_in(texts->directories[i], rest);
            if (found != NULL)
                return found;
        }
    }
    return NULL;
}

static char *find(const struct texts *texts, const char *path)
{
    char *found = find_mapped(texts, path);
    if (found == NULL && is_file(path))
        found = strdup(path);
    return found != NULL ? found : find_below(texts, path);
}

/* Adds a character of a line at *column; a tab becomes blanks. */
static void put(FILE *out, char character, size_t *column)
{
    size_t wide = character == '\t' ? TAB_COLUMNS - *column % TAB_COLUMNS : 1;
    *column += wide;
    if (character != '\t')
        putc(character, out);
    for (size_t i = 0; i < wide && character == '\t'; i++)
        putc(' ', out);
}

/* The lines one after another, each ended by a zero. */
static size_t copy_lines(FILE *in, FILE *out)
{
    size_t lines = 0, column = 0, bytes = 0;
    int last = '\n';
    for (int c; (c = getc(in)) != EOF && bytes < FILE_BYTES_MAX; bytes++) {
        if (c == '\n') {
            putc('\0', out);
            column = 0;
            lines++;
        } else if (c != '\r' && c != '\0' && column < LINE_BYTES_MAX) {
            put(out, (char)c, &column);
        }
        last = c;
    }
    if (last != '\n') {
        putc('\0', out);
        lines++;
    }
    return lines;
}

static bool index_lines(struct text *text, size_t lines)
{
    const char *at = text->bytes;
    text->lines = calloc(lines + 1, sizeof *text->lines);
    for (size_t i = 0; text->lines != NULL && i < lines; i++) {
        text->lines[i] = at;
        at += strlen(at) + 1;
    }
    text->line_count = text->lines != NULL ? lines : 0;
    return text->lines != NULL;
}

static bool read_lines(struct text *text, FILE *in)
{
    size_t size, lines;
    FILE *out = open_memstream(&text->bytes, &size);
    if (out == NULL)
        return false;
    lines = copy_lines(in, out);
    return fclose(out) == 0 && index_lines(text, lines);
}

static void warn(const struct texts *texts, const char *path, const char *what)
{
    char *line;
    if (texts->warn == NULL || asprintf(&line, "%s%s", path, what) < 0)
        return;
    texts->warn(line);
    free(line);
}

static void warn_if_newer(const struct texts *texts, const char *path)
{
    const struct timespec *built = &texts->built;
    struct stat status;
    if (built->tv_sec == 0 || stat(path, &status) != 0)
        return;
    const struct timespec *changed = &status.st_mtim;
    if (changed->tv_sec > built->tv_sec ||
        (changed->tv_sec == built->tv_sec && changed->tv_nsec > built->tv_nsec))
        warn(texts, path, " is newer than the ELF: its lines may be others now");
}

/* What cannot be opened after all is as not found. */
static bool fill_in(const struct texts *texts, struct text *text)
{
    text->found = find(texts, text->path);
    FILE *in = text->found == NULL ? NULL : fopen(text->found, "rbe");
    if (in == NULL) {
        warn(texts, text->path,
             " not found: -I DIR or --source-map FROM=TO tell where it is");
        return true;
    }
    bool done = read_lines(text, in);
    fclose(in);
    if (done)
        warn_if_newer(texts, text->found);
    return done;
}

static void release(void *item)
{
    struct text *text = item;
    free(text->path);
    free(text->found);
    free(text->bytes);
    free(text->lines);
    free(text);
}

static int by_path(const void *left, const void *right)
{
    const struct text *a = left, *b = right;
    return strcmp(a->path, b->path);
}

static struct text *add(struct texts *texts, const char *path)
{
    struct text *text = calloc(1, sizeof *text);
    if (text == NULL)
        return NULL;
    text->path = strdup(path);
    if (text->path != NULL && fill_in(texts, text) &&
        tsearch(text, &texts->tree, by_path) != NULL)
        return text;
    release(text);
    return NULL;
}

const struct text *texts_find(struct texts *texts, const char *path)
{
    const struct text key = {.path = (char *)path};
    struct text **found = tfind(&key, &texts->tree, by_path);
    return found != NULL ? *found : add(texts, path);
}

void texts_release(struct texts *texts)
{
    tdestroy(texts->tree, release);
    texts->tree = NULL;
}
