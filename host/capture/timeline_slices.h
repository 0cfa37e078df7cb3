/* SPDX-License-Identifier: MIT */
/*
 * A timeline as slices of time: what ran, how long at a time, what waited, the user's
 * spans and marks. A time in which it is not known what ran is a slice that says so; what
 * began or ended in that time is no slice.
 */
#ifndef MCUPROF_HOST_TIMELINE_SLICES_H
#define MCUPROF_HOST_TIMELINE_SLICES_H

#include "../profile/profile.h"

enum slice_what {
    SLICE_RUN,     /* a run of the firmware begins */
    SLICE_GAP,     /* what runs from now on is not known, or what ran until now was not */
    SLICE_RAN,     /* what ran, without what interrupted it */
    SLICE_STRETCH, /* a task, from switch to switch; an interrupt, from its entry to its
                      return, with what interrupted it */
    SLICE_READY,   /* a task may run */
    SLICE_WAIT,    /* a task, from when it might run until it did */
    SLICE_BEGIN,   /* the user's span begins */
    SLICE_SPAN,    /* the user's span has ended */
    SLICE_MARK,    /* the user's value */
};

/* Times are those of the run's clock. A slice without a length begins and ends at one
 * time. */
struct timeline_slice {
    enum slice_what what;
    uint32_t number; /* RAN to WAIT: a task's, TASK_INTERRUPT + an interrupt's or, in RAN
                        only, TASK_UNKNOWN; MARK: the number of what ran then */
    uint32_t name;   /* BEGIN to MARK: the address of its text */
    uint64_t from, to;
    uint64_t ticks; /* RAN: to - from; STRETCH: without interrupts, if it is a task's */
    int32_t value;  /* MARK */
};

/* Takes a slice; slices come in the order of their ends. false: it cannot go on. */
typedef bool timeline_take(void *context, const struct timeline_slice *slice);

/* false: out of memory, or take() returned it. */
bool timeline_slices(const struct timeline *timeline, timeline_take *take, void *context);

#endif
