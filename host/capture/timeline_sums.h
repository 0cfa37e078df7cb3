/* SPDX-License-Identifier: MIT */
/*
 * What a timeline adds up to: how long each task and interrupt ran, and how long it took
 * at a time; how long tasks waited; the user's marks. A time in which it is not known
 * what ran is in no sum but `unknown`; what began or ended in that time is in no
 * histogram.
 */
#ifndef MCUPROF_HOST_TIMELINE_SUMS_H
#define MCUPROF_HOST_TIMELINE_SUMS_H

#include "../profile/durations.h"
#include "../profile/profile.h"

struct timeline_track {
    uint32_t number; /* of a task, or TASK_INTERRUPT + that of an interrupt */
    bool idle;
    uint64_t ticks;             /* that it ran, without what interrupted it */
    struct durations stretches; /* a task's, from switch to switch, without interrupts; an
                                interrupt's, from its beginning to its return, with what
                                interrupted it */
    struct durations waits;     /* a task's, from when it might run until it did */
};

/* The user's marks of one name. */
struct timeline_marks {
    uint32_t name; /* its address */
    uint64_t count;
    int32_t last, least, most; /* values; `count` 0: there were spans only */
    struct durations spans;
};

struct timeline_sums {
    struct timeline_track *tracks; /* the busiest first, idle tasks last */
    size_t track_count, tracks_allocated;
    struct timeline_marks *marks; /* by `name` */
    size_t mark_count, marks_allocated;
    uint64_t unnamed;              /* marks of more names than are told apart */
    uint64_t known, idle, unknown; /* ticks */
    size_t runs, gaps; /* a gap: what ran is not known for a time, or up to the end */
};

/* false: out of memory, nothing to release. */
bool timeline_sums_init(struct timeline_sums *sums, const struct profile *profile);
void timeline_sums_release(struct timeline_sums *sums);

#endif
