/* SPDX-License-Identifier: MIT */
#include "shorten.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../port/memory.h"

/* Longer texts are cut there: nobody could read their end. */
enum { SHORTENED_MAX = 4096 };

static const char *dots_of(const struct style *style)
{
    return style->utf8 ? "…" : "~";
}

static bool fits(const struct style *style, const char *text, size_t columns)
{
    return style_columns(style, text, NULL) <= columns;
}

/* Whether '<' or '>' is part of an operator's name: "operator<<", "operator->". */
static bool is_operator(const char *text, const char *at)
{
    static const char word[] = "operator";
    size_t length = sizeof word - 1;
    while (at > text && strchr("<>-=", at[-1]) != NULL)
        at--;
    return (size_t)(at - text) >= length && memcmp(at - length, word, length) == 0;
}

/* Replaces the text in outermost brackets by dots, if it is longer. A text whose brackets
 * do not match stays as it is. */
static void fold(char *text, char open, char close, const char *dots)
{
    char *folded = malloc(strlen(text) + 1), *to = folded, *inside = NULL;
    size_t depth = 0;
    for (const char *from = text; folded != NULL && *from != '\0'; from++) {
        bool bracket = open != '<' || depth > 0 || !is_operator(text, from);
        if (bracket && *from == close && depth > 0 && --depth == 0 &&
            (size_t)(to - inside) > strlen(dots))
            to = stpcpy(inside, dots);
        *to++ = *from;
        if (bracket && *from == open && depth++ == 0)
            inside = to;
    }
    if (folded != NULL && depth == 0) {
        *to = '\0';
        memcpy(text, folded, (size_t)(to - folded) + 1);
    }
    free(folded);
}

static void drop_all(char *text, const char *word)
{
    for (char *at; (at = strstr(text, word)) != NULL;)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

/* Where the name begins, behind the type that the function returns: "void
 * std::sort<…>(…)". */
static char *behind_type(char *text)
{
    char *word = strstr(text, "operator");
    size_t before = strcspn(text, "(");
    before =
        word != NULL && (size_t)(word - text) < before ? (size_t)(word - text) : before;
    char *blank = port_memrchr(text, ' ', before);
    return blank != NULL ? blank + 1 : text;
}

/* Shortens a function's name step by step until it fits. The result may still be too
 * long. */
static void shorten_name(char *name, const struct style *style, size_t columns)
{
    const char *dots = dots_of(style);
    drop_all(name, "(anonymous namespace)::");
    if (!fits(style, name, columns))
        fold(name, '(', ')', dots);
    if (!fits(style, name, columns))
        fold(name, '<', '>', dots);
    char *start = fits(style, name, columns) ? name : behind_type(name);
    for (char *next; !fits(style, start, columns) &&
                     (next = strstr(start, "::")) != NULL &&
                     (size_t)(next - name) >= strlen(dots);)
        start = next + 2;
    if (start > name && start[-1] == ':') { /* a class was left out */
        start -= strlen(dots);
        memcpy(start, dots, strlen(dots));
    }
    memmove(name, start, strlen(start) + 1);
}

/* Leaves out the first directories. */
static void shorten_path(char *path, const struct style *style, size_t columns)
{
    const char *dots = dots_of(style);
    char *start = path;
    while (columns > 0 && !fits(style, start, columns - 1)) {
        char *next = strchr(start + 1, '/');
        if (next == NULL)
            break;
        start = next;
    }
    if ((size_t)(start - path) < strlen(dots))
        return;
    start -= strlen(dots);
    memcpy(start, dots, strlen(dots));
    memmove(path, start, strlen(start) + 1);
}

size_t style_fit(const struct style *style, FILE *out, const char *text, size_t columns,
                 enum cut cut)
{
    bool whole = cut == CUT_END || columns == SIZE_MAX || strlen(text) > SHORTENED_MAX ||
                 fits(style, text, columns);
    char *shorter = whole ? NULL : strdup(text);
    if (shorter != NULL && cut == CUT_NAME)
        shorten_name(shorter, style, columns);
    else if (shorter != NULL)
        shorten_path(shorter, style, columns);
    size_t printed = style_text(style, out, shorter != NULL ? shorter : text, columns);
    free(shorter);
    return printed;
}

/* The bytes of the next word and the blanks before it. */
static size_t word_bytes(const char *text)
{
    size_t blanks = strspn(text, " ");
    size_t bytes = blanks + strcspn(text + blanks, " ");
    if (text[bytes] == ' ' && text[bytes + 1] == '%') /* '%' stays with its number */
        bytes += 1 + strcspn(text + bytes + 1, " ");
    return bytes;
}

void style_words(const struct style *style, FILE *out, const char *text, size_t at,
                 size_t indent, enum cut cut)
{
    size_t room = style->width > indent ? style->width - indent : SIZE_MAX;
    while (*text != '\0') {
        char *word = style->width == 0 ? NULL : strndup(text, word_bytes(text));
        if (word == NULL) { /* without a width, or out of memory, the text is printed
                             * whole */
            style_text(style, out, text, SIZE_MAX);
            return;
        }
        size_t blanks = strspn(word, " ");
        bool next = style->width > 0 && at > indent &&
                    at + style_columns(style, word, NULL) > style->width;
        if (next)
            fprintf(out, "\n%*s", (int)indent, "");
        bool path = cut == CUT_PATH && strchr(word, '/') != NULL;
        for (size_t i = 0; i < blanks && !next; i++, at++)
            putc(' ', out);
        at = (next ? indent : at) +
             style_fit(style, out, word + blanks, path ? room : SIZE_MAX, CUT_PATH);
        text += strlen(word);
        free(word);
    }
}

/* Removes the last directory from a path of `used` bytes. Returns the bytes left, or
 * `used` if there is no directory to remove. */
static size_t parent(const char *path, size_t used)
{
    size_t end = used;
    while (end > 0 && path[end - 1] != '/')
        end--;
    bool none = used == 0 || (used - end == 2 && memcmp(path + end, "..", 2) == 0);
    return none ? used : end > 0 ? end - 1 : 0;
}

char *path_clean(const char *path)
{
    char *clean = malloc(strlen(path) + 2), *to = clean;
    bool absolute = *path == '/';
    size_t used = 0;
    if (clean == NULL)
        return NULL;
    for (const char *part = path; *part != '\0';) {
        part += strspn(part, "/");
        size_t length = strcspn(part, "/");
        bool up = length == 2 && part[0] == '.' && part[1] == '.';
        size_t above = up ? parent(clean, used) : used;
        if (up && above != used) {
            used = above;
        } else if (length > 0 && !(length == 1 && *part == '.') && !(up && absolute)) {
            if (absolute || used > 0)
                to[used++] = '/';
            memcpy(to + used, part, length);
            used += length;
        }
        part += length;
    }
    if (used == 0)
        to[used++] = absolute ? '/' : '.';
    to[used] = '\0';
    return clean;
}
