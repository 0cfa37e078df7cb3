/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/saturate.h"
#include "../base/search.h"
#include "../capture/sampling.h"
#include "../functions/propagate.h"
#include "../hook_cost/timed.h"
#include "../port/memory.h"
#include "analyse.h"
#include "callers.h"
#include "function_ranges.h"
#include "links.h"
#include "paths.h"

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

/* The name behind "FILE:", if that is the file of a local symbol; else all of it. */
static const char *without_file(const struct image_symbol *symbol, const char *wanted)
{
    const char *source = symbol != NULL ? symbol->source : NULL;
    size_t same = 0; /* an ELF may have very long names: they are not measured */

    while (source != NULL && source[same] != '\0' && source[same] == wanted[same])
        same++;
    bool is_file = same > 0 && source[same] == '\0' && wanted[same] == ':';
    return is_file ? wanted + same + 1 : wanted;
}

bool analysis_is_named(const char *name, const struct image_symbol *symbol,
                       const char *wanted)
{
    if (strcmp(name, wanted) == 0)
        return true;
    wanted = without_file(symbol, wanted);
    size_t length = strlen(wanted);
    if (symbol != NULL)
        name = symbol->demangled;
    return strcmp(name, wanted) == 0 ||
           (symbol != NULL && strcmp(symbol->name, wanted) == 0) ||
           (strncmp(name, wanted, length) == 0 && name[length] == '(');
}

size_t analysis_sum_count(const struct analysis *analysis)
{
    return analysis->sums != NULL ? analysis->sum_count : analysis->function_count;
}

struct function_sum analysis_sum(const struct analysis *analysis, size_t index)
{
    if (analysis->sums != NULL)
        return analysis->sums[index];
    const struct function *function = &analysis->functions[index];
    return (struct function_sum){function->symbol, function->self_samples,
                                 add_saturating(function->calls, function->self_calls)};
}

/* Shares a bin among the functions it covers, in half-words as GNU gprof does. */
static void share_bin(struct function_ranges *ranges, uint64_t low, unsigned bytes,
                      double count)
{
    double width = bytes / 2 > 0 ? bytes / 2 : 1, given = 0;
    uint64_t first = low / 2, last = first + (bytes / 2 > 0 ? bytes / 2 : 1);
    for (size_t i = range_from(ranges, low); i < ranges->count; i++) {
        uint64_t start = ranges->items[i].start / 2, end = ranges->items[i].end / 2;
        if (start >= last)
            break;
        uint64_t from = start > first ? start : first, to = end < last ? end : last;
        if (from >= to)
            continue;
        double part = count * (double)(to - from) / width;
        ranges->self[i] += part;
        given += (double)(to - from);
    }
    if (given < width)
        ranges->self[ranges->count] += count * (width - given) / width;
}

static void tally_samples(struct function_ranges *ranges, const struct profile *profile)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    for (size_t i = 0; i < samples->used; i++) {
        const struct counter sample = counter_at(samples, i);
        double count = (double)sample.count;
        if (profile->bin_bytes > 1 && ranges->symbols != NULL)
            share_bin(ranges, sample.to, profile->bin_bytes, count);
        else
            ranges->self[range_at(ranges, sample.to)] += count;
    }
    for (size_t i = 0; i <= ranges->count; i++)
        ranges->used[i] = ranges->self[i] > 0;
}

/* Adds the calls that the paths have. */
static bool join_links(const struct analysis *analysis, struct links *links)
{
    struct links more = {.items = NULL};
    struct link *moved = NULL;
    if (!analysis->measured)
        return true;
    if (paths_links(analysis, &more))
        moved =
            port_reallocarray(links->items, links->count + more.count + 1, sizeof *moved);
    if (moved != NULL) {
        memcpy(moved + links->count, more.items, more.count * sizeof *moved);
        links->items = moved;
        links->count += more.count;
    }
    free(more.items);
    return moved != NULL;
}

/* Merges the sites of each pair of addresses, whatever the task; there is at least one
 * site. */
