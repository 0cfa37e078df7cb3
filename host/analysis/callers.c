/* SPDX-License-Identifier: MIT */
#include "callers.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/path.h"
#include "../base/search.h"

enum { CHAIN_MAX = 32 }; /* a function, and functions inlined in it, one in another */

/* A timed function, by name. */
struct timed_function {
    const char *name;
    size_t range;
};

/* A counter of timed calls. */
struct call {
    uint64_t from;
    struct timed_function callee;
    size_t index;
};

/* A function around an inlined one. The first of them is the symbol table's, and each
 * contains the next. */
struct around {
    uint64_t copy;
    const char *name;
};

/* A function that was timed with the site at hand. */
struct candidate {
    struct timed_function function;
    bool inside;    /* it is inlined in another candidate */
    bool handler;   /* and the hardware may have called it, too */
    unsigned homes; /* how many functions that may have been called contain it */
    struct caller caller;
    /* Where it is in the function at hand; depth 0: nowhere. */
    uint64_t copy;
    size_t depth;
    struct around around[CHAIN_MAX];
    struct image_line where;
};

struct finder {
    const struct function_ranges *ranges;
    struct image *image;
    struct call *calls; /* by site, then by callee */
    size_t call_count;
    struct timed_function *named; /* all callees, by name */
    size_t named_count;
    struct candidate *candidates; /* of the site at hand, by name */
    size_t count;
};

static int compare_named(const struct timed_function *a, const struct timed_function *b)
{
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->range > b->range) - (a->range < b->range);
}

static int by_name(const void *left, const void *right)
{
    return compare_named(left, right);
}

static int by_site(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    ORDER_BY(a->from, b->from);
    return compare_named(&a->callee, &b->callee);
}

static const char *name_of(const struct finder *finder, size_t range)
{
    return range < finder->ranges->count ? finder->ranges->symbols[range].demangled : "";
}

/* ---- Calls that have an instruction ---- */

/* The timed function of that name, preferably the static one of that file. */
static size_t place_named(const struct finder *finder, const char *name, const char *file)
{
    size_t first = 0, found = NO_FUNCTION;
    SEARCH(first, finder->named_count, strcmp(finder->named[middle].name, name) < 0);
    for (size_t i = first; i < finder->named_count; i++) {
        const struct timed_function *named = &finder->named[i];
        if (strcmp(named->name, name) != 0)
            break;
        const char *source = finder->ranges->symbols[named->range].source;
        bool same = source != NULL && file != NULL &&
                    strcmp(path_tail(source, 1), path_tail(file, 1)) == 0;
        if (found == NO_FUNCTION || same)
            found = named->range;
        if (same)
            break;
    }
    return found;
}

/* The function whose code makes the call that returns to `from`. */
static size_t caller_in_code(const struct finder *finder, uint64_t from)
{
    struct image_line chain[CHAIN_MAX];
    size_t range = caller_at(finder->ranges, from), depth = 0;
    if (range != NO_FUNCTION)
        depth = image_lines(finder->image, address_of_call(finder->ranges, from), chain,
                            CHAIN_MAX);
    for (size_t level = 0; level < depth; level++) {
        const char *name = chain[level].function;
        if (name == NULL)
            continue;
        if (level + 1 == depth && strcmp(name, name_of(finder, range)) == 0)
            break; /* another function may have its name */
        size_t found = place_named(finder, name, chain[level].file);
        if (found != NO_FUNCTION)
            return found;
    }
    return range;
}

/* ---- Inlined calls ---- */

static struct candidate *first_named(const struct finder *finder, const char *name)
{
    size_t low = 0;
    if (name == NULL)
        return NULL;
    SEARCH(low, finder->count,
           strcmp(finder->candidates[middle].function.name, name) < 0);
    return low < finder->count && strcmp(finder->candidates[low].function.name, name) == 0
               ? &finder->candidates[low]
               : NULL;
}

