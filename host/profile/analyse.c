/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "analyse.h"
#include "paths.h"
#include "places.h"
#include "propagate.h"
#include "sampling.h"
#include "timed.h"

enum { HEX_NAME_BYTES = 20 };

static const char *const hooks[] = {
    "__gnu_mcount_nc",
    "_mcount",
    "mcount",
    "__mcount",
    "_gprof_mcount",
    "__mcount_internal",
    "_mcount_internal",
    "__mcleanup",
    "__cyg_profile_func_enter",
    "__cyg_profile_func_exit",
    "__sanitizer_cov_trace_pc",
};

bool analysis_is_overhead(const struct image_symbol *symbol)
{
    const char *name = symbol->name;
    if (strncmp(name, "mcuprof_", 8) == 0 ||
        (symbol->source != NULL && strncmp(symbol->source, "mcuprof", 7) == 0))
        return true;
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(name, hooks[i]) == 0)
            return true;
    return false;
}

/* Shares a bin among the functions it covers, in half-words as GNU gprof does. */
static void share_bin(struct places *places, uint64_t low, unsigned bytes, double count)
{
    double width = bytes / 2 > 0 ? bytes / 2 : 1, given = 0;
    uint64_t first = low / 2, last = first + (bytes / 2 > 0 ? bytes / 2 : 1);
    for (size_t i = place_from(places, low); i < places->count; i++) {
        uint64_t start = place_start(places, i) / 2, end = place_end(places, i) / 2;
        if (start >= last)
            break;
        uint64_t from = start > first ? start : first, to = end < last ? end : last;
        if (from >= to)
            continue;
        double part = count * (double)(to - from) / width;
        places->self[i] += part;
        given += (double)(to - from);
    }
    if (given < width)
        places->self[places->count] += count * (width - given) / width;
}

static void tally_samples(struct places *places, const struct profile *profile)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    for (size_t i = 0; i < samples->used; i++) {
        const struct counter *sample = &samples->items[i];
        double count = (double)sample->count;
        if (profile->bin_bytes > 1 && places->symbols != NULL)
            share_bin(places, sample->to, profile->bin_bytes, count);
        else
            places->self[place_at(places, sample->to)] += count;
    }
    for (size_t i = 0; i <= places->count; i++)
        places->used[i] = places->self[i] > 0;
}

/* An interrupt is only told from other unknown callers where stacks tell it, too. */
static size_t add_links(struct places *places, const struct counters *calls,
                        bool measured, struct link *links)
{
    size_t found = 0;
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter *call = &calls->items[i];
        if (call->count == 0 || is_tasks_own(call))
            continue;
        struct link link = {caller_at(places, call->from), place_at(places, call->to),
                            measured && is_exception_return(call->from), call->count};
        places->used[link.callee] = true;
        if (link.caller != NO_FUNCTION)
            places->used[link.caller] = true;
        links[found++] = link;
    }
    return found;
}

/* Counted calls between places, timed or not. NULL: out of memory. */
static struct link *collect_links(struct places *places, const struct profile *profile,
                                  size_t *count)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *calls = &profile->counters[EVENT_CALL];
    struct link *links = calloc(arcs->used + calls->used + 1, sizeof *links);
    bool measured = profile->stacks.used > 0;
    if (links == NULL)
        return NULL;
    *count = add_links(places, arcs, measured, links);
    *count += add_links(places, calls, measured, links + *count);
    return links;
}

/* From places to functions. */
static void number_links(struct link *links, size_t count, const struct places *places)
{
    for (size_t i = 0; i < count; i++) {
        if (links[i].caller != NO_FUNCTION)
            links[i].caller = places->number[links[i].caller];
        links[i].callee = places->number[links[i].callee];
    }
}

/* Adds what the paths know. */
static bool join_links(const struct analysis *analysis, struct link **links,
                       size_t *count)
{
    struct link *more, *moved = NULL;
    size_t more_count;
    if (!analysis->measured)
        return true;
    if (paths_links(analysis, &more, &more_count))
        moved = reallocarray(*links, *count + more_count + 1, sizeof *moved);
    if (moved != NULL) {
        memcpy(moved + *count, more, more_count * sizeof *more);
        *links = moved;
        *count += more_count;
    }
    free(more);
    return moved != NULL;
}