static void merge_sites(struct analysis *analysis)
{
    struct call_site *sites = analysis->sites;
    size_t last = 0;
    qsort(sites, analysis->site_count, sizeof *sites, timed_by_addresses);
    for (size_t i = 1; i < analysis->site_count; i++) {
        if (timed_by_addresses(&sites[last], &sites[i]) != 0) {
            sites[++last] = sites[i];
            continue;
        }
        sites[last].count += sites[i].count;
        call_times_add(&sites[last].took, &sites[i].took);
    }
    analysis->site_count = last + 1;
}

static bool make_sites(struct analysis *analysis, const struct function_ranges *ranges,
                       const struct profile *profile, const struct caller *callers)
{
    const uint32_t *number = ranges->number;
    const struct counters *calls = &profile->counters[EVENT_CALL];
    analysis->sites = calloc(calls->used + 1, sizeof *analysis->sites);
    if (analysis->sites == NULL)
        return false;
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter call = counter_at(calls, i);
        size_t caller = callers[i].range;
        if (call.count == 0 || is_tasks_own(&call))
            continue;
        analysis->sites[analysis->site_count++] = (struct call_site){
            .from = call.from,
            .to = call.to,
            .caller = caller == NO_FUNCTION ? NO_FUNCTION : number[caller],
            .callee = number[range_at(ranges, call.to)],
            .count = call.count,
            .took = profile->times[i],
            .inlined = callers[i].inlined,
            .where = callers[i].where,
        };
    }
    if (analysis->site_count > 1)
        merge_sites(analysis);
    return true;
}

static const struct timed timed_none;

static void name_function(struct analysis *analysis, const struct function_ranges *ranges,
                          size_t range, struct function *function, struct image *image)
{
    if (range == ranges->count) {
        function->name = "[unknown]";
    } else if (ranges->symbols != NULL) {
        function->symbol = &ranges->symbols[range];
        function->name = image_name(image, function->symbol);
        function->overhead = analysis_is_overhead(function->symbol);
    } else {
        char *text = analysis->addresses_text + analysis->function_count * HEX_NAME_BYTES;
        snprintf(text, HEX_NAME_BYTES, "0x%08" PRIx64, ranges->items[range].start);
        function->name = text;
    }
}

/* Fills in functions, and the ranges' numbers. */
static bool make_functions(struct analysis *analysis,
                           const struct function_ranges *ranges, struct image *image)
{
    size_t used = 0;
    for (size_t i = 0; i <= ranges->count; i++)
        used += ranges->used[i];
    analysis->functions = calloc(used + 1, sizeof *analysis->functions);
    if (ranges->symbols == NULL)
        analysis->addresses_text = calloc(used + 1, HEX_NAME_BYTES);
    if (analysis->functions == NULL ||
        (ranges->symbols == NULL && analysis->addresses_text == NULL))
        return false;
    for (size_t i = 0; i <= ranges->count; i++) {
        if (!ranges->used[i])
            continue;
        struct function *function = &analysis->functions[analysis->function_count];
        name_function(analysis, ranges, i, function, image);
        function->address = i < ranges->count ? ranges->items[i].start : 0;
        function->self_samples = ranges->self[i];
        function->samples =
            ranges->self[i] < 0x1p63 ? (uint64_t)llround(ranges->self[i]) : UINT64_MAX;
        function->self = ranges->self[i]; /* samples until scaled */
        function->timed = &timed_none;
        ranges->number[i] = (uint32_t)analysis->function_count++;
    }
    return true;
}

/* Builds the graph; every time is still a number of samples. */
static bool build_graph(struct analysis *analysis, const struct profile *profile,
                        struct image *image)
{
    struct function_ranges ranges = {0};
    struct links links = {.items = NULL};
    struct caller *callers = NULL;
    bool done = ranges_init(&ranges, profile, image);
    if (done) {
        callers = callers_find(&ranges, profile, image);
        done = callers != NULL;
        tally_samples(&ranges, profile);
        paths_mark(&ranges, profile);
    }
    done = done && links_collect(&links, &ranges, profile, callers) &&
           make_functions(analysis, &ranges, image);
    if (done)
        links_number(&links, &ranges);
    done = done && paths_find(analysis, profile, &ranges, image) &&
           join_links(analysis, &links) && links_make_arcs(&links, analysis) &&
           make_sites(analysis, &ranges, profile, callers);
    free(callers);
    free(links.items);
    ranges_release(&ranges);
    return done;
}

