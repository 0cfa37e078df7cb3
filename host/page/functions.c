/* SPDX-License-Identifier: MIT */
/* The functions, and the calls between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/arc_sites.h"
#include "../base/compare.h"
#include "../export/export.h"
#include "../hook_cost/timed.h"
#include "data.h"

/* The names of source files, each once. */
struct files {
    const char **items; /* ascending */
    size_t count;
};

static int by_name(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;

    return strcmp(*a, *b);
}

/* Sorts the names, and drops repeated ones. */
static void make_unique(struct files *files)
{
    size_t kept = 0;

    qsort(files->items, files->count, sizeof *files->items, by_name);
    for (size_t i = 0; i < files->count; i++)
        if (kept == 0 || strcmp(files->items[kept - 1], files->items[i]) != 0)
            files->items[kept++] = files->items[i];
    files->count = kept;
}

/* The source line of each function. NULL: out of memory. */
static struct image_line *find_places(const struct page *page, struct files *files)
{
    const struct analysis *analysis = page->analysis;
    size_t count = analysis->function_count;
    struct image_line *places = calloc(count + 1, sizeof *places);

    files->items = calloc(count + 1, sizeof *files->items);
    if (places == NULL || files->items == NULL) {
        free(places);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = export_place(page->image, &analysis->functions[i]);
        if (places[i].file != NULL)
            files->items[files->count++] = places[i].file;
    }
    make_unique(files);
    return places;
}

static bool put_files(struct json *json, const struct files *files, struct error *error)
{
    bool done = true;

    json_open(json, "files", '[');
    for (size_t i = 0; done && i < files->count; i++)
        done = data_name(json, NULL, files->items[i], error);
    json_close(json, ']');
    return done;
}

static void put_place(struct json *json, const struct files *files,
                      const struct image_line *place)
{
    const char **file =
        place->file == NULL
            ? NULL
            : bsearch(&place->file, files->items, files->count, sizeof *file, by_name);

    data_index(json, NULL, file == NULL ? SIZE_MAX : (size_t)(file - files->items));
    json_whole(json, NULL, file == NULL ? 0 : place->line);
}

/* A time as the page has it. Measured times have no errors. */
struct time {
    double seconds, error;
    double share_error; /* error of its share of the program, in per cent */
};

static void put_time(struct json *json, const struct time *time)
{
    json_real(json, NULL, time->seconds);
    json_real(json, NULL, time->error);
    json_real(json, NULL, time->share_error);
}

static struct time sampled(const struct analysis *analysis, double seconds, double hidden)
{
    double hz = analysis->hz, whole = analysis->program, share = 0;

    if (whole > 0 && seconds > 0)
        share = 100 *
                hypot(analysis_share_error(seconds / whole, whole * hz), hidden / whole);
    return (struct time){
        seconds, hypot(analysis_error(analysis, seconds * hz) / hz, hidden), share};
}

static void put_times(struct json *json, const struct analysis *analysis,
                      const struct function *function)
{
    bool timed = data_is_timed(analysis);
    struct time self = {(double)function->timed->self, 0, 0};
    struct time total = {(double)function->timed->total, 0, 0};

    if (!timed) {
        self = sampled(analysis, function->self, 0);
        total = sampled(analysis, function->total, function->hidden);
    }
    put_time(json, &self);
    put_time(json, &total);
}

static void put_single_times(struct json *json, const struct timed *timed)
{
    json_whole(json, NULL, timed->calls);
    json_real(json, NULL,
              timed->calls > 0 ? (double)timed->total / (double)timed->calls : 0);
    json_whole(json, NULL, timed->shortest);
    json_whole(json, NULL, timed->longest);
}

/* Puts the median and the 99th percentile of single calls; null where they are not known.
 */
static void put_percentiles(struct json *json, const struct durations *singles)
{
    static const double parts[] = {0.5, 0.99};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        json_real(json, NULL,
                  singles != NULL ? (double)durations_quantile(singles, parts[i]) : NAN);
}

static void put_energies(struct json *json, const struct page *page, size_t number)
{
    const struct energy_functions *energy = &page->energy->functions;

    json_real(json, NULL, energy->self[number].joules);
    json_real(json, NULL, energy->self[number].error);
    json_real(json, NULL, energy->total[number].joules);
    json_real(json, NULL, energy->total[number].error);
}

static bool has_energies(const struct page *page)
{
    return page->energy != NULL && page->energy->functions.self != NULL;
}

static bool put_function(struct json *json, const struct page *page,
                         const struct function *function, const struct files *files,
                         const struct image_line *place, struct error *error)
{
    json_open(json, NULL, '[');
    if (!data_name(json, NULL, function->name, error))
        return false;
    json_whole(json, NULL, function->address);
    put_place(json, files, place);
    json_whole(json, NULL, function->overhead);
    put_times(json, page->analysis, function);
    json_whole(json, NULL, function->calls);
    json_whole(json, NULL, function->self_calls);
    json_whole(json, NULL, function->cycle);
    put_single_times(json, function->timed);
    put_percentiles(json, analysis_singles(page->analysis, function));
    if (has_energies(page))
        put_energies(json, page, (size_t)(function - page->analysis->functions));
    json_close(json, ']');
    return true;
}

