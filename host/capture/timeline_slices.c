/* SPDX-License-Identifier: MIT */
#include "timeline_slices.h"

#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vector.h"

enum { NUMBERS = 2 * TASK_INTERRUPT, SPANS_MAX = 4096 /* open ones */ };

/* A task or an interrupt. What is known of it is forgotten when the slicer's epoch
 * ends. */
struct runner {
    uint64_t epoch, ready;
    uint64_t since, ticks;   /* when it was switched to, and how long it ran since */
    bool is_ready, is_whole; /* whole: the switch to it was seen */
};

/* The user's span that has begun. */
struct open_span {
    uint32_t name;
    uint64_t begun;
};

struct slicer {
    struct timeline_cursor cursor;
    struct runner *runners; /* by number */
    uint64_t epoch;
    uint64_t entered[TIMELINE_NESTED];
    bool is_entered[TIMELINE_NESTED]; /* `entered` is known */
    struct open_span *spans;          /* by `name` */
    size_t span_count, spans_allocated;
    uint32_t runs; /* what runs */
    uint64_t from; /* since when it runs */
    timeline_take *take;
    void *context;
};

static bool give(const struct slicer *slicer, enum slice_what what, uint32_t number,
                 uint64_t from, uint64_t to, uint64_t ticks)
{
    return slicer->take(
        slicer->context,
        &(struct timeline_slice){
            .what = what, .number = number, .from = from, .to = to, .ticks = ticks});
}

static bool give_name(const struct slicer *slicer, enum slice_what what, uint64_t from)
{
    const struct timeline_cursor *cursor = &slicer->cursor;
    return slicer->take(slicer->context,
                        &(struct timeline_slice){.what = what,
                                                 .number = cursor->running,
                                                 .name = cursor->event.name,
                                                 .from = from,
                                                 .to = cursor->time,
                                                 .value = cursor->event.value});
}

/* ---- What runs ---- */

/* Ends the slice of what ran. */
static bool end_slice(struct slicer *slicer, uint64_t time)
{
    uint64_t ticks = time - slicer->from;
    bool done =
        ticks == 0 || give(slicer, SLICE_RAN, slicer->runs, slicer->from, time, ticks);
    slicer->from = time;
    return done;
}

/* Begins another slice, if something else runs from now on. */
static bool run(struct slicer *slicer, uint32_t number, uint64_t time)
{
    if (number == slicer->runs)
        return true;
    bool done = end_slice(slicer, time);
    slicer->runs = number;
    return done;
}

/* ---- What began ---- */

static struct runner *runner_of(const struct slicer *slicer, uint32_t number)
{
    struct runner *runner = &slicer->runners[number % NUMBERS];
    if (runner->epoch != slicer->epoch)
        *runner = (struct runner){.epoch = slicer->epoch};
    return runner;
}

/* Forgets what began before a time of which nothing is known. */
static void forget(struct slicer *slicer)
{
    slicer->epoch++;
    memset(slicer->is_entered, 0, sizeof slicer->is_entered);
    slicer->span_count = 0;
}

static bool begin_run(struct slicer *slicer)
{
    uint64_t time = slicer->cursor.time;
    forget(slicer);
    slicer->runs = TASK_UNKNOWN;
    slicer->from = time;
    return give(slicer, SLICE_RUN, 0, time, time, 0);
}

static bool switch_task(struct slicer *slicer, uint32_t from)
{
    uint64_t time = slicer->cursor.time;
    struct runner *runner = runner_of(slicer, from);
    if (runner->is_whole &&
        !give(slicer, SLICE_STRETCH, from, runner->since, time, runner->ticks))
        return false;
    runner->is_whole = false;
    runner = runner_of(slicer, slicer->cursor.task);
    if (runner->is_ready &&
        !give(slicer, SLICE_WAIT, slicer->cursor.task, runner->ready, time, 0))
        return false;
    *runner = (struct runner){.epoch = slicer->epoch, .since = time, .is_whole = true};
    return true;
}

static bool make_ready(struct slicer *slicer)
{
    uint32_t number = slicer->cursor.event.number;
    uint64_t time = slicer->cursor.time;
    struct runner *runner = runner_of(slicer, number);
    if (!runner->is_ready && number != slicer->cursor.task) {
        runner->is_ready = true;
        runner->ready = time;
    }
    return give(slicer, SLICE_READY, number, time, time, 0);
}

static void enter(struct slicer *slicer)
{
    uint32_t level = slicer->cursor.handlers - 1;
    if (level < TIMELINE_NESTED) {
        slicer->entered[level] = slicer->cursor.time;
        slicer->is_entered[level] = true;
    }
}