/* Notes that the candidate is inlined here, at that level of the chain. */
static void note(struct candidate *candidate, const struct image_line *chain,
                 size_t depth, size_t level)
{
    const struct image_line *call = &chain[level + 1];
    size_t around = depth - 1 - level, same = 0;
    if (candidate->depth == 0) {
        candidate->copy = chain[level].copy;
        candidate->where = *call;
        for (size_t i = 0; i < around; i++)
            candidate->around[i] =
                (struct around){chain[depth - 1 - i].copy, chain[depth - 1 - i].function};
        candidate->depth = around;
    } else if (candidate->copy != chain[level].copy) {
        while (same < around && same < candidate->depth &&
               candidate->around[same].copy == chain[depth - 1 - same].copy)
            same++;
        candidate->depth = same > 0 ? same : 1;
        if (candidate->where.file != call->file || candidate->where.line != call->line)
            candidate->where = (struct image_line){0};
    }
}

/* Finds the candidates that are inlined in a function. */
static void look_into(struct finder *finder, size_t home)
{
    struct image_line chain[CHAIN_MAX];
    for (size_t i = 0; i < finder->count; i++)
        finder->candidates[i].depth = 0;
    if (home >= finder->ranges->count)
        return;
    uint64_t at = finder->ranges->symbols[home].address;
    uint64_t end = finder->ranges->symbols[home].end;
    if (!image_inlines(finder->image, at, end))
        return;
    while (at < end) {
        size_t depth = image_lines(finder->image, at, chain, CHAIN_MAX);
        for (size_t level = 0; depth < CHAIN_MAX && level + 1 < depth; level++) {
            struct candidate *found = first_named(finder, chain[level].function);
            if (found != NULL)
                note(found, chain, depth, level);
        }
        uint64_t until = image_lines_until(finder->image, at);
        at = until > at ? until : end;
    }
}

/* The nearest function around the candidate that was timed with the site. */
static size_t nearest(const struct finder *finder, const struct candidate *candidate,
                      size_t home)
{
    for (size_t i = candidate->depth; i-- > 0;) {
        const struct candidate *found = first_named(finder, candidate->around[i].name);
        if (found != NULL)
            return found->function.range;
    }
    return home;
}

/* Takes what look_into() found for a function that was called. */
static void take(const struct finder *finder, struct candidate *candidate, size_t home)
{
    struct caller *caller = &candidate->caller;
    if (candidate->depth == 0 || candidate->function.range == home)
        return;
    size_t range = nearest(finder, candidate, home);
    if (candidate->homes++ == 0)
        *caller = (struct caller){range, true, candidate->where};
    else if (caller->range != range)
        *caller = (struct caller){NO_FUNCTION, true, {0}};
    else if (caller->where.file != candidate->where.file ||
             caller->where.line != candidate->where.line)
        caller->where = (struct image_line){0};
}

/* Takes the called function from the call instruction. false: this does not name it, or
 * that function has nothing to do with those that were timed. */
static bool resolve_known(struct finder *finder, uint64_t from)
{
    struct image_line chain[CHAIN_MAX];
    uint64_t target;
    bool any = false;
    if (!is_call_site(from) || !image_call_target(finder->image, from, &target))
        return false;
    size_t home = range_at(finder->ranges, target);
    size_t depth = image_lines(finder->image, target, chain, CHAIN_MAX);
    /* The function's name in the source, also if a copy of it was called. */
    const char *called = depth > 0 ? chain[depth - 1].function : NULL;
    look_into(finder, home);
    for (size_t i = 0; i < finder->count; i++) {
        struct candidate *candidate = &finder->candidates[i];
        bool direct = candidate->function.range == home ||
                      (called != NULL && strcmp(candidate->function.name, called) == 0);
        if (!direct)
            take(finder, candidate, home);
        any = any || direct || candidate->homes > 0;
    }
    return any;
}

static bool is_handler(const struct finder *finder, size_t range)
{
    return range < finder->ranges->count &&
           image_is_handler(finder->image, finder->ranges->symbols[range].address);
}

