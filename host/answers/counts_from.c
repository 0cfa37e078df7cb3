/* SPDX-License-Identifier: MIT */
#include "counts_from.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/analyse.h"
#include "../base/compare.h"
#include "../base/vector.h"
#include "clone.h"

/* A function of the build that ships, by its name. */
struct counterpart {
    const struct image_symbol *symbol;
    size_t compared; /* bytes of its name: all, or those before a clone's suffix */
};

/* The calls in the code of one function, which are looked for once. */
struct call {
    uint64_t at, target; /* the return address */
};
struct calls {
    const struct image_symbol *of; /* NULL: of none yet */
    struct call *items;
    size_t count, room;
};

struct matching {
    struct image *image, *counting;
    struct counterpart *whole, *plain; /* sorted by name */
    size_t count;
    const struct image_symbol *first; /* of the build that counts */
    bool *missed;                     /* by its functions */
    struct calls calls;               /* of the caller looked at last */
};

static int compare(const char *a, size_t length, const char *b, size_t other)
{
    int order = memcmp(a, b, length < other ? length : other);

    return order != 0 ? order : (length > other) - (length < other);
}

static int by_name(const void *left, const void *right)
{
    const struct counterpart *a = left, *b = right;

    return compare(a->symbol->name, a->compared, b->symbol->name, b->compared);
}

static struct counterpart *sorted_names(const struct image *image, bool plain,
                                        size_t *count)
{
    const struct image_symbol *symbols;
    struct counterpart *list;

    *count = image_symbols(image, &symbols);
    list = calloc(*count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < *count; i++)
        list[i] =
            (struct counterpart){&symbols[i], plain ? clone_plain_length(symbols[i].name)
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
static const struct image_symbol *find_in(const struct counterpart *list, size_t count,
                                          const struct counterpart *wanted)
{
    const struct image_symbol *found = NULL, *of_file = NULL;
    size_t names = 0, files = 0;
    const struct counterpart *first = bsearch(wanted, list, count, sizeof *list, by_name);

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
    struct counterpart wanted = {symbol, strlen(symbol->name)};
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

/* false: out of memory. */
static bool find_calls(struct calls *calls, struct image *image,
                       const struct image_symbol *caller)
{
    unsigned step = image_code_align(image);

    if (calls->of == caller)
        return true;
    calls->of = caller;
    calls->count = 0;
    for (uint64_t at = caller->address + step; at <= caller->end; at += step) {
        uint64_t target;

        if (!image_call_target(image, at, &target))
            continue;
        if (!vector_grow(&calls->items, calls->count, &calls->room, sizeof *calls->items))
            return false;
        calls->items[calls->count++] = (struct call){at, target};
    }
    return true;
}

/* The return address of the caller's call of the callee that stands in the line of
 * `from`, else of the first one; else an address that the caller's first byte is
 * before. */
static uint64_t place(const struct matching *matching, const struct calls *calls,
                      uint64_t from, const struct image_symbol *callee)
{
    const struct image_line line = line_of(matching->counting, from);
    uint64_t first = 0;

    for (size_t i = 0; i < calls->count; i++) {
        struct image_line here;

        if (calls->items[i].target != callee->address)
            continue;
        here = line_of(matching->image, calls->items[i].at);
        if (same_line(&line, &here))
            return calls->items[i].at;
        first = first == 0 ? calls->items[i].at : first;
    }
    return first != 0 ? first : calls->of->address + 1;
}

static void miss(struct counts_missed *missed, bool *known,
                 const struct image_symbol *callee, uint64_t count)
{
    missed->calls += count;
    missed->functions += !*known;
    *known = true;
    missed->example = callee->demangled;
}

/* A place in no function of both builds: an exception return. Else 0. */
static uint64_t elsewhere(const struct matching *matching, uint64_t from)
{
    return from == 0 || image_symbol_at(matching->image, from - 1) != NULL ? 0 : from;
}

/* Where the call was made, in the build that ships. false: out of memory. */
static bool find_from(struct matching *matching, const struct counter *counter,
                      const struct image_symbol *to, uint64_t *from,
                      struct counts_missed *missed)
{
    const struct image_symbol *caller =
        counter->from == 0 ? NULL
                           : image_symbol_at(matching->counting, counter->from - 1);
    const struct image_symbol *by = caller != NULL ? find(matching, caller) : NULL;

    *from = caller == NULL ? elsewhere(matching, counter->from) : 0;
    if (caller != NULL && by == NULL)
        missed->callers += counter->count;
    if (by == NULL)
        return true;
    if (!find_calls(&matching->calls, matching->image, by))
        return false;
    *from = place(matching, &matching->calls, counter->from, to);
    return true;
}

static bool take(struct profile *profile, struct matching *matching,
                 const struct counter *counter, struct counts_missed *missed)
{
    const struct image_symbol *callee = image_symbol_at(matching->counting, counter->to);
    const struct image_symbol *to;
    uint64_t from;

    if (callee == NULL || analysis_is_overhead(callee))
        return true;
    to = find(matching, callee);
    if (to == NULL) {
        miss(missed, &matching->missed[callee - matching->first], callee, counter->count);
        return true;
    }
    return find_from(matching, counter, to, &from, missed) &&
           profile_count(profile, EVENT_ARC, from, to->address, counter->count);
}

static int by_caller(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    ORDER_BY(a->from, b->from);
    return (a->to > b->to) - (a->to < b->to);
}

/* A timed call without addresses is a run of a task. */
static bool take_all(struct profile *profile, struct matching *matching,
                     const struct counters *counters, struct counts_missed *missed)
{
    struct counter *sorted = counters_sorted(counters, by_caller);
    bool done = sorted != NULL;

    for (size_t i = 0; done && i < counters->used; i++)
        done = (sorted[i].from == 0 && sorted[i].to == 0) ||
               take(profile, matching, &sorted[i], missed);
    free(sorted);
    return done;
}

static bool prepare(struct matching *matching)
{
    size_t functions = image_symbols(matching->counting, &matching->first);

    matching->missed = calloc(functions + 1, sizeof *matching->missed);
    matching->whole = sorted_names(matching->image, false, &matching->count);
    matching->plain = sorted_names(matching->image, true, &matching->count);
    return matching->missed != NULL && matching->whole != NULL && matching->plain != NULL;
}

bool counts_from(struct profile *profile, struct image *image,
                 const struct profile *counted, struct image *counting,
                 struct counts_missed *missed)
{
    static const enum event_kind kinds[] = {EVENT_ARC, EVENT_CALL};
    struct matching matching = {.image = image, .counting = counting};
    bool done = prepare(&matching);

    *missed = (struct counts_missed){0};
    profile->task = TASK_NONE;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        done = done && take_all(profile, &matching, &counted->counters[kinds[i]], missed);
        profile->lost[EVENT_ARC] += counted->lost[kinds[i]];
    }
    profile->unaccounted |= counted->unaccounted;
    profile->complete &= counted->complete;
    profile_settle(profile);
    free(matching.missed);
    free(matching.whole);
    free(matching.plain);
    free(matching.calls.items);
    return done;
}