/* Counts the calls of each range, whoever makes them; ranges with calls become used. */
static void count_calls(struct analysis *analysis, const struct profile *profile,
                        struct function_ranges *ranges, uint64_t *calls)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    for (size_t i = 0; i < arcs->used; i++) {
        const struct counter arc = counter_at(arcs, i);
        if (arc.count == 0 || is_tasks_own(&arc))
            continue;
        size_t caller = caller_at(ranges, arc.from), callee = range_at(ranges, arc.to);
        if (caller != NO_FUNCTION)
            ranges->used[caller] = true;
        else
            analysis->unknown_callers += arc.count;
        ranges->used[callee] = true;
        calls[callee] += arc.count;
        analysis->has_calls = true;
    }
}

/* Fills in the sums of the ranges that are used. */
static bool make_sums(struct analysis *analysis, const struct function_ranges *ranges,
                      const uint64_t *calls)
{
    size_t used = 0;
    for (size_t i = 0; i <= ranges->count; i++)
        used += ranges->used[i];
    analysis->sums = calloc(used + 1, sizeof *analysis->sums);
    for (size_t i = 0; i <= ranges->count && analysis->sums != NULL; i++)
        if (ranges->used[i])
            analysis->sums[analysis->sum_count++] = (struct function_sum){
                i < ranges->count ? &ranges->symbols[i] : NULL,
                ranges->self[i],
                calls[i],
            };
    return analysis->sums != NULL;
}

/* Builds the sums of functions alone. */
static bool build_sums(struct analysis *analysis, const struct profile *profile,
                       struct image *image)
{
    struct function_ranges ranges = {0};
    uint64_t *calls = NULL;
    bool done = ranges_init(&ranges, profile, image);
    if (done) {
        tally_samples(&ranges, profile);
        calls = calloc(ranges.count + 1, sizeof *calls);
        done = calls != NULL;
    }
    if (done)
        count_calls(analysis, profile, &ranges, calls);
    done = done && make_sums(analysis, &ranges, calls);
    free(calls);
    ranges_release(&ranges);
    return done;
}

/* Whether the function must have callers, but none is known. */
static bool is_unplaced(const struct analysis *analysis, const struct function *function)
{
    return analysis->has_calls && !analysis->measured && !function->overhead &&
           function->ins == 0 && strcmp(function->name, "main") != 0;
}

double analysis_share_error(double share, double samples)
{
    double said = fmin(fmax(share, 0), 1), p = (said * samples + 1) / (samples + 2);
    double few = hypot(sqrt(p * (1 - p) / (samples + 3)), p - said);

    return fmax(sqrt(said * (1 - said) / samples), few);
}

double analysis_error(const struct analysis *analysis, double samples)
{
    double all = fmax(analysis->of_run, samples);

    return samples > 0 ? all * analysis_share_error(samples / all, all) : 0;
}

