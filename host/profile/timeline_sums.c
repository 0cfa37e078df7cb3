/* SPDX-License-Identifier: MIT */
#include "timeline_sums.h"

#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vector.h"

enum {
    BIN_BITS = 6, /* a bin is 1 / 2^6 of its lower end wide */
    NUMBERS = 2 * TASK_INTERRUPT,
    NAMES_MAX = 4096, /* told apart */
};

/* ---- Spreads ---- */

static unsigned bits_above(uint64_t ticks)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(ticks | 1);
    return bits > BIN_BITS + 1 ? bits - BIN_BITS - 1 : 0;
}

static bool spread_add(struct spread *spread, uint64_t ticks)
{
    unsigned shift = bits_above(ticks);
    uint64_t low = ticks >> shift << shift;
    size_t at = 0;
    SEARCH(at, spread->used, spread->bins[middle].low < low);
    if (at == spread->used || spread->bins[at].low != low) {
        if (!vector_grow(&spread->bins, spread->used, &spread->allocated,
                         sizeof *spread->bins))
            return false;
        memmove(spread->bins + at + 1, spread->bins + at,
                (spread->used++ - at) * sizeof *spread->bins);
        spread->bins[at] = (struct spread_bin){low, 0};
    }
    spread->bins[at].count++;
    spread->count++;
    if (ticks > spread->longest)
        spread->longest = ticks;
    return true;
}

uint64_t spread_quantile(const struct spread *spread, double part)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < spread->used; i++) {
        const struct spread_bin *bin = &spread->bins[i];
        uint64_t high = bin->low + ((uint64_t)1 << bits_above(bin->low)) - 1;
        seen += bin->count;
        if ((double)seen >= part * (double)spread->count)
            return high < spread->longest ? high : spread->longest;
    }
    return spread->longest;
}

/* ---- What is known of a task, an interrupt, a name ---- */

/* What the sums are made with: they are at one place of the timeline. */
struct adder {
    struct timeline_sums *sums;
    uint32_t *places; /* 1 + the place of each number's track */
    struct timeline_cursor cursor;
    uint64_t entered[TIMELINE_NESTED];
    bool is_entered[TIMELINE_NESTED]; /* and that time is known */
};

/* NULL: out of memory. */
static struct timeline_track *track_of(struct adder *adder, uint32_t number)
{
    struct timeline_sums *sums = adder->sums;
    uint32_t *place = &adder->places[number % NUMBERS];
    if (*place == 0) {
        if (!vector_grow(&sums->tracks, sums->track_count, &sums->tracks_allocated,
                         sizeof *sums->tracks))
            return NULL;
        sums->tracks[sums->track_count] = (struct timeline_track){.number = number};
        *place = (uint32_t)++sums->track_count;
    }
    return &sums->tracks[*place - 1];
}

/* *full: there are too many names, or no memory. */
static struct timeline_marks *marks_of(struct timeline_sums *sums, uint32_t name)
{
    size_t at = 0;
    SEARCH(at, sums->mark_count, sums->marks[middle].name < name);
    if (at < sums->mark_count && sums->marks[at].name == name)
        return &sums->marks[at];
    if (sums->mark_count == NAMES_MAX ||
        !vector_grow(&sums->marks, sums->mark_count, &sums->marks_allocated,
                     sizeof *sums->marks))
        return NULL;
    memmove(sums->marks + at + 1, sums->marks + at,
            (sums->mark_count++ - at) * sizeof *sums->marks);
    sums->marks[at] = (struct timeline_marks){.name = name};
    return &sums->marks[at];
}

/* ---- Events ---- */

/* Adds what ran since the event before. */
static bool add_piece(struct adder *adder)
{
    const struct timeline_cursor *cursor = &adder->cursor;
    uint64_t ticks = cursor->time - cursor->since;
    if (ticks == 0)
        return true;
    if (cursor->before == TASK_UNKNOWN) {
        adder->sums->unknown += ticks;
        return true;
    }
    struct timeline_track *track = track_of(adder, cursor->before);
    if (track == NULL)
        return false;
    track->ticks += ticks;
    track->stretch += ticks;
    adder->sums->known += ticks;
    return true;
}

/* Forgets what began before a time of which nothing is known. */
static void forget(struct adder *adder)
{
    struct timeline_sums *sums = adder->sums;
    for (size_t i = 0; i < sums->track_count; i++)
        sums->tracks[i].is_ready = sums->tracks[i].is_whole = false;
    for (size_t i = 0; i < sums->mark_count; i++)
        sums->marks[i].is_begun = false;
    memset(adder->is_entered, 0, sizeof adder->is_entered);
}

static bool switch_task(struct adder *adder, uint32_t from)
{
    struct timeline_track *track = track_of(adder, from);
    if (track == NULL ||
        (track->is_whole && !spread_add(&track->stretches, track->stretch)))
        return false;
    track->is_whole = false;
    track = track_of(adder, adder->cursor.task);
    if (track == NULL)
        return false;
    track->is_whole = true;
    track->stretch = 0;
    if (track->is_ready && !spread_add(&track->waits, adder->cursor.time - track->ready))
        return false;
    track->is_ready = false;
    return true;
}

