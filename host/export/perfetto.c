/* SPDX-License-Identifier: MIT */
/*
 * Writes the timeline as Chrome's trace events, which ui.perfetto.dev opens: a process
 * for each run, a track for each task and interrupt. At each time one slice shows what
 * runs; if that is not known, the slice is on a track of its own.
 */
#include <inttypes.h>

#include "../base/search.h"
#include "../capture/timeline_slices.h"
#include "../capture/timeline_sums.h"
#include "export.h"

enum { NAMES_BASE = 2 * TASK_UNKNOWN }; /* the track of the user's first name */

struct trace {
    struct json json;
    const struct profile *profile;
    struct image *image;
    struct timeline_sums sums;
    size_t run; /* the number of the run, from 1 */
};

static double micros(const struct trace *trace, uint64_t ticks)
{
    return (double)ticks * 1e6 / trace->profile->timeline.hz;
}

/* Opens an event of this phase and category on a track. */
static void open_event(struct trace *trace, const char *phase, const char *category,
                       const char *name, uint32_t track, uint64_t time)
{
    struct json *json = &trace->json;
    json_open(json, NULL, '{');
    json_text(json, "ph", phase);
    json_text(json, "cat", category);
    json_text(json, "name", name);
    json_whole(json, "pid", trace->run);
    json_whole(json, "tid", (uint64_t)track + 1);
    json_real(json, "ts", micros(trace, time));
}

static void put_slice(struct trace *trace, const char *category, const char *name,
                      uint32_t track, const struct timeline_slice *slice)
{
    open_event(trace, "X", category, name, track, slice->from);
    json_real(&trace->json, "dur", micros(trace, slice->to - slice->from));
    json_close(&trace->json, '}');
}

/* ---- Names ---- */

/* The user's text for a name, or its address. */
static const char *text_of(const struct trace *trace, uint32_t name,
                           char text[TASK_LABEL_MAX])
{
    const char *found = trace->image != NULL ? image_text(trace->image, name) : NULL;
    snprintf(text, TASK_LABEL_MAX, "[0x%" PRIx32 "]", name);
    return found != NULL ? found : text;
}

static void put_meta(struct trace *trace, const char *what, uint32_t track,
                     const char *name, uint64_t order)
{
    open_event(trace, "M", "__metadata", what, track, 0);
    json_open(&trace->json, "args", '{');
    if (name != NULL)
        json_text(&trace->json, "name", name);
    else
        json_whole(&trace->json, "sort_index", order);
    json_close(&trace->json, '}');
    json_close(&trace->json, '}');
}

static void put_track(struct trace *trace, uint32_t track, const char *name,
                      uint64_t order)
{
    put_meta(trace, "thread_name", track, name, 0);
    put_meta(trace, "thread_sort_index", track, NULL, order);
}

/* Names the tracks of a run: interrupts, tasks, unknown time, the user's spans. */
static void put_names(struct trace *trace)
{
    const struct timeline_sums *sums = &trace->sums;
    char label[TASK_LABEL_MAX];
    snprintf(label, sizeof label, "run %zu", trace->run);
    put_meta(trace, "process_name", 0, label, 0);
    for (size_t i = 0; i < sums->track_count; i++) {
        uint32_t number = sums->tracks[i].number;
        task_label(label, trace->profile, number);
        put_track(trace, number, label,
                  (number >= TASK_INTERRUPT ? 0 : sums->track_count) + i);
    }
    if (sums->unknown > 0)
        put_track(trace, TASK_UNKNOWN, "[unknown]", 2 * sums->track_count);
    for (size_t i = 0; i < sums->mark_count; i++)
        if (sums->marks[i].spans.count > 0)
            put_track(trace, (uint32_t)(NAMES_BASE + i),
                      text_of(trace, sums->marks[i].name, label),
                      2 * sums->track_count + 1 + i);
}

/* ---- Slices ---- */

/* The index of a name among the marks that are kept apart; mark_count: it is not among
 * them. */
static size_t place_of(const struct trace *trace, uint32_t name)
{
    const struct timeline_sums *sums = &trace->sums;
    size_t at = 0;
    SEARCH(at, sums->mark_count, sums->marks[middle].name < name);
    return at < sums->mark_count && sums->marks[at].name == name ? at : sums->mark_count;
}

static void put_ran(struct trace *trace, const struct timeline_slice *slice)
{
    char label[TASK_LABEL_MAX];
    task_label(label, trace->profile, slice->number);
    if (slice->number == TASK_UNKNOWN)
        put_slice(trace, "unknown", "not known", slice->number, slice);
    else
        put_slice(trace, slice->number >= TASK_INTERRUPT ? "interrupt" : "task", label,
                  slice->number, slice);
}

static void put_ready(struct trace *trace, const struct timeline_slice *slice)
{
    open_event(trace, "i", "task", "ready", slice->number, slice->to);
    json_text(&trace->json, "s", "t");
    json_close(&trace->json, '}');
}

static void put_value(struct trace *trace, const char *phase, const char *name,
                      const struct timeline_slice *slice)
{
    open_event(trace, phase, "mark", name, slice->number, slice->to);
    if (phase[0] == 'i')
        json_text(&trace->json, "s", "t");
    json_open(&trace->json, "args", '{');
    json_real(&trace->json, "value", slice->value);
    json_close(&trace->json, '}');
    json_close(&trace->json, '}');
}

static void put_mark(struct trace *trace, const struct timeline_slice *slice)
{
    char label[TASK_LABEL_MAX];
    const char *name = text_of(trace, slice->name, label);
    put_value(trace, "i", name, slice);
    put_value(trace, "C", name, slice);
}

static void put_span(struct trace *trace, const struct timeline_slice *slice)
{
    size_t place = place_of(trace, slice->name);
    char label[TASK_LABEL_MAX];
    if (place < trace->sums.mark_count)
        put_slice(trace, "span", text_of(trace, slice->name, label),
                  (uint32_t)(NAMES_BASE + place), slice);
}

static bool put(void *context, const struct timeline_slice *slice)
{
    struct trace *trace = context;
    switch (slice->what) {
    case SLICE_RUN:
        trace->run++;
        put_names(trace);
        break;
    case SLICE_RAN:
        put_ran(trace, slice);
        break;
    case SLICE_READY:
        put_ready(trace, slice);
        break;
    case SLICE_MARK:
        put_mark(trace, slice);
        break;
    case SLICE_SPAN:
        put_span(trace, slice);
        break;
    default:
        break;
    }
    return true;
}

bool export_perfetto(FILE *out, const struct profile *profile,
                     const struct analysis *analysis, struct image *image,
                     const struct export_options *options, struct error *error)
{
    struct trace trace = {.json = {.out = out}, .profile = profile, .image = image};
    (void)analysis;
    (void)options;
    if (!timeline_sums_init(&trace.sums, profile))
        return error_no_memory(error);
    json_open(&trace.json, NULL, '{');
    json_text(&trace.json, "displayTimeUnit", "ns");
    json_open(&trace.json, "traceEvents", '[');
    bool done = timeline_slices(&profile->timeline, put, &trace);
    json_close(&trace.json, ']');
    json_close(&trace.json, '}');
    putc('\n', out);
    timeline_sums_release(&trace.sums);
    return done || error_no_memory(error);
}