static void scale_function(struct analysis *analysis, struct function *function,
                           double hz)
{
    function->self_error = analysis_error(analysis, function->self) / hz;
    function->hidden /= hz;
    if (analysis->measured)
        function->total_error =
            hypot(analysis_error(analysis, function->total) / hz, function->hidden);
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

static void add_sum(struct analysis *analysis, const struct function_sum *sum, double hz)
{
    double self = sum->samples / hz;
    analysis->total += self;
    if (sum->symbol == NULL)
        analysis->unknown += self;
    else if (analysis_is_overhead(sum->symbol))
        analysis->overhead += self;
}

/* Turns samples into seconds, and sums them up. */
static void scale(struct analysis *analysis, double hz, double run_samples)
{
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->samples += analysis->functions[i].self;
    for (size_t i = 0; i < analysis->sum_count; i++)
        analysis->samples += analysis->sums[i].samples;
    analysis->of_run = fmax(analysis->samples, run_samples);
    for (size_t i = 0; i < analysis->function_count; i++)
        scale_function(analysis, &analysis->functions[i], hz);
    for (size_t i = 0; i < analysis->sum_count; i++)
        add_sum(analysis, &analysis->sums[i], hz);
    for (size_t i = 0; i < analysis->arc_count; i++) {
        struct arc *arc = &analysis->arcs[i];
        arc->hidden /= hz;
        arc->hidden_self /= hz;
        if (analysis->measured)
            arc->error = hypot(analysis_error(analysis, arc->self + arc->children) / hz,
                               arc->hidden);
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

static void keep_estimates(struct analysis *analysis, const struct passed_times *passed)
{
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].children = passed->children[i];
    for (size_t i = 0; i < analysis->arc_count; i++) {
        analysis->arcs[i].self = passed->arcs[i].self;
        analysis->arcs[i].children = passed->arcs[i].children;
    }
    for (size_t i = 0; i < analysis->cycle_count; i++) {
        struct cycle *cycle = &analysis->cycles[i];
        cycle->self = passed->cycles[i].self;
        cycle->children = passed->cycles[i].children;
        cycle->calls = passed->cycles[i].calls;
        cycle->self_calls = passed->cycles[i].self_calls;
    }
}

/* Estimates the times of callees by the calls. */
static bool estimate(struct analysis *analysis, const uint32_t *order)
{
    double *self = calloc(analysis->function_count + 1, sizeof *self);
    struct passed_times passed;
    bool done = passed_times_init(&passed, analysis) && self != NULL;
    for (size_t i = 0; done && i < analysis->function_count; i++)
        self[i] = analysis->functions[i].self;
    done = done && propagate(analysis, self, order, &by_calls, &passed);
    if (done)
        keep_estimates(analysis, &passed);
    passed_times_release(&passed);
    free(self);
    return done;
}

/* Finds totals, and the times that pass along arcs. */
static bool find_times(struct analysis *analysis, const struct profile *profile,
                       struct image *image)
{
    uint32_t *order = NULL;
    if (!cycles_find(analysis, &order))
        return false;
    bool done = timed_find(analysis, profile, image, order);
    if (done && !analysis->measured)
        done = estimate(analysis, order);
    else if (!analysis->timed.known)
        forget_cycles(analysis);
    free(order);
    return done && (!analysis->measured || paths_measure(analysis, image));
}

static bool build(struct analysis *analysis, const struct profile *profile,
                  struct image *image, bool graph, struct error *error)
{
    double rate = sampling_rate(profile);
    *analysis = (struct analysis){.hz = rate > 0 ? rate : 1};
    if (graph ? !build_graph(analysis, profile, image) ||
                    !find_times(analysis, profile, image)
              : !build_sums(analysis, profile, image)) {
        analysis_release(analysis);
        return error_no_memory(error);
    }
    scale(analysis, analysis->hz,
          profile->one_task ? (double)profile->run_received[EVENT_SAMPLE] : 0);
    analysis->has_samples = analysis->total > 0;
    analysis->has_time = analysis->has_samples && rate > 0;
    return true;
}

bool analyse(struct analysis *analysis, const struct profile *profile,
             struct image *image, struct error *error)
{
    return build(analysis, profile, image, true, error);
}

bool analyse_sums(struct analysis *analysis, const struct profile *profile,
                  struct image *image, struct error *error)
{
    bool measured = profile->stacks.used > 0 || profile->counters[EVENT_CALL].used > 0;
    return build(analysis, profile, image, measured || profile->one_task, error);
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
    timed_release(analysis);
    free(analysis->cycles);
    free(analysis->functions);
    free(analysis->sums);
    free(analysis->arcs);
    free(analysis->sites);
    free(analysis->ins);
    free(analysis->addresses_text);
    for (size_t i = 0; i < analysis->frame_text_count; i++)
        free(analysis->frame_texts[i]);
    free(analysis->frame_texts);
    free(analysis->frames);
    free(analysis->paths);
    free(analysis->path_frames);
    *analysis = (struct analysis){.hz = 1};
}