static void enter(struct adder *adder)
{
    uint32_t level = adder->cursor.handlers - 1;
    if (level < TIMELINE_NESTED) {
        adder->entered[level] = adder->cursor.time;
        adder->is_entered[level] = true;
    }
}

static bool leave(struct adder *adder)
{
    uint32_t level = adder->cursor.handlers;
    if (level >= TIMELINE_NESTED || !adder->is_entered[level])
        return true;
    adder->is_entered[level] = false;
    struct timeline_track *track = track_of(adder, adder->cursor.before);
    return track != NULL &&
           spread_add(&track->stretches, adder->cursor.time - adder->entered[level]);
}

static bool make_ready(struct adder *adder)
{
    const struct timeline_cursor *cursor = &adder->cursor;
    struct timeline_track *track = track_of(adder, cursor->event.number);
    if (track == NULL)
        return false;
    if (!track->is_ready && cursor->event.number != cursor->task) {
        track->is_ready = true;
        track->ready = cursor->time;
    }
    return true;
}

static void add_value(struct timeline_marks *marks, int32_t value)
{
    if (marks->count == 0 || value < marks->least)
        marks->least = value;
    if (marks->count == 0 || value > marks->most)
        marks->most = value;
    marks->last = value;
    marks->count++;
}

static bool add_mark(struct adder *adder)
{
    const struct timeline_cursor *cursor = &adder->cursor;
    struct timeline_marks *marks = marks_of(adder->sums, cursor->event.name);
    if (marks == NULL) {
        adder->sums->unnamed++;
        return adder->sums->mark_count == NAMES_MAX;
    }
    if (cursor->event.what == TIMELINE_MARK) {
        add_value(marks, cursor->event.value);
        return true;
    }
    bool ends = cursor->event.what == TIMELINE_END && marks->is_begun;
    marks->is_begun = cursor->event.what == TIMELINE_BEGIN;
    if (ends)
        return spread_add(&marks->spans, cursor->time - marks->begun);
    marks->begun = cursor->time;
    return true;
}

static bool add_event(struct adder *adder, uint32_t task)
{
    switch (adder->cursor.event.what) {
    case TIMELINE_RUN:
        adder->sums->runs++;
        forget(adder);
        return true;
    case TIMELINE_LOST:
        adder->sums->gaps++;
        forget(adder);
        return true;
    case TIMELINE_STATE:
        adder->sums->gaps += adder->cursor.event.ticks > 0;
        forget(adder);
        return true;
    case TIMELINE_TASK:
        return switch_task(adder, task);
    case TIMELINE_ENTER:
        enter(adder);
        return true;
    case TIMELINE_RETURN:
        return leave(adder);
    case TIMELINE_READY:
        return make_ready(adder);
    case TIMELINE_NOTHING:
        return true;
    default:
        return add_mark(adder);
    }
}

/* ---- All ---- */

/* Idle tasks last, else by time. */
static int compare_tracks(const void *one, const void *other)
{
    const struct timeline_track *a = one, *b = other;
    if (a->idle != b->idle)
        return a->idle ? 1 : -1;
    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void find_idle(struct timeline_sums *sums, const struct profile *profile)
{
    for (size_t i = 0; i < sums->track_count; i++) {
        struct timeline_track *track = &sums->tracks[i];
        for (size_t j = 0; j < profile->task_count; j++)
            if (profile->tasks[j].number == track->number)
                track->idle = profile->tasks[j].idle;
        sums->idle += track->idle ? track->ticks : 0;
    }
}

static bool add_all(struct adder *adder)
{
    uint32_t task = adder->cursor.task;
    while (timeline_next(&adder->cursor)) {
        if (!add_piece(adder) || !add_event(adder, task))
            return false;
        task = adder->cursor.task;
    }
    return true;
}

bool timeline_sums_init(struct timeline_sums *sums, const struct profile *profile)
{
    struct adder adder = {.sums = sums, .places = calloc(NUMBERS, sizeof *adder.places)};
    *sums = (struct timeline_sums){.tracks = NULL};
    timeline_begin(&adder.cursor, &profile->timeline);
    bool done = adder.places != NULL && add_all(&adder);
    free(adder.places);
    if (!done) {
        timeline_sums_release(sums);
        return false;
    }
    find_idle(sums, profile);
    if (sums->track_count > 0)
        qsort(sums->tracks, sums->track_count, sizeof *sums->tracks, compare_tracks);
    return true;
}

void timeline_sums_release(struct timeline_sums *sums)
{
    for (size_t i = 0; i < sums->track_count; i++) {
        free(sums->tracks[i].stretches.bins);
        free(sums->tracks[i].waits.bins);
    }
    for (size_t i = 0; i < sums->mark_count; i++)
        free(sums->marks[i].spans.bins);
    free(sums->tracks);
    free(sums->marks);
    *sums = (struct timeline_sums){.tracks = NULL};
}