static size_t caller_key(const struct link *link, size_t functions)
{
    return link->caller == NO_FUNCTION ? functions : link->caller;
}

static size_t callee_key(const struct link *link, size_t functions)
{
    (void)functions;
    return 2 * link->callee + link->interrupt;
}

/* Copies links by key, those of one key in the order that they had; counts has a place
 * for each key and one more, all 0. */
static void arrange(const struct link *from, struct link *to, size_t count,
                    size_t (*key)(const struct link *, size_t), size_t functions,
                    size_t *counts, size_t keys)
{
    for (size_t i = 0; i < count; i++)
        counts[key(&from[i], functions) + 1]++;
    for (size_t i = 0; i < keys; i++)
        counts[i + 1] += counts[i];
    for (size_t i = 0; i < count; i++)
        to[counts[key(&from[i], functions)]++] = from[i];
}

/* By (caller, callee), then interrupts last; those without a caller come last. false: out
 * of memory. */
static bool sort_links(struct link *links, size_t count, size_t functions)
{
    struct link *other = calloc(count + 1, sizeof *other);
    size_t *callees = calloc(2 * functions + 1, sizeof *callees);
    size_t *callers = calloc(functions + 2, sizeof *callers);
    bool done = other != NULL && callees != NULL && callers != NULL;
    if (done) {
        arrange(links, other, count, callee_key, functions, callees, 2 * functions);
        arrange(other, links, count, caller_key, functions, callers, functions + 1);
    }
    free(other);
    free(callees);
    free(callers);
    return done;
}

/* One for each pair of functions. */
static void merge_links(struct link *links, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        struct link *last = kept > 0 ? &links[kept - 1] : NULL;
        if (last != NULL && last->caller == links[i].caller &&
            last->callee == links[i].callee && last->interrupt == links[i].interrupt)
            last->count += links[i].count;
        else
            links[kept++] = links[i];
    }
    *count = kept;
}

static int by_call_site(const void *left, const void *right)
{
    const struct call_site *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* One for each pair of addresses, in whatever task; at least one. */
static void merge_sites(struct analysis *analysis)
{
    struct call_site *sites = analysis->sites;
    size_t last = 0;
    qsort(sites, analysis->site_count, sizeof *sites, by_call_site);
    for (size_t i = 1; i < analysis->site_count; i++) {
        if (by_call_site(&sites[last], &sites[i]) != 0) {
            sites[++last] = sites[i];
            continue;
        }
        sites[last].count += sites[i].count;
        call_times_add(&sites[last].took, &sites[i].took);
    }
    analysis->site_count = last + 1;
}

static bool make_sites(struct analysis *analysis, const struct places *places,
                       const struct profile *profile)
{
    const size_t *number = places->number;
    const struct counters *calls = &profile->counters[EVENT_CALL];
    analysis->sites = calloc(calls->used + 1, sizeof *analysis->sites);
    if (analysis->sites == NULL)
        return false;
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter *call = &calls->items[i];
        size_t caller = caller_at(places, call->from);
        if (call->count == 0 || is_tasks_own(call))
            continue;
        analysis->sites[analysis->site_count++] = (struct call_site){
            call->from,
            call->to,
            caller == NO_FUNCTION ? NO_FUNCTION : number[caller],
            number[place_at(places, call->to)],
            call->count,
            profile->times[i],
            false,
        };
    }
    if (analysis->site_count > 1)
        merge_sites(analysis);
    return true;
}

static void name_function(struct analysis *analysis, const struct places *places,
                          size_t place, struct function *function)
{
    if (place == places->count) {
        function->name = "[unknown]";
    } else if (places->symbols != NULL) {
        function->symbol = &places->symbols[place];
        function->name = function->symbol->demangled;
        function->overhead = analysis_is_overhead(function->symbol);
    } else {
        char *text = analysis->addresses_text + analysis->function_count * HEX_NAME_BYTES;
        snprintf(text, HEX_NAME_BYTES, "0x%08" PRIx64, places->addresses[place]);
        function->name = text;
    }
}

