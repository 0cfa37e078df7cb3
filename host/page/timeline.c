/* SPDX-License-Identifier: MIT */
/*
 * The timeline: its sums and its slices. Slices are in lists of numbers; each slice has
 * the ticks between the end of the slice before it and its own end; a stretch has its
 * length with what interrupted it, and without. Of a long timeline the page has only the
 * last slices, but sums of all.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/search.h"
#include "../capture/sampling.h"
#include "../capture/tasks.h"
#include "../capture/timeline_slices.h"
#include "../capture/timeline_sums.h"
#include "data.h"

/* The most slices that a page has; fewer where new data come each second. */
enum { SLICES_MOST = 300000, LIVE_SLICES_MOST = 20000 };

struct page_timeline {
    struct json *json;
    const struct page *page;
    struct timeline_sums sums;
    uint32_t places[2 * TASK_INTERRUPT]; /* tracks by number: their places on the page */
    uint64_t drawn, left_out; /* numbers of slices; the first ones are left out */
    uint64_t start;           /* where the first slice that is drawn begins */
    /* The state while the slices are gone through; times are ticks since the first run
     * began. */
    enum slice_what wanted;
    uint64_t seen, run_begin, run_end, clock, last;
};

static double seconds(const struct page_timeline *line, uint64_t ticks)
{
    return (double)ticks / line->page->profile->timeline.hz;
}

/* ---- What it adds up to ---- */

/* Where the bin of a duration begins, and how wide it is. An octave has four bins. */
static uint64_t bin_of(uint64_t ticks, uint64_t *width)
{
    unsigned bits = 63 - (unsigned)__builtin_clzll(ticks | 1);
    unsigned shift = bits > 2 ? bits - 2 : 0;

    *width = (uint64_t)1 << shift;
    return ticks >> shift << shift;
}

/* Puts for each bin where it begins, where it ends, and its count. */
static void put_bins(const struct page_timeline *line, const struct durations *durations)
{
    struct json *json = line->json;

    json_open(json, NULL, '[');
    for (size_t i = 0; i < durations->used;) {
        uint64_t width, low = bin_of(durations->bins[i].low, &width), count = 0;

        for (; i < durations->used && durations->bins[i].low - low < width; i++)
            count += durations->bins[i].count;
        json_real(json, NULL, seconds(line, low));
        json_real(json, NULL, seconds(line, low + width));
        json_whole(json, NULL, count);
    }
    json_close(json, ']');
}

/* Puts the count, the median, the 99th percentile, the longest duration, and the bins. */
static void put_durations(const struct page_timeline *line,
                          const struct durations *durations)
{
    static const double parts[] = {0.5, 0.99, 1};

    json_whole(line->json, NULL, durations->count);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        json_real(line->json, NULL,
                  durations->count > 0
                      ? seconds(line, durations_quantile(durations, parts[i]))
                      : NAN);
    put_bins(line, durations);
}