static bool leave(struct slicer *slicer)
{
    const struct timeline_cursor *cursor = &slicer->cursor;
    uint32_t level = cursor->handlers;
    if (level >= TIMELINE_NESTED || !slicer->is_entered[level])
        return true;
    slicer->is_entered[level] = false;
    return give(slicer, SLICE_STRETCH, cursor->before, slicer->entered[level],
                cursor->time, cursor->time - slicer->entered[level]);
}

/* ---- The user's ---- */

static size_t place_of(const struct slicer *slicer, uint32_t name)
{
    size_t at = 0;
    SEARCH(at, slicer->span_count, slicer->spans[middle].name < name);
    return at;
}

static bool is_open(const struct slicer *slicer, size_t at, uint32_t name)
{
    return at < slicer->span_count && slicer->spans[at].name == name;
}

/* A span that begins anew has not ended: the first beginning is forgotten. */
static bool begin_span(struct slicer *slicer)
{
    uint32_t name = slicer->cursor.event.name;
    uint64_t time = slicer->cursor.time;
    size_t at = place_of(slicer, name);
    if (!is_open(slicer, at, name)) {
        if (slicer->span_count == SPANS_MAX)
            return true;
        if (!vector_grow(&slicer->spans, slicer->span_count, &slicer->spans_allocated,
                         sizeof *slicer->spans))
            return false;
        memmove(slicer->spans + at + 1, slicer->spans + at,
                (slicer->span_count++ - at) * sizeof *slicer->spans);
    }
    slicer->spans[at] = (struct open_span){name, time};
    return give_name(slicer, SLICE_BEGIN, time);
}

static bool end_span(struct slicer *slicer)
{
    uint32_t name = slicer->cursor.event.name;
    size_t at = place_of(slicer, name);
    if (!is_open(slicer, at, name))
        return true;
    uint64_t begun = slicer->spans[at].begun;
    slicer->span_count--;
    memmove(slicer->spans + at, slicer->spans + at + 1,
            (slicer->span_count - at) * sizeof *slicer->spans);
    return give_name(slicer, SLICE_SPAN, begun);
}

/* ---- Events ---- */

static bool take_known(struct slicer *slicer, uint32_t task)
{
    switch (slicer->cursor.event.what) {
    case TIMELINE_TASK:
        return switch_task(slicer, task);
    case TIMELINE_ENTER:
        enter(slicer);
        return true;
    case TIMELINE_RETURN:
        return leave(slicer);
    case TIMELINE_READY:
        return make_ready(slicer);
    default:
        return true;
    }
}

static bool take_state(struct slicer *slicer)
{
    const struct timeline_cursor *cursor = &slicer->cursor;
    forget(slicer);
    return cursor->event.ticks == 0 ||
           (run(slicer, TASK_UNKNOWN, cursor->since) &&
            give(slicer, SLICE_GAP, 0, cursor->since, cursor->time, 0));
}

static bool take_event(struct slicer *slicer, uint32_t task)
{
    const struct timeline_cursor *cursor = &slicer->cursor;
    switch (cursor->event.what) {
    case TIMELINE_RUN:
        return begin_run(slicer);
    case TIMELINE_LOST:
        forget(slicer);
        return give(slicer, SLICE_GAP, 0, cursor->time, cursor->time, 0);
    case TIMELINE_STATE:
        return take_state(slicer);
    case TIMELINE_MARK:
        return give_name(slicer, SLICE_MARK, cursor->time);
    case TIMELINE_BEGIN:
        return begin_span(slicer);
    case TIMELINE_END:
        return end_span(slicer);
    default:
        return !cursor->known || take_known(slicer, task);
    }
}

static bool take_all(struct slicer *slicer)
{
    struct timeline_cursor *cursor = &slicer->cursor;
    uint32_t task = 0;
    uint64_t last = 0;
    while (timeline_next(cursor)) {
        if (cursor->event.what == TIMELINE_RUN && !end_slice(slicer, last))
            return false;
        if (cursor->before != TASK_UNKNOWN)
            runner_of(slicer, cursor->before)->ticks += cursor->time - cursor->since;
        if (!take_event(slicer, task) || !run(slicer, cursor->running, cursor->time))
            return false;
        task = cursor->task;
        last = cursor->time;
    }
    return end_slice(slicer, last);
}

bool timeline_slices(const struct timeline *timeline, timeline_take *take, void *context)
{
    struct slicer slicer = {.runners = calloc(NUMBERS, sizeof *slicer.runners),
                            .runs = TASK_UNKNOWN,
                            .take = take,
                            .context = context};
    timeline_begin(&slicer.cursor, timeline);
    bool done = slicer.runners != NULL && take_all(&slicer);
    free(slicer.runners);
    free(slicer.spans);
    return done;
}
