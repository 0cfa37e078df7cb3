/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse.h"
#include "propagate.h"
#include "timed.h"

enum { HEX_NAME_BYTES = 20 };

/* Where a function may be: the image's symbols or, without one, each address seen. The
 * last place, number `count`, is "in no function". */
struct places {
    const struct image_symbol *symbols; /* NULL: addresses */
    uint64_t *addresses;
    size_t count;
    double *self; /* samples, count + 1 of them */
    bool *used;   /* count + 1 */
};

/* A function's place, of an arc whose counter has been looked up; NO_FUNCTION as in arc.
 */
struct link {
    size_t caller, callee;
    uint64_t count;
};

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

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* An exception return value of ARM (0xffffffe0 and above) is no place in the code. */
static bool is_call_site(uint64_t from)
{
    return from != 0 && !(from >= 0xffffffe0U && from <= UINT32_MAX);
}

/* A timed call's counter that is no call but the time a task ran. */
static bool is_tasks_own(const struct counter *call)
{
    return call->from == 0 && call->to == 0;
}

static size_t collect_ends(const struct counters *calls, uint64_t *addresses)
{
    size_t count = 0;
    for (size_t i = 0; i < calls->used; i++) {
        if (is_tasks_own(&calls->items[i]))
            continue;
        addresses[count++] = calls->items[i].to;
        if (is_call_site(calls->items[i].from))
            addresses[count++] = calls->items[i].from;
    }
    return count;
}

static bool collect_addresses(struct places *places, const struct profile *profile)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *calls = &profile->counters[EVENT_CALL];
    uint64_t *all =
        calloc(samples->used + 2 * (arcs->used + calls->used) + 1, sizeof *all);
    size_t count = 0;
    if (all == NULL)
        return false;
    for (size_t i = 0; i < samples->used; i++)
        all[count++] = samples->items[i].to;
    count += collect_ends(arcs, all + count);
    count += collect_ends(calls, all + count);
    qsort(all, count, sizeof *all, by_value);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[places->count++] = all[i];
    places->addresses = all;
    return true;
}

static bool places_init(struct places *places, const struct profile *profile,
                        const struct image *image)
{
    if (image != NULL)
        places->count = image_symbols(image, &places->symbols);
    else if (!collect_addresses(places, profile))
        return false;
    places->self = calloc(places->count + 1, sizeof *places->self);
    places->used = calloc(places->count + 1, sizeof *places->used);
    return places->self != NULL && places->used != NULL;
}

static void places_release(struct places *places)
{
    free(places->addresses);
    free(places->self);
    free(places->used);
}

static uint64_t place_start(const struct places *places, size_t place)
{
    return places->symbols != NULL ? places->symbols[place].address
                                   : places->addresses[place];
}

/* One past its last byte. */
static uint64_t place_end(const struct places *places, size_t place)
{
    return places->symbols != NULL ? places->symbols[place].end
                                   : places->addresses[place] + 1;
}

