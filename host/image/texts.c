/* SPDX-License-Identifier: MIT */
#include "texts.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memstream.h"
#include "../port/sort.h"

enum { TAB_COLUMNS = 8, LINE_BYTES_MAX = 4096 };

bool texts_is_map(const char *map)
{
    const char *equals = strchr(map, '=');
    return equals != NULL && equals != map;
}

/* A file that is looked for. */
struct search {
    const struct texts *texts;
    FILE *file;
    char found[PATH_MAX]; /* the path that it was opened by */
    size_t size;
    bool refused; /* one was there that may not be read */
};

/* Opens "DIRECTORY/REST"; without a directory, REST. */
static bool try_in(struct search *search, const char *directory, const char *rest)
{
    int size = snprintf(search->found, PATH_MAX, "%s%s%s", directory,
                        *directory != '\0' ? "/" : "", rest);
    if (size < PATH_MAX)
        search->file = text_folders_open(&search->texts->folders, search->found,
                                         &search->size, &search->refused);
    return search->file != NULL;
}

static bool find_mapped(struct search *search, const char *path)
{
    const struct texts *texts = search->texts;
    for (size_t i = 0; texts->maps != NULL && texts->maps[i] != NULL; i++) {
        const char *map = texts->maps[i], *equals = strchr(map, '=');
        size_t size = equals == NULL ? 0 : (size_t)(equals - map);
        while (size > 1 && map[size - 1] == '/')
            size--;
        if (size == 0 || strncmp(path, map, size) != 0 ||
            (path[size] != '/' && map[size - 1] != '/'))
            continue;
        if (try_in(search, equals + 1, path + size + strspn(path + size, "/")))
            return true;
    }
    return false;
}

static bool find_below(struct search *search, const char *path)
{
    const struct texts *texts = search->texts;
    for (size_t i = 0; texts->directories != NULL && texts->directories[i] != NULL; i++) {
        for (const char *rest = path; rest != NULL; rest = strchr(rest, '/')) {
            rest += strspn(rest, "/");
            if (try_in(search, texts->directories[i], rest))
                return true;
        }
    }
    return false;
}

static bool find(struct search *search, const char *path)
{
    return find_mapped(search, path) || try_in(search, "", path) ||
           find_below(search, path);
}

static void give_folders(struct texts *texts)
{
    for (size_t i = 0; texts->directories != NULL && texts->directories[i] != NULL; i++)
        text_folders_give(&texts->folders, texts->directories[i]);
    for (size_t i = 0; texts->maps != NULL && texts->maps[i] != NULL; i++)
        text_folders_give(&texts->folders, strchr(texts->maps[i], '=') + 1);
}

void texts_begin(struct texts *texts, struct image *image)
{
    const char *elf = image_path(image), *directory;
    struct stat status;
    if (texts->none)
        return;
    if (stat(elf, &status) == 0)
        texts->built = status.st_mtim;
    give_folders(texts);
    text_folders_own(&texts->folders, elf);
    for (size_t i = 0; (directory = image_compiled_in(image, i)) != NULL; i++)
        if (i == 0 || strcmp(directory, image_compiled_in(image, i - 1)) != 0)
            text_folders_compiled(&texts->folders, elf, directory);
    texts->no_memory |= texts->folders.no_memory;
}

/* Puts a character of a line at *column; a tab becomes blanks. */
static void put(FILE *out, char character, size_t *column)
{
    size_t wide = character == '\t' ? TAB_COLUMNS - *column % TAB_COLUMNS : 1;
    *column += wide;
    if (character != '\t')
        putc(character, out);
    for (size_t i = 0; i < wide && character == '\t'; i++)
        putc(' ', out);
}

/* Copies the lines and ends each with a zero. Returns their number. */
static size_t copy_lines(FILE *in, size_t most, FILE *out)
{
    size_t lines = 0, column = 0, bytes = 0;
    int last = '\n';
    for (int c; bytes < most && (c = getc(in)) != EOF; bytes++) {
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

static bool read_lines(struct text *text, FILE *in, size_t most)
{
    size_t size, lines;
    FILE *out = port_open_memstream(&text->bytes, &size);
    if (out == NULL)
        return false;
    lines = copy_lines(in, most, out);
    return memstream_close(out, &text->bytes) && index_lines(text, lines);
}

static bool is_newer(const struct texts *texts, const char *path)
{
    const struct timespec *built = &texts->built;
    struct stat status;
    if (built->tv_sec == 0 || stat(path, &status) != 0)
        return false;
    const struct timespec *changed = &status.st_mtim;
    return changed->tv_sec > built->tv_sec ||
           (changed->tv_sec == built->tv_sec && changed->tv_nsec > built->tv_nsec);
}

static void add_fault(struct texts_fault *fault, const char *path)
{
    if (fault->files++ == 0)
        fault->first = path;
}

/* Reads the text. A file that cannot be opened counts as not found. */
static bool fill_in(struct texts *texts, struct text *text)
{
    struct search search = {.texts = texts};
    errno = 0;
    if (texts->none)
        return true;
    if (find(&search, text->path))
        text->found = strdup(search.found);
    if (search.file == NULL && errno != ENOMEM) {
        add_fault(search.refused ? &texts->outside : &texts->missing, text->path);
        return true;
    }
    bool done = text->found != NULL && read_lines(text, search.file, search.size);
    if (search.file != NULL)
        fclose(search.file);
    if (done && is_newer(texts, text->found))
        add_fault(&texts->newer, text->found);
    return done;
}

static void release(void *item)
{
    struct text *text = item;
    if (text == NULL)
        return;
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
    if (text != NULL && (text->path = strdup(path)) != NULL && fill_in(texts, text) &&
        tsearch(text, &texts->tree, by_path) != NULL)
        return text;
    release(text);
    texts->no_memory = true;
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
    port_tdestroy(texts->tree, release);
    text_folders_release(&texts->folders);
    texts->tree = NULL;
}
