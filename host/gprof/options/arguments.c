/* SPDX-License-Identifier: MIT */
/* @FILE on the command line. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/vector.h"
#include "options.h"

enum {
    FILES_MAX = 2000,
    FILE_BYTES_MAX = 1 << 24, /* of one file; a command line is never that long */
};

static bool out_of_memory(struct error *error)
{
    return error_set(error, EXIT_NO, "out of memory");
}

/* The arguments of one file, while they are cut out of its text, in place. */
struct words {
    char **list;
    size_t count, room;
};

static bool add_word(struct words *words, char *word)
{
    if (!vector_grow(&words->list, words->count, &words->room, sizeof *words->list))
        return false;
    words->list[words->count++] = word;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Copies one argument, from *from on, without its quotes and backslashes. `to` is never
 * ahead of *from. Moves both behind what they used. */
static void unquote(const char **from, const char *end, char **to)
{
    char quote = '\0';
    const char *in = *from;
    char *out = *to;

    for (; in < end && (quote != '\0' || !is_space(*in)); in++) {
        if (*in == '\\' && in + 1 < end)
            *out++ = *++in;
        else if (*in == '\\')
            continue;
        else if (quote != '\0' && *in == quote)
            quote = '\0';
        else if (quote == '\0' && (*in == '\'' || *in == '"'))
            quote = *in;
        else
            *out++ = *in;
    }
    *from = in;
    *to = out;
}

/* Cuts text[0 .. size) into words; text has room for one byte behind. */
static bool split(char *text, size_t size, struct words *words)
{
    const char *in = text, *end = text + size;
    char *out = text;

    while (in < end) {
        if (is_space(*in)) {
            in++;
            continue;
        }
        if (!add_word(words, out))
            return false;
        unquote(&in, end, &out);
        /* The blank behind the word, or the byte behind the text, is free: the word's NUL
         * goes there. */
        in += in < end;
        *out++ = '\0';
    }
    return true;
}

/* Reads a file. If it cannot be opened, *text is NULL and its @FILE stays as an argument.
 * */
static bool read_whole(const char *path, char **text, size_t *size, struct error *error)
{
    struct stat status;
    char *shrunk;
    FILE *file;

    *text = NULL;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return error_set(error, EXIT_NO, "error: @-file refers to a directory");
    file = fopen(path, "rb");
    if (file == NULL)
        return true;
    *text = malloc(FILE_BYTES_MAX + 1);
    if (*text == NULL) {
        fclose(file);
        return out_of_memory(error);
    }
    *size = fread(*text, 1, FILE_BYTES_MAX, file);
    if (ferror(file) || (*size == FILE_BYTES_MAX && fgetc(file) != EOF)) {
        error_set(error, EXIT_NO, "%s: %s", path,
                  ferror(file) ? strerror(errno) : "too long");
        fclose(file);
        return false;
    }
    fclose(file);
    /* The text ends at its first NUL, as any argument does. */
    (*text)[*size] = '\0';
    *size = strlen(*text);
    shrunk = realloc(*text, *size + 1);
    *text = shrunk != NULL ? shrunk : *text;
    return true;
}

static bool own(struct gprof_arguments *arguments, char *text)
{
    char **owned =
        realloc(arguments->owned, (arguments->owned_count + 1) * sizeof *owned);

    if (owned == NULL)
        return false;
    arguments->owned = owned;
    owned[arguments->owned_count++] = text;
    return true;
}

/* Puts the words in place of the argument at `index`. */
static bool insert(struct gprof_arguments *arguments, int index,
                   const struct words *words)
{
    size_t rest = (size_t)(arguments->argc -
                           index); /* counts the NULL at the end, but not the @FILE */
    size_t room = (size_t)index + words->count + rest;
    char **argv;

    if (room > INT_MAX / 2)
        return false;
    if (words->count > 1) {
        argv = realloc(arguments->argv, room * sizeof *argv);
        if (argv == NULL)
            return false;
        arguments->argv = argv;
    }
    argv = arguments->argv;
    memmove(argv + (size_t)index + words->count, argv + index + 1, rest * sizeof *argv);
    if (words->count > 0)
        memcpy(argv + index, words->list, words->count * sizeof *argv);
    arguments->argc += (int)words->count - 1;
    return true;
}

/* *expanded: the argument at `index` was an @FILE that could be read. */
static bool expand_one(struct gprof_arguments *arguments, int index, bool *expanded,
                       struct error *error)
{
    struct words words = {0};
    size_t size = 0;
    char *text;
    bool ok;

    if (!read_whole(arguments->argv[index] + 1, &text, &size, error)) {
        free(text);
        return false;
    }
    *expanded = text != NULL;
    if (text == NULL)
        return true;
    if (!own(arguments, text)) {
        free(text);
        return out_of_memory(error);
    }
    ok = split(text, size, &words) && insert(arguments, index, &words);
    free(words.list);
    return ok || out_of_memory(error);
}

bool gprof_expand_arguments(struct gprof_arguments *arguments, int argc, char **argv,
                            struct error *error)
{
    int files = FILES_MAX;

    *arguments = (struct gprof_arguments){.argc = argc};
    arguments->argv = malloc(((size_t)argc + 1) * sizeof *argv);
    if (arguments->argv == NULL)
        return out_of_memory(error);
    memcpy(arguments->argv, argv, (size_t)argc * sizeof *argv);
    arguments->argv[argc] = NULL;
    for (int i = 1; i < arguments->argc;) {
        bool expanded = false;

        if (arguments->argv[i][0] == '@') {
            if (files-- == 0)
                return error_set(error, EXIT_NO, "error: too many @-files encountered");
            if (!expand_one(arguments, i, &expanded, error))
                return false;
        }
        if (!expanded)
            i++;
    }
    return true;
}

void gprof_arguments_release(struct gprof_arguments *arguments)
{
    for (size_t i = 0; i < arguments->owned_count; i++)
        free(arguments->owned[i]);
    free(arguments->owned);
    free(arguments->argv);
    *arguments = (struct gprof_arguments){0};
}