/* The first place that ends beyond the address: it, or a later one, or `count`. */
static size_t place_from(const struct places *places, uint64_t address)
{
    size_t low = 0, high = places->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place_end(places, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t place_at(const struct places *places, uint64_t address)
{
    size_t place = place_from(places, address);
    if (place < places->count && place_start(places, place) <= address)
        return place;
    return places->count;
}

static size_t caller_at(const struct places *places, uint64_t from)
{
    if (!is_call_site(from))
        return NO_FUNCTION;
    size_t place = place_at(places, places->symbols != NULL ? from - 1 : from);
    return place == places->count ? NO_FUNCTION : place;
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

static int by_ends(const void *left, const void *right)
{
    const struct link *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

static size_t add_links(struct places *places, const struct counters *calls,
                        struct link *links)
{
    size_t found = 0;
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter *call = &calls->items[i];
        if (call->count == 0 || is_tasks_own(call))
            continue;
        struct link link = {caller_at(places, call->from), place_at(places, call->to),
                            call->count};
        places->used[link.callee] = true;
        if (link.caller != NO_FUNCTION)
            places->used[link.caller] = true;
        links[found++] = link;
    }
    return found;
}

/* Arcs between places, timed or not, one for each pair, by (caller, callee). */
static struct link *collect_links(struct places *places, const struct profile *profile,
                                  size_t *count)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *calls = &profile->counters[EVENT_CALL];
    struct link *links = calloc(arcs->used + calls->used + 1, sizeof *links);
    *count = 0;
    if (links == NULL)
        return NULL;
    size_t found = add_links(places, arcs, links);
    found += add_links(places, calls, links + found);
    qsort(links, found, sizeof *links, by_ends);
    for (size_t i = 0; i < found; i++) {
        if (*count > 0 && by_ends(&links[*count - 1], &links[i]) == 0)
            links[*count - 1].count += links[i].count;
        else
            links[(*count)++] = links[i];
    }
    return links;
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
                       const struct profile *profile, const size_t *number)
{
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

/* Fills in functions; number[place] becomes the index of its function. */
static bool make_functions(struct analysis *analysis, const struct places *places,
                           size_t *number)
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
        number[i] = analysis->function_count++;
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

/* Groups the arcs by callee and by caller. */
static bool index_arcs(struct analysis *analysis)
{
    analysis->ins = calloc(analysis->arc_count + 1, sizeof *analysis->ins);
    analysis->outs = calloc(analysis->arc_count + 1, sizeof *analysis->outs);
    if (analysis->ins == NULL || analysis->outs == NULL)
        return false;
    size_t in = 0, out = 0;
    for (size_t i = 0; i < analysis->function_count; i++) {
        struct function *function = &analysis->functions[i];
        function->first_in = in;
        function->first_out = out;
        in += function->ins;
        out += function->outs;
        function->ins = function->outs = 0;
    }
    for (size_t i = 0; i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];
        struct function *callee = &analysis->functions[arc->callee];
        analysis->ins[callee->first_in + callee->ins++] = i;
        if (arc->caller == NO_FUNCTION)
            continue;
        struct function *caller = &analysis->functions[arc->caller];
        analysis->outs[caller->first_out + caller->outs++] = i;
    }
    return true;
}

static bool make_arcs(struct analysis *analysis, const struct link *links, size_t count,
                      const size_t *number)
{
    analysis->arcs = calloc(count + 1, sizeof *analysis->arcs);
    if (analysis->arcs == NULL)
        return false;
    analysis->arc_count = count;
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].spontaneous = true;
    for (size_t i = 0; i < count; i++) {
        struct arc *arc = &analysis->arcs[i];
        arc->caller =
            links[i].caller == NO_FUNCTION ? NO_FUNCTION : number[links[i].caller];
        arc->callee = number[links[i].callee];
        arc->count = links[i].count;
        count_calls(analysis, arc);
    }
    return index_arcs(analysis);
}

/* The graph, with every time still a number of samples. */
static bool build_graph(struct analysis *analysis, const struct profile *profile,
                        const struct image *image)
{
    struct places places = {0};
    struct link *links = NULL;
    size_t link_count = 0, *number = NULL;
    bool done = places_init(&places, profile, image);
    if (done) {
        tally_samples(&places, profile);
        links = collect_links(&places, profile, &link_count);
        number = calloc(places.count + 1, sizeof *number);
    }
    done = done && links != NULL && number != NULL &&
           make_functions(analysis, &places, number) &&
           make_arcs(analysis, links, link_count, number) &&
           make_sites(analysis, &places, profile, number);
    free(links);
    free(number);
    places_release(&places);
    return done;
}

/* From samples to seconds, and the totals. */
static void scale(struct analysis *analysis, double hz)
{
    for (size_t i = 0; i < analysis->function_count; i++) {
        struct function *function = &analysis->functions[i];
        analysis->total += function->self / hz;
        if (function->overhead)
            analysis->overhead += function->self / hz;
        if (function->symbol == NULL && analysis->addresses_text == NULL)
            analysis->unknown += function->self / hz;
        function->self_error = sqrt(function->self) / hz;
        function->self /= hz;
        function->children /= hz;
    }
    for (size_t i = 0; i < analysis->arc_count; i++) {
        analysis->arcs[i].self /= hz;
        analysis->arcs[i].children /= hz;
    }
    for (size_t i = 0; i < analysis->cycle_count; i++) {
        analysis->cycles[i].self /= hz;
        analysis->cycles[i].children /= hz;
    }
    analysis->program = analysis->total - analysis->overhead;
}

bool analyse(struct analysis *analysis, const struct profile *profile,
             struct image *image, struct error *error)
{
    size_t *order = NULL;
    /* Beyond these no sampler works, and the quotients would leave a double's range. */
    bool rate_known = profile->hz >= 1e-6 && profile->hz <= 1e12;
    *analysis = (struct analysis){.hz = rate_known ? profile->hz : 1};
    if (!build_graph(analysis, profile, image) || !cycles_find(analysis, &order)) {
        analysis_release(analysis);
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    }
    timed_find(analysis, profile, order);
    propagate(analysis, order);
    free(order);
    scale(analysis, analysis->hz);
    analysis->has_samples = analysis->total > 0;
    analysis->has_time = analysis->has_samples && rate_known;
    return true;
}

void analysis_release(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->cycle_count; i++)
        free(analysis->cycles[i].members);
    free(analysis->cycles);
    free(analysis->functions);
    free(analysis->arcs);
    free(analysis->sites);
    free(analysis->ins);
    free(analysis->outs);
    free(analysis->addresses_text);
    *analysis = (struct analysis){.hz = 1};
}