static bool put_functions(struct json *json, const struct page *page,
                          const struct files *files, const struct image_line *places,
                          struct error *error)
{
    const char *const columns[] = {
        "name",
        "address",
        "file",
        "line",
        "overhead",
        "self",
        "error",
        "share_error",
        "total",
        "total_error",
        "total_share_error",
        "calls",
        "recursive",
        "cycle",
        "timed",
        "mean",
        "shortest",
        "longest",
        "p50",
        "p99",
        has_energies(page) ? "self_joules" : NULL,
        "self_joules_error",
        "total_joules",
        "total_joules_error",
        NULL,
    };
    const struct analysis *analysis = page->analysis;
    bool done = true;

    data_words(json, "columns", columns);
    json_open(json, "rows", '[');
    for (size_t i = 0; done && i < analysis->function_count; i++)
        done =
            put_function(json, page, &analysis->functions[i], files, &places[i], error);
    json_close(json, ']');
    return done;
}

/* ---- Arcs ---- */

static int by_time(const void *left, const void *right)
{
    const struct time *a = left, *b = right;

    ORDER_BY(a->seconds, b->seconds);
    return (a->error > b->error) - (a->error < b->error);
}

static struct time time_of(const struct analysis *analysis, const struct arc *arc)
{
    if (!data_is_timed(analysis))
        return sampled(analysis, arc->self + arc->children, arc->hidden);
    return (struct time){arc->times != NULL ? (double)arc->times->timed.total : 0, 0, 0};
}

/* Collects the times that arcs have, each once: they are few, but long as text. Returns
 * how many there are. */
static size_t find_times(const struct analysis *analysis, struct time *times)
{
    size_t kept = 0;

    for (size_t i = 0; i < analysis->arc_count; i++)
        times[i] = time_of(analysis, &analysis->arcs[i]);
    qsort(times, analysis->arc_count, sizeof *times, by_time);
    for (size_t i = 0; i < analysis->arc_count; i++)
        if (kept == 0 || by_time(&times[kept - 1], &times[i]) != 0)
            times[kept++] = times[i];
    return kept;
}

/* How long single calls took, where they were timed. */
static void put_arc_singles(struct json *json, const struct arc *arc)
{
    static const struct timed none;

    put_single_times(json, arc->times != NULL ? &arc->times->timed : &none);
}

static void put_arc(struct json *json, const struct analysis *analysis, size_t index,
                    uint32_t sites, const struct time *times, size_t count)
{
    const struct arc *arc = &analysis->arcs[index];
    struct time time = time_of(analysis, arc);
    const struct time *found = bsearch(&time, times, count, sizeof *times, by_time);

    data_index(json, NULL, arc->caller);
    json_whole(json, NULL, arc->callee);
    json_whole(json, NULL, arc->interrupt);
    json_whole(json, NULL, arc->count);
    json_whole(json, NULL, (uint64_t)(found - times));
    json_whole(json, NULL, sites);
    if (analysis->timed.known)
        put_arc_singles(json, arc);
}

static bool put_arcs(FILE *out, const struct page *page, struct error *error)
{
    static const char *const columns[] = {"caller", "callee", "interrupt", "calls",
                                          "time",   "sites",  NULL},
                             *const timed[] = {"caller",  "callee", "interrupt",
                                               "calls",   "time",   "sites",
                                               "timed",   "mean",   "shortest",
                                               "longest", NULL};
    const struct analysis *analysis = page->analysis;
    struct time *times = calloc(analysis->arc_count + 1, sizeof *times);
    uint32_t *sites = arc_sites(analysis, page->profile, page->image);
    struct json json;

    if (times == NULL || sites == NULL) {
        free(times);
        free(sites);
        return error_no_memory(error);
    }
    size_t count = find_times(analysis, times);
    data_begin(&json, out, "arcs");
    json_open(&json, "times", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&json, NULL, '[');
        put_time(&json, &times[i]);
        json_close(&json, ']');
    }
    json_close(&json, ']');
    data_words(&json, "columns", analysis->timed.known ? timed : columns);
    json_open(&json, "values", '[');
    for (size_t i = 0; i < analysis->arc_count; i++)
        put_arc(&json, analysis, i, sites[i], times, count);
    json_close(&json, ']');
    data_end(&json);
    free(times);
    free(sites);
    return true;
}

/* ---- Both ---- */

bool data_functions(FILE *out, const struct page *page, struct error *error)
{
    struct files files = {.items = NULL};
    struct image_line *places = find_places(page, &files);
    bool done = places != NULL;
    struct json json;

    if (done) {
        data_begin(&json, out, "functions");
        done = put_files(&json, &files, error) &&
               put_functions(&json, page, &files, places, error);
        data_end(&json);
    } else {
        error_no_memory(error);
    }
    free(files.items);
    free(places);
    return done && put_arcs(out, page, error);
}
