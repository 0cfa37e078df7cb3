/* SPDX-License-Identifier: MIT */
#include "links.h"

#include <stdlib.h>

#include "../arch/arch.h"

/* `callers`: who made the calls; NULL: whose code the call sites are in. */
static void add_counters(struct links *links, struct function_ranges *ranges,
                         const struct counters *calls, const struct caller *callers)
{
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter call = counter_at(calls, i);
        if (call.count == 0 || is_tasks_own(&call))
            continue;
        size_t caller = callers != NULL ? callers[i].range : caller_at(ranges, call.from);
        bool inlined = callers != NULL && callers[i].inlined;
        size_t callee = range_at(ranges, call.to);
        ranges->used[callee] = true;
        if (caller != NO_FUNCTION)
            ranges->used[caller] = true;
        links->items[links->count++] =
            (struct link){(uint32_t)caller, (uint32_t)callee,
                          arch_exception_return(call.from) && !inlined, call.count};
    }
}

bool links_collect(struct links *links, struct function_ranges *ranges,
                   const struct profile *profile, const struct caller *callers)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *calls = &profile->counters[EVENT_CALL];
    links->items = calloc(arcs->used + calls->used + 1, sizeof *links->items);
    if (links->items == NULL)
        return false;
    add_counters(links, ranges, arcs, NULL);
    add_counters(links, ranges, calls, callers);
    return true;
}

void links_number(const struct links *links, const struct function_ranges *ranges)
{
    for (size_t i = 0; i < links->count; i++) {
        struct link *link = &links->items[i];
        if (link->caller != NO_FUNCTION)
            link->caller = ranges->number[link->caller];
        link->callee = ranges->number[link->callee];
    }
}

static size_t caller_key(const struct link *link, size_t functions)
{
    return link->caller == NO_FUNCTION ? functions : link->caller;
}

static size_t callee_key(const struct link *link, size_t functions)
{
    (void)functions;
    return 2 * (size_t)link->callee + link->interrupt;
}

/* Copies links by key; links of one key keep their order. false: out of memory. Inline,
 * so that no call is made for each link's key. */
static inline bool arrange(const struct link *from, struct link *to, size_t count,
                           size_t (*key)(const struct link *, size_t), size_t functions,
                           size_t keys)
{
    uint32_t *starts = calloc(keys + 1, sizeof *starts);
    if (starts == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        starts[key(&from[i], functions) + 1]++;
    for (size_t i = 0; i < keys; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < count; i++)
        to[starts[key(&from[i], functions)]++] = from[i];
    free(starts);
    return true;
}

static void count_calls(struct analysis *analysis, const struct link *link)
{
    struct function *callee = &analysis->functions[link->callee];
    analysis->has_calls = analysis->has_calls || link->count > 0;
    if (link->caller == NO_FUNCTION)
        analysis->unknown_callers += link->count;
    else
        callee->spontaneous = false;
    if (link->caller == link->callee)
        callee->self_calls += link->count;
    else
        callee->calls += link->count;
}

/* Sorts by caller (none comes last), callee and interrupt. Calls are counted while the
 * links are sorted by callee: then those of one function are side by side. */
static bool sort(struct links *links, struct analysis *analysis)
{
    size_t functions = analysis->function_count;
    struct link *by_callee = calloc(links->count + 1, sizeof *by_callee);
    bool done = by_callee != NULL && arrange(links->items, by_callee, links->count,
                                             callee_key, functions, 2 * functions);
    for (size_t i = 0; done && i < links->count; i++)
        count_calls(analysis, &by_callee[i]);
    done = done && arrange(by_callee, links->items, links->count, caller_key, functions,
                           functions + 1);
    free(by_callee);
    return done;
}

/* Merges the links of each pair of functions; those of interrupts stay apart. */
static void merge(struct links *links)
{
    size_t kept = 0;
    for (size_t i = 0; i < links->count; i++) {
        const struct link *link = &links->items[i];
        struct link *last = kept > 0 ? &links->items[kept - 1] : NULL;
        if (last != NULL && last->caller == link->caller &&
            last->callee == link->callee && last->interrupt == link->interrupt)
            last->count += link->count;
        else
            links->items[kept++] = *link;
    }
    links->count = kept;
}

/* Groups the arcs by callee; they are already in the order of their callers. */
static bool index_arcs(struct analysis *analysis)
{
    uint32_t *next = calloc(analysis->function_count + 1, sizeof *next);
    uint32_t in = 0, out = 0;
    analysis->ins = calloc(analysis->arc_count + 1, sizeof *analysis->ins);
    if (analysis->ins == NULL || next == NULL) {
        free(next);
        return false;
    }
    for (size_t i = 0; i < analysis->arc_count; i++)
        next[analysis->arcs[i].callee]++;
    for (size_t i = 0; i < analysis->function_count; i++) {
        struct function *function = &analysis->functions[i];
        function->ins = next[i];
        function->first_in = next[i] = in;
        function->first_out = out;
        in += function->ins;
        out += function->outs;
    }
    for (size_t i = 0; i < analysis->arc_count; i++)
        analysis->ins[next[analysis->arcs[i].callee]++] = (uint32_t)i;
    free(next);
    return true;
}

bool links_make_arcs(struct links *links, struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].spontaneous = true;
    if (links->count >= UINT32_MAX || !sort(links, analysis))
        return false;
    merge(links);
    analysis->arcs = calloc(links->count + 1, sizeof *analysis->arcs);
    if (analysis->arcs == NULL)
        return false;
    analysis->arc_count = links->count;
    for (size_t i = 0; i < links->count; i++) {
        const struct link *link = &links->items[i];
        analysis->arcs[i] = (struct arc){.caller = link->caller,
                                         .callee = link->callee,
                                         .interrupt = link->interrupt,
                                         .count = link->count};
        if (link->caller != NO_FUNCTION)
            analysis->functions[link->caller].outs++;
    }
    return index_arcs(analysis);
}
