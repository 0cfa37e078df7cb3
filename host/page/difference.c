/* SPDX-License-Identifier: MIT */
#include "difference.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"

/* A text in pieces: piece i is from starts[i] to starts[i + 1]. */
struct pieces {
    const char *text;
    size_t *starts;
    size_t count, room;
};

/* Pieces of the text before, by their hash; 0: none, else 1 + the piece. */
struct index {
    size_t *items;
    size_t mask;
};

struct difference {
    FILE *out;
    bool any; /* something was written */
    struct pieces before, after;
    struct index index;
    size_t first, count; /* pieces of the text before that are to be written */
    size_t from, to;     /* pieces of the text after that are to be written */
};

static const char cut[] = "],";

static bool put_start(struct pieces *pieces, size_t start)
{
    if (!vector_grow(&pieces->starts, pieces->count, &pieces->room,
                     sizeof *pieces->starts))
        return false;
    pieces->starts[pieces->count++] = start;
    return true;
}

/* false: out of memory. */
static bool cut_up(struct pieces *pieces, const char *text)
{
    const char *at = text, *end;

    pieces->text = text;
    for (; (end = strstr(at, cut)) != NULL; at = end + strlen(cut))
        if (!put_start(pieces, (size_t)(at - text)))
            return false;
    if (*at != '\0' && !put_start(pieces, (size_t)(at - text)))
        return false;
    if (!put_start(pieces, strlen(text))) /* where the last piece ends */
        return false;
    pieces->count--;
    return true;
}

static size_t length(const struct pieces *pieces, size_t i)
{
    return pieces->starts[i + 1] - pieces->starts[i];
}

static size_t hash(const struct pieces *pieces, size_t i)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */

    for (size_t at = pieces->starts[i]; at < pieces->starts[i + 1]; at++)
        sum = (sum ^ (uint8_t)pieces->text[at]) * 1099511628211u;
    return (size_t)(sum ^ sum >> 32);
}

static bool same(const struct difference *difference, size_t before, size_t after)
{
    const struct pieces *a = &difference->before, *b = &difference->after;

    return before < a->count && length(a, before) == length(b, after) &&
           memcmp(a->text + a->starts[before], b->text + b->starts[after],
                  length(b, after)) == 0;
}

/* The place of the index that has a piece like one of the text after, or that is free for
 * it. */
static size_t *look_up(struct difference *difference, const struct pieces *of, size_t i)
{
    struct index *index = &difference->index;
    const struct pieces *before = &difference->before;
    size_t at = hash(of, i) & index->mask;

    for (; index->items[at] != 0; at = (at + 1) & index->mask) {
        size_t there = index->items[at] - 1;

        if (length(before, there) == length(of, i) &&
            memcmp(before->text + before->starts[there], of->text + of->starts[i],
                   length(of, i)) == 0)
            break;
    }
    return &index->items[at];
}

/* Equal pieces have the first one's place. false: out of memory. */
static bool make_index(struct difference *difference)
{
    struct index *index = &difference->index;
    size_t size = 16;

    while (size < 2 * difference->before.count)
        size *= 2;
    index->mask = size - 1;
    index->items = calloc(size, sizeof *index->items);
    for (size_t i = 0; index->items != NULL && i < difference->before.count; i++) {
        size_t *place = look_up(difference, &difference->before, i);

        if (*place == 0)
            *place = i + 1;
    }
    return index->items != NULL;
}

static void put_comma(struct difference *difference)
{
    if (difference->any)
        fputc(',', difference->out);
    difference->any = true;
}

static void put_old(struct difference *difference)
{
    if (difference->count == 0)
        return;
    put_comma(difference);
    fprintf(difference->out, "[%zu,%zu]", difference->first, difference->count);
    difference->count = 0;
}

/* The text is UTF-8 whose only control characters are ends of lines, as page_data()
 * writes it. */
static void put_new(struct difference *difference)
{
    const struct pieces *after = &difference->after;
    size_t at = after->starts[difference->from], end = after->starts[difference->to];

    if (at == end)
        return;
    put_comma(difference);
    fputc('"', difference->out);
    for (; at < end; at++) {
        if (after->text[at] == '"' || after->text[at] == '\\')
            fputc('\\', difference->out);
        if (after->text[at] == '\n')
            fputs("\\n", difference->out);
        else
            fputc(after->text[at], difference->out);
    }
    fputc('"', difference->out);
    difference->from = difference->to;
}

/* Goes on with a piece of the text after. */
static void take(struct difference *difference, size_t i)
{
    size_t next = difference->first + difference->count, found;

    if (difference->count > 0 && same(difference, next, i)) {
        difference->count++;
        difference->from = difference->to = i + 1;
        return;
    }
    found = *look_up(difference, &difference->after, i);
    put_old(difference);
    if (found == 0) {
        difference->to = i + 1;
        return;
    }
    put_new(difference);
    difference->first = found - 1;
    difference->count = 1;
    difference->from = difference->to = i + 1;
}

bool difference_write(FILE *out, const char *before, const char *after)
{
    struct difference difference = {.out = out};
    bool done = cut_up(&difference.before, before) && cut_up(&difference.after, after) &&
                make_index(&difference);

    fputc('[', out);
    for (size_t i = 0; done && i < difference.after.count; i++)
        take(&difference, i);
    if (done) {
        put_old(&difference);
        put_new(&difference);
    }
    fputc(']', out);
    free(difference.before.starts);
    free(difference.after.starts);
    free(difference.index.items);
    return done;
}