static void resolve_unknown(struct finder *finder, uint64_t from)
{
    for (size_t home = 0; home < finder->count; home++) {
        look_into(finder, finder->candidates[home].function.range);
        for (size_t i = 0; i < finder->count; i++)
            if (i != home && finder->candidates[i].depth > 0)
                finder->candidates[i].inside = true;
    }
    for (size_t i = 0; i < finder->count; i++) {
        struct candidate *candidate = &finder->candidates[i];
        candidate->handler = candidate->inside && !is_call_site(from) &&
                             is_handler(finder, candidate->function.range);
    }
    for (size_t home = 0; home < finder->count; home++) {
        size_t range = finder->candidates[home].function.range;
        if (finder->candidates[home].inside && !finder->candidates[home].handler)
            continue;
        look_into(finder, range);
        for (size_t i = 0; i < finder->count; i++)
            if (finder->candidates[i].inside)
                take(finder, &finder->candidates[i], range);
    }
    for (size_t i = 0; i < finder->count; i++)
        if (finder->candidates[i].handler)
            finder->candidates[i].caller = (struct caller){NO_FUNCTION, true, {0}};
}

/* ---- Sites ---- */

/* Finds the callers of the calls [first, end), which have one site. */
static void resolve(struct finder *finder, size_t first, size_t end,
                    struct caller *callers)
{
    uint64_t from = finder->calls[first].from;
    size_t caller = caller_in_code(finder, from);
    finder->count = 0;
    for (size_t i = first; i < end; i++) {
        const struct timed_function *callee = &finder->calls[i].callee;
        if (i == first || compare_named(callee, &finder->calls[i - 1].callee) != 0)
            finder->candidates[finder->count++] =
                (struct candidate){.function = *callee, .caller.range = caller};
    }
    if (!resolve_known(finder, from) && finder->count > 1)
        resolve_unknown(finder, from);
    for (size_t i = first, at = 0; i < end; i++) {
        if (i > first &&
            compare_named(&finder->calls[i].callee, &finder->calls[i - 1].callee) != 0)
            at++;
        callers[finder->calls[i].index] = finder->candidates[at].caller;
    }
}

static bool collect(struct finder *finder, const struct counters *calls)
{
    finder->calls = calloc(calls->used + 1, sizeof *finder->calls);
    finder->named = calloc(calls->used + 1, sizeof *finder->named);
    finder->candidates = calloc(calls->used + 1, sizeof *finder->candidates);
    if (finder->calls == NULL || finder->named == NULL || finder->candidates == NULL)
        return false;
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter call = counter_at(calls, i);
        size_t range = range_at(finder->ranges, call.to);
        struct timed_function callee = {name_of(finder, range), range};
        if (is_tasks_own(&call))
            continue;
        finder->calls[finder->call_count++] = (struct call){call.from, callee, i};
        if (range < finder->ranges->count)
            finder->named[finder->named_count++] = callee;
    }
    qsort(finder->calls, finder->call_count, sizeof *finder->calls, by_site);
    qsort(finder->named, finder->named_count, sizeof *finder->named, by_name);
    return true;
}

static bool resolve_all(struct finder *finder, const struct counters *calls,
                        struct caller *callers)
{
    if (!collect(finder, calls))
        return false;
    for (size_t first = 0, end; first < finder->call_count; first = end) {
        for (end = first + 1; end < finder->call_count; end++)
            if (finder->calls[end].from != finder->calls[first].from)
                break;
        resolve(finder, first, end, callers);
    }
    return true;
}

struct caller *callers_find(const struct function_ranges *ranges,
                            const struct profile *profile, struct image *image)
{
    const struct counters *calls = &profile->counters[EVENT_CALL];
    struct finder finder = {.ranges = ranges, .image = image};
    struct caller *callers = calloc(calls->used + 1, sizeof *callers);
    for (size_t i = 0; callers != NULL && i < calls->used; i++)
        callers[i].range = caller_at(ranges, counter_at(calls, i).from);
    if (callers != NULL && image != NULL && calls->used > 0 &&
        !resolve_all(&finder, calls, callers)) {
        free(callers);
        callers = NULL;
    }
    free(finder.calls);
    free(finder.named);
    free(finder.candidates);
    return callers;
}
