/* SPDX-License-Identifier: MIT */
#include "counts_from.h"

#include <stdlib.h>
#include <string.h>

#include "analyse.h"
#include "clone.h"

/* A function of the build that ships, by its name. */
struct named {
    const struct image_symbol *symbol;
    size_t compared; /* bytes of its name: all, or those before a clone's suffix */
};

struct matching {
    struct image *image, *counting;
    struct named *whole, *plain; /* sorted by name */
    size_t count;
};

static int compare(const char *a, size_t length, const char *b, size_t other)
{
    int order = memcmp(a, b, length < other ? length : other);

    return order != 0 ? order : (length > other) - (length < other);
}

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;

    return compare(a->symbol->name, a->compared, b->symbol->name, b->compared);
}

static struct named *sorted_names(const struct image *image, bool plain, size_t *count)
{
    const struct image_symbol *symbols;
    struct named *list;

    *count = image_symbols(image, &symbols);
    list = calloc(*count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < *count; i++)
        list[i] = (struct named){&symbols[i], plain ? clone_plain_length(symbols[i].name)
                                                    : strlen(symbols[i].name)};
    if (list != NULL)
        qsort(list, *count, sizeof *list, by_name);
    return list;
}

static bool same_source(const struct image_symbol *a, const struct image_symbol *b)
{
    return a->source != NULL && b->source != NULL && strcmp(a->source, b->source) == 0;
}

/* The only function of that name, or the only one of that name and file. NULL: none, or
 * nobody knows which. */
static const struct image_symbol *find_in(const struct named *list, size_t count,
                                          const struct named *wanted)
{
    const struct image_symbol *found = NULL, *of_file = NULL;
    size_t names = 0, files = 0;
    const struct named *first = bsearch(wanted, list, count, sizeof *list, by_name);

    while (first != NULL && first > list && by_name(first - 1, wanted) == 0)
        first--;
    for (; first != NULL && first < list + count && by_name(first, wanted) == 0;
         first++) {
        found = first->symbol;
        names++;
        if (same_source(found, wanted->symbol)) {
            of_file = found;
            files++;
        }
    }
    if (names == 1)
        return found;
    return files == 1 ? of_file : NULL;
}

static const struct image_symbol *find(const struct matching *matching,
                                       const struct image_symbol *symbol)
{
    struct named wanted = {symbol, strlen(symbol->name)};
    const struct image_symbol *found = find_in(matching->whole, matching->count, &wanted);

    if (found != NULL)
        return found;
    wanted.compared = clone_plain_length(symbol->name);
    return find_in(matching->plain, matching->count, &wanted);
}

/* The file and line of a call's place; line 0: not known. */
static struct image_line line_of(struct image *image, uint64_t from)
{
    struct image_line line = {0};

    if (image_lines(image, from - 1, &line, 1) == 0)
        line = (struct image_line){0};
    return line;
}

static bool same_line(const struct image_line *a, const struct image_line *b)
{
    return a->line != 0 && a->line == b->line && a->file != NULL && b->file != NULL &&
           strcmp(a->file, b->file) == 0;
}

/* The return address of the caller's call of the callee that stands in the line of
 * `from`, else of the first one; else an address that the caller's first byte is
 * before. */
static uint64_t place(const struct matching *matching, uint64_t from,
                      const struct image_symbol *caller,
                      const struct image_symbol *callee)
{
    const struct image_line line = line_of(matching->counting, from);
    unsigned step = image_code_align(matching->image);
    uint64_t first = 0;

    for (uint64_t at = caller->address + step; at <= caller->end; at += step) {
        struct image_line here;
        uint64_t target;

        if (!image_call_target(matching->image, at, &target) || target != callee->address)
            continue;
        here = line_of(matching->image, at);
        if (same_line(&line, &here))
            return at;
        first = first == 0 ? at : first;
    }
    return first != 0 ? first : caller->address + 1;
}

static bool miss(struct counts_missed *missed, const struct image_symbol *callee,
                 uint64_t count)
{
    missed->calls += count;
    if (missed->example == NULL || strcmp(missed->example, callee->demangled) != 0)
        missed->functions++;
    missed->example = callee->demangled;
    return true;
}

/* A place in no function of both builds: an exception return. Else 0. */
static uint64_t elsewhere(const struct matching *matching, uint64_t from)
{
    return from == 0 || image_symbol_at(matching->image, from - 1) != NULL ? 0 : from;
}

static bool take(struct profile *profile, const struct matching *matching,
                 const struct counter *counter, struct counts_missed *missed)
{
    const struct image_symbol *callee = image_symbol_at(matching->counting, counter->to);
    const struct image_symbol *caller =
        counter->from == 0 ? NULL
                           : image_symbol_at(matching->counting, counter->from - 1);
    const struct image_symbol *to, *by = NULL;

    if (callee == NULL || analysis_is_overhead(callee))
        return true;
    to = find(matching, callee);
    if (to == NULL)
        return miss(missed, callee, counter->count);
    if (caller != NULL)
        by = find(matching, caller);
    if (caller != NULL && by == NULL)
        missed->callers += counter->count;
    return profile_count(profile, EVENT_ARC,
                         by != NULL       ? place(matching, counter->from, by, to)
                         : caller == NULL ? elsewhere(matching, counter->from)
                                          : 0,
                         to->address, counter->count);
}

static int by_callee(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* A timed call without addresses is a run of a task. */
static bool take_all(struct profile *profile, const struct matching *matching,
                     const struct counters *counters, struct counts_missed *missed)
{
    struct counter *sorted = counters_sorted(counters, by_callee);
    bool done = sorted != NULL;

    for (size_t i = 0; done && i < counters->used; i++)
        done = (sorted[i].from == 0 && sorted[i].to == 0) ||
               take(profile, matching, &sorted[i], missed);
    free(sorted);
    return done;
}

bool counts_from(struct profile *profile, struct image *image,
                 const struct profile *counted, struct image *counting,
                 struct counts_missed *missed)
{
    static const enum event_kind kinds[] = {EVENT_ARC, EVENT_CALL};
    struct matching matching = {.image = image, .counting = counting};
    bool done;

    *missed = (struct counts_missed){0};
    matching.whole = sorted_names(image, false, &matching.count);
    matching.plain = sorted_names(image, true, &matching.count);
    done = matching.whole != NULL && matching.plain != NULL;
    profile->task = TASK_NONE;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        done = done && take_all(profile, &matching, &counted->counters[kinds[i]], missed);
        profile->lost[EVENT_ARC] += counted->lost[kinds[i]];
    }
    profile->unaccounted |= counted->unaccounted;
    profile->complete &= counted->complete;
    profile_settle(profile);
    free(matching.whole);
    free(matching.plain);
    return done;
}