/* Fills in functions, and the places' numbers. */
static bool make_functions(struct analysis *analysis, const struct places *places)
{
    size_t used = 0;
    for (size_t i = 0; i <= places->count; i++)
        used += places->used[i];
    analysis->functions = calloc(used + 1, sizeof *analysis->functions);
    if (places->symbols == NULL)
        analysis->addresses_text = calloc(used + 1, HEX_NAME_BYTES);
    if (analysis->functions == NULL ||
        (places->symbols == NULL && analysis->addresses_text == NULL))
        return false;
    for (size_t i = 0; i <= places->count; i++) {
        if (!places->used[i])
            continue;
        struct function *function = &analysis->functions[analysis->function_count];
        name_function(analysis, places, i, function);
        function->address = i < places->count ? place_start(places, i) : 0;
        function->self_samples = places->self[i];
        function->samples =
            places->self[i] < 0x1p63 ? (uint64_t)llround(places->self[i]) : UINT64_MAX;
        function->self = places->self[i]; /* samples until scaled */
        places->number[i] = analysis->function_count++;
    }
    return true;
}

static void count_calls(struct analysis *analysis, const struct arc *arc)
{
    struct function *callee = &analysis->functions[arc->callee];
    callee->ins++;
    if (arc->caller == NO_FUNCTION) {
        analysis->unknown_callers += arc->count;
        callee->calls += arc->count;
        return;
    }
    analysis->functions[arc->caller].outs++;
    callee->spontaneous = false;
    if (arc->caller == arc->callee)
        callee->self_calls += arc->count;
    else
        callee->calls += arc->count;
}

/* Groups the arcs by callee; by caller they are already. */
static bool index_arcs(struct analysis *analysis)
{
    analysis->ins = calloc(analysis->arc_count + 1, sizeof *analysis->ins);
    if (analysis->ins == NULL)
        return false;
    size_t in = 0, out = 0;
    for (size_t i = 0; i < analysis->function_count; i++) {
        struct function *function = &analysis->functions[i];
        function->first_in = in;
        function->first_out = out;
        in += function->ins;
        out += function->outs;
        function->ins = 0;
    }
    for (size_t i = 0; i < analysis->arc_count; i++) {
        struct function *callee = &analysis->functions[analysis->arcs[i].callee];
        analysis->ins[callee->first_in + callee->ins++] = i;
    }
    return true;
}

static bool make_arcs(struct analysis *analysis, const struct link *links, size_t count)
{
    analysis->arcs = calloc(count + 1, sizeof *analysis->arcs);
    if (analysis->arcs == NULL)
        return false;
    analysis->arc_count = count;
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].spontaneous = true;
    for (size_t i = 0; i < count; i++) {
        struct arc *arc = &analysis->arcs[i];
        arc->caller = links[i].caller;
        arc->callee = links[i].callee;
        arc->interrupt = links[i].interrupt;
        arc->count = links[i].count;
        analysis->has_calls = analysis->has_calls || arc->count > 0;
        count_calls(analysis, arc);
    }
    return index_arcs(analysis);
}

/* The graph, with every time still a number of samples. */
static bool build_graph(struct analysis *analysis, const struct profile *profile,
                        struct image *image)
{
    struct places places = {0};
    struct link *links = NULL;
    size_t count = 0;
    bool done = places_init(&places, profile, image);
    if (done) {
        tally_samples(&places, profile);
        paths_mark(&places, profile);
        links = collect_links(&places, profile, &count);
    }
    done = done && links != NULL && make_functions(analysis, &places);
    if (done)
        number_links(links, count, &places);
    done = done && paths_find(analysis, profile, &places, image) &&
           join_links(analysis, &links, &count);
    done = done && sort_links(links, count, analysis->function_count);
    if (done)
        merge_links(links, &count);
    done = done && make_arcs(analysis, links, count) &&
           make_sites(analysis, &places, profile);
    free(links);
    places_release(&places);
    return done;
}

/* Whether nothing tells of the function's callers, though it has some. */
static bool is_unplaced(const struct analysis *analysis, const struct function *function)
{
    return analysis->has_calls && !analysis->measured && !function->overhead &&
           function->ins == 0 && strcmp(function->name, "main") != 0;
}

