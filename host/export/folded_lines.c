/* SPDX-License-Identifier: MIT */
#include "folded_lines.h"

#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../profile/sampling.h"
#include "export.h"

static size_t count_of(const char *text, const char *any)
{
    size_t count = 0;

    for (; (text = strpbrk(text, any)) != NULL; text++)
        count++;
    return count;
}

double folded_hz(const struct profile *profile)
{
    return profile->received[EVENT_SAMPLE] > 0 ? sampling_rate(profile)
                                               : profile->time.hz;
}

size_t folded_shared(const struct folded_line *left, const struct folded_line *right)
{
    size_t shared = 0;

    while (shared < left->depth && shared < right->depth &&
           strcmp(left->frames[shared], right->frames[shared]) == 0)
        shared++;
    return shared;
}

static int by_frames(const void *left, const void *right)
{
    const struct folded_line *a = left, *b = right;
    size_t shared = folded_shared(a, b);

    if (shared == a->depth || shared == b->depth)
        return (a->depth > b->depth) - (a->depth < b->depth);
    return strcmp(a->frames[shared], b->frames[shared]);
}

/* Cuts "root;child;leaf count" into its parts in place. */
static void take_line(struct folded_lines *lines, char *at, const char **frames)
{
    struct folded_line *line = &lines->items[lines->count++];
    char *count = strrchr(at, ' ');

    *count++ = '\0';
    line->count = strtoull(count, NULL, 10);
    line->frames = frames;
    for (char *next; at != NULL; at = next) {
        next = strchr(at, ';');
        if (next != NULL)
            *next++ = '\0';
        frames[line->depth++] = at;
    }
    lines->total += line->count;
    if (lines->depth_max < line->depth)
        lines->depth_max = line->depth;
}

static bool read_lines(struct folded_lines *lines, const char *text)
{
    size_t count = count_of(text, "\n"), used = 0;

    lines->text = strdup(text);
    lines->items = calloc(count + 1, sizeof *lines->items);
    lines->frames = calloc(count_of(text, ";\n") + 1, sizeof *lines->frames);
    if (lines->text == NULL || lines->items == NULL || lines->frames == NULL)
        return false;
    for (char *at = lines->text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        take_line(lines, at, lines->frames + used);
        used += lines->items[lines->count - 1].depth;
    }
    qsort(lines->items, lines->count, sizeof *lines->items, by_frames);
    return true;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool find_names(struct folded_names *names, const struct folded_lines *lines)
{
    size_t all = 0;

    for (size_t i = 0; i < lines->count; i++)
        all += lines->items[i].depth;
    names->items = calloc(all + 1, sizeof *names->items);
    if (names->items == NULL)
        return false;
    memcpy(names->items, lines->frames, all * sizeof *names->items);
    qsort(names->items, all, sizeof *names->items, by_name);
    for (size_t i = 0; i < all; i++) {
        if (i == 0 || strcmp(names->items[names->count - 1], names->items[i]) != 0)
            names->items[names->count++] = names->items[i];
    }
    return true;
}

bool folded_lines_read(struct folded_lines *lines, struct folded_names *names,
                       const char *text, struct error *error)
{
    *lines = (struct folded_lines){0};
    *names = (struct folded_names){0};
    if (*text == '\0')
        return error_set(error, EXIT_BAD_INPUT,
                         "there are neither samples nor timed calls to show");
    return (read_lines(lines, text) && find_names(names, lines)) ||
           export_no_memory(error);
}

void folded_lines_release(struct folded_lines *lines, struct folded_names *names)
{
    free(lines->text);
    free(lines->items);
    free(lines->frames);
    free(names->items);
}

size_t folded_name_number(const struct folded_names *names, const char *name)
{
    size_t low = 0;

    SEARCH(low, names->count, strcmp(names->items[middle], name) < 0);
    return low;
}