/* The index of the function that is an interrupt's handler; SIZE_MAX: it is not known. */
static size_t handler_of(const struct page_timeline *line, uint32_t number)
{
    const struct arch_port *port = arch_port_named(line->page->profile->arch);
    const struct analysis *analysis = line->page->analysis;
    const char *name = NULL;

    if (port != NULL && port->vectors && number >= TASK_INTERRUPT)
        name = image_handler(line->page->image, number - TASK_INTERRUPT);
    for (size_t i = 0; name != NULL && i < analysis->function_count; i++)
        if (strcmp(analysis->functions[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static bool put_track(const struct page_timeline *line,
                      const struct timeline_track *track, struct error *error)
{
    struct json *json = line->json;
    char label[TASK_LABEL_MAX];

    task_label(label, line->page->profile, track->number);
    json_open(json, NULL, '[');
    if (!data_name(json, NULL, label, error))
        return false;
    json_whole(json, NULL, track->idle);
    json_whole(json, NULL, track->number >= TASK_INTERRUPT);
    data_index(json, NULL, handler_of(line, track->number));
    json_real(json, NULL, report_percent((double)track->ticks, (double)line->sums.known));
    json_real(json, NULL, seconds(line, track->ticks));
    put_durations(line, &track->stretches);
    put_durations(line, &track->waits);
    json_close(json, ']');
    return true;
}

static bool put_tracks(const struct page_timeline *line, struct error *error)
{
    static const char *const columns[] = {
        "name",     "idle",     "interrupt", "function",  "load", "ran",
        "times",    "p50",      "p99",       "max",       "bins", "waits",
        "wait_p50", "wait_p99", "wait_max",  "wait_bins", NULL};
    bool done = true;

    json_open(line->json, "tracks", '{');
    data_words(line->json, "columns", columns);
    json_open(line->json, "rows", '[');
    for (size_t i = 0; done && i < line->sums.track_count; i++)
        done = put_track(line, &line->sums.tracks[i], error);
    json_close(line->json, ']');
    json_close(line->json, '}');
    return done;
}

static bool put_mark(const struct page_timeline *line, const struct timeline_marks *marks,
                     struct error *error)
{
    struct json *json = line->json;
    const int32_t values[] = {marks->last, marks->least, marks->most};
    const char *name = image_text(line->page->image, marks->name);
    char label[32];

    snprintf(label, sizeof label, "[0x%" PRIx32 "]", marks->name);
    json_open(json, NULL, '[');
    if (!data_name(json, NULL, name != NULL ? name : label, error))
        return false;
    put_durations(line, &marks->spans);
    json_whole(json, NULL, marks->count);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        json_real(json, NULL, marks->count > 0 ? values[i] : NAN);
    json_close(json, ']');
    return true;
}

static bool put_marks(const struct page_timeline *line, struct error *error)
{
    static const char *const columns[] = {"name",  "spans", "p50",   "p99",
                                          "max",   "bins",  "times", "last",
                                          "least", "most",  NULL};
    bool done = true;

    json_open(line->json, "marks", '{');
    data_words(line->json, "columns", columns);
    json_open(line->json, "rows", '[');
    for (size_t i = 0; done && i < line->sums.mark_count; i++)
        done = put_mark(line, &line->sums.marks[i], error);
    json_close(line->json, ']');
    json_close(line->json, '}');
    return done;
}

static void put_sums(const struct page_timeline *line)
{
    const struct timeline_sums *sums = &line->sums;
    const struct timeline *timeline = &line->page->profile->timeline;
    double busy = (double)(sums->known - sums->idle), latest;
    struct json *json = line->json;

    latest = sampling_latest(line->page->profile);
    json_real(json, "hz", timeline->hz);
    json_real(json, "load",
              sums->idle > 0 ? report_percent(busy, (double)sums->known) : NAN);
    json_real(json, "known", seconds(line, sums->known));
    json_real(json, "unknown", seconds(line, sums->unknown));
    json_whole(json, "gaps", sums->gaps);
    json_real(json, "masked", latest > 0 ? latest : NAN);
    json_whole(json, "received", timeline->received);
    json_whole(json, "lost", timeline->lost);
}

/* ---- Slices ---- */

static bool is_drawn(enum slice_what what)
{
    return what == SLICE_RAN || what == SLICE_WAIT || what == SLICE_SPAN ||
           what == SLICE_MARK;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Follows the time; each run begins where the one before ended. Returns whether the slice
 * is among those that are drawn; *from and *to are its begin and its end. */
static bool follow(struct page_timeline *line, const struct timeline_slice *slice,
                   uint64_t *from, uint64_t *to)
{
    if (slice->what == SLICE_RUN) {
        line->run_begin = line->run_end;
        line->clock = slice->from;
    }
    *from = line->run_begin + (slice->from - line->clock);
    *to = line->run_begin + (slice->to - line->clock);
    line->run_end = max_of(line->run_end, *to);
    return !is_drawn(slice->what) || line->seen++ >= line->left_out;
}

static bool count(void *context, const struct timeline_slice *slice)
{
    struct page_timeline *line = context;

    line->drawn += is_drawn(slice->what);
    return true;
}

/* Finds where the first slice that is drawn begins: where the last one that is left out
 * ends. */
static bool find_start(void *context, const struct timeline_slice *slice)
{
    struct page_timeline *line = context;
    uint64_t from, to;

    if (!follow(line, slice, &from, &to))
        line->start = to;
    return true;
}

static size_t mark_of(const struct timeline_sums *sums, uint32_t name)
{
    size_t at = 0;

    SEARCH(at, sums->mark_count, sums->marks[middle].name < name);
    return at < sums->mark_count && sums->marks[at].name == name ? at : SIZE_MAX;
}

static void put_number(struct page_timeline *line, const struct timeline_slice *slice)
{
    if (slice->what == SLICE_SPAN || slice->what == SLICE_MARK)
        data_index(line->json, NULL, mark_of(&line->sums, slice->name));
    else if (slice->what != SLICE_RUN)
        data_index(line->json, NULL,
                   slice->number == TASK_UNKNOWN
                       ? SIZE_MAX
                       : line->places[slice->number % (2 * TASK_INTERRUPT)]);
}

static bool put_slice(void *context, const struct timeline_slice *slice)
{
    struct page_timeline *line = context;
    uint64_t from, to;

    if (!follow(line, slice, &from, &to) || slice->what != line->wanted ||
        (slice->what == SLICE_STRETCH && from < line->start))
        return true;
    from = max_of(from, line->start);
    to = max_of(to, line->start);
    put_number(line, slice);
    if (slice->what != SLICE_RAN) /* slices of that kind follow each other without a
                                   * gap */
        json_whole(line->json, NULL, to - line->last);
    if (slice->what == SLICE_MARK)
        json_real(line->json, NULL, slice->value);
    else if (slice->what != SLICE_RUN)
        json_whole(line->json, NULL, to - from);
    if (slice->what == SLICE_STRETCH)
        json_whole(line->json, NULL, slice->ticks);
    line->last = to;
    return true;
}

static bool go_through(struct page_timeline *line, timeline_take *take)
{
    line->seen = line->run_begin = line->run_end = line->clock = 0;
    line->last = line->start;
    return timeline_slices(&line->page->profile->timeline, take, line);
}

static bool put_list(struct page_timeline *line, const char *key, enum slice_what wanted)
{
    line->wanted = wanted;
    json_open(line->json, key, '[');
    bool done = go_through(line, put_slice);
    json_close(line->json, ']');
    return done;
}

static bool put_slices(struct page_timeline *line)
{
    uint64_t most = line->page->live ? LIVE_SLICES_MOST : SLICES_MOST;

    if (!go_through(line, count))
        return false;
    line->left_out = line->drawn > most ? line->drawn - most : 0;
    if (!go_through(line, find_start))
        return false;
    json_whole(line->json, "left_out", line->left_out);
    json_whole(line->json, "start", line->start);
    json_whole(line->json, "end", line->run_end);
    return put_list(line, "runs", SLICE_RUN) && put_list(line, "ran", SLICE_RAN) &&
           put_list(line, "stretches", SLICE_STRETCH) &&
           put_list(line, "waits", SLICE_WAIT) && put_list(line, "spans", SLICE_SPAN) &&
           put_list(line, "values", SLICE_MARK);
}

/* ---- The block ---- */

static bool put_all(struct page_timeline *line, struct error *error)
{
    for (size_t i = 0; i < line->sums.track_count; i++)
        line->places[line->sums.tracks[i].number % (2 * TASK_INTERRUPT)] = (uint32_t)i;
    put_sums(line);
    return put_tracks(line, error) && put_marks(line, error) &&
           (put_slices(line) || error_no_memory(error));
}

bool data_timeline(FILE *out, const struct page *page, struct error *error)
{
    struct json json;
    struct page_timeline line = {.json = &json, .page = page};

    if (page->profile->timeline.hz <= 0)
        return true;
    if (!timeline_sums_init(&line.sums, page->profile))
        return error_no_memory(error);
    data_begin(&json, out, "timeline");
    bool done = put_all(&line, error);
    data_end(&json);
    timeline_sums_release(&line.sums);
    return done;
}