double analysis_error(const struct analysis *analysis, double samples)
{
    if (!analysis->measured || samples <= 0)
        return sqrt(samples);
    double others = analysis->samples - samples;
    return fmax(0.5, sqrt(samples * fmax(others, 0) / analysis->samples));
}

static void scale_function(struct analysis *analysis, struct function *function,
                           double hz)
{
    function->self_error = sqrt(function->self) / hz;
    if (analysis->measured)
        function->total_error = analysis_error(analysis, function->total) / hz;
    function->self /= hz;
    function->children /= hz;
    function->root /= hz;
    function->root_self /= hz;
    function->total =
        analysis->measured ? function->total / hz : function->self + function->children;
    analysis->total += function->self;
    if (function->overhead)
        analysis->overhead += function->self;
    if (function->symbol == NULL && analysis->addresses_text == NULL)
        analysis->unknown += function->self;
    if (is_unplaced(analysis, function))
        analysis->unplaced += function->self;
}

/* From samples to seconds, and the totals. */
static void scale(struct analysis *analysis, double hz)
{
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->samples += analysis->functions[i].self;
    for (size_t i = 0; i < analysis->function_count; i++)
        scale_function(analysis, &analysis->functions[i], hz);
    for (size_t i = 0; i < analysis->arc_count; i++) {
        struct arc *arc = &analysis->arcs[i];
        if (analysis->measured)
            arc->error = analysis_error(analysis, arc->self + arc->children) / hz;
        arc->self /= hz;
        arc->children /= hz;
    }
    for (size_t i = 0; i < analysis->cycle_count; i++) {
        analysis->cycles[i].self /= hz;
        analysis->cycles[i].children /= hz;
    }
    analysis->program = analysis->total - analysis->overhead;
}

static void forget_cycles(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->cycle_count; i++)
        free(analysis->cycles[i].members);
    analysis->cycle_count = 0;
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].cycle = NO_CYCLE;
}

/* Totals, and what passes along arcs. */
static bool find_times(struct analysis *analysis, const struct profile *profile)
{
    size_t *order = NULL;
    if (!cycles_find(analysis, &order))
        return false;
    bool done = timed_find(analysis, profile, order);
    if (!analysis->measured)
        propagate(analysis, order);
    else if (!analysis->timed.known)
        forget_cycles(analysis);
    free(order);
    return done && (!analysis->measured || paths_measure(analysis));
}

bool analyse(struct analysis *analysis, const struct profile *profile,
             struct image *image, struct error *error)
{
    /* Beyond these no sampler works, and the quotients would leave a double's range. */
    bool rate_known = profile->hz >= 1e-6 && profile->hz <= 1e12;
    *analysis = (struct analysis){.hz = rate_known ? sampling_rate(profile) : 1};
    if (!build_graph(analysis, profile, image) || !find_times(analysis, profile)) {
        analysis_release(analysis);
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    }
    scale(analysis, analysis->hz);
    analysis->has_samples = analysis->total > 0;
    analysis->has_time = analysis->has_samples && rate_known;
    return true;
}

static const struct image_symbol *symbol_of(const struct analysis *analysis, size_t index)
{
    return analysis->functions[index].symbol;
}

size_t analysis_function_at(const struct analysis *analysis, const struct image *image,
                            uint64_t address)
{
    const struct image_symbol *symbol = image_symbol_at(image, address);
    size_t low = 0;
    SEARCH(low, analysis->function_count,
           symbol_of(analysis, middle) != NULL &&
               (symbol == NULL || symbol_of(analysis, middle) < symbol));
    return low < analysis->function_count && symbol_of(analysis, low) == symbol
               ? low
               : NO_FUNCTION;
}

void analysis_release(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->cycle_count; i++)
        free(analysis->cycles[i].members);
    free(analysis->cycles);
    free(analysis->functions);
    free(analysis->arcs);
    free(analysis->times);
    free(analysis->sites);
    free(analysis->ins);
    free(analysis->addresses_text);
    free(analysis->frames);
    free(analysis->paths);
    free(analysis->path_frames);
    *analysis = (struct analysis){.hz = 1};
}
