/* SPDX-License-Identifier: MIT */
#include "timeline_sums.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/search.h"
#include "../base/vector.h"
#include "timeline_slices.h"

enum {
    NUMBERS = 2 * TASK_INTERRUPT,
    NAMES_MAX = 4096, /* so many are told apart */
};

/* ---- What is known of a task, an interrupt, a name ---- */

/* What the sums are made with. */
struct adder {
    struct timeline_sums *sums;
    uint32_t *places; /* 1 + the place of each number's track */
};

/* NULL: out of memory. */
static struct timeline_track *track_of(const struct adder *adder, uint32_t number)
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

/* NULL: there are too many names, or no memory. */
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

/* ---- Slices ---- */

static bool add_ran(const struct adder *adder, const struct timeline_slice *slice)
{
    if (slice->number == TASK_UNKNOWN) {
        adder->sums->unknown += slice->ticks;
        return true;
    }
    struct timeline_track *track = track_of(adder, slice->number);
    if (track == NULL)
        return false;
    track->ticks += slice->ticks;
    adder->sums->known += slice->ticks;
    return true;
}

/* Adds a stretch, a wait, or only the task itself. */
static bool add_track(const struct adder *adder, const struct timeline_slice *slice)
{
    struct timeline_track *track = track_of(adder, slice->number);
    if (track == NULL)
        return false;
    if (slice->what == SLICE_STRETCH)
        return durations_add(&track->stretches, slice->ticks);
    return slice->what != SLICE_WAIT ||
           durations_add(&track->waits, slice->to - slice->from);
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

static bool add_mark(struct timeline_sums *sums, const struct timeline_slice *slice)
{
    struct timeline_marks *marks = marks_of(sums, slice->name);
    if (marks == NULL) {
        sums->unnamed++;
        return sums->mark_count == NAMES_MAX;
    }
    if (slice->what == SLICE_MARK)
        add_value(marks, slice->value);
    return slice->what != SLICE_SPAN ||
           durations_add(&marks->spans, slice->to - slice->from);
}

static bool add(void *context, const struct timeline_slice *slice)
{
    const struct adder *adder = context;
    switch (slice->what) {
    case SLICE_RUN:
        adder->sums->runs++;
        return true;
    case SLICE_GAP:
        adder->sums->gaps++;
        return true;
    case SLICE_RAN:
        return add_ran(adder, slice);
    case SLICE_STRETCH:
    case SLICE_READY:
    case SLICE_WAIT:
        return add_track(adder, slice);
    default:
        return add_mark(adder->sums, slice);
    }
}

/* ---- All ---- */

/* Idle tasks last, else by time. */
static int compare_tracks(const void *one, const void *other)
{
    const struct timeline_track *a = one, *b = other;
    if (a->idle != b->idle)
        return a->idle ? 1 : -1;
    ORDER_BY(b->ticks, a->ticks);
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

bool timeline_sums_init(struct timeline_sums *sums, const struct profile *profile)
{
    struct adder adder = {.sums = sums, .places = calloc(NUMBERS, sizeof *adder.places)};
    *sums = (struct timeline_sums){.tracks = NULL};
    bool done = adder.places != NULL && timeline_slices(&profile->timeline, add, &adder);
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
        durations_release(&sums->tracks[i].stretches);
        durations_release(&sums->tracks[i].waits);
    }
    for (size_t i = 0; i < sums->mark_count; i++)
        durations_release(&sums->marks[i].spans);
    free(sums->tracks);
    free(sums->marks);
    *sums = (struct timeline_sums){.tracks = NULL};
}
