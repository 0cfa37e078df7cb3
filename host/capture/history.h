/* SPDX-License-Identifier: MIT */
/*
 * What was counted lately in a profile that grows. Whoever keeps a history ends a step
 * now and then; any number of last steps can then be seen as a profile of their own,
 * without the events before them. A step holds the counters that changed in it and no
 * others, and only the last HISTORY_STEPS steps are kept.
 */
#ifndef MCUPROF_HOST_HISTORY_H
#define MCUPROF_HOST_HISTORY_H

#include "../profile/profile.h"

enum { HISTORY_STEPS = 60, HISTORY_LISTS = EVENT_KINDS + 1 };

/* What was added to the counter or stack of this number. */
struct history_change {
    uint64_t count, total, self; /* total and self: ticks, of timed calls */
    uint32_t item;
};

struct history_list {
    struct history_change *items;
    size_t used, room;
};

/* A profile's sums at some time, as its members are. */
struct history_sums {
    uint64_t lost[EVENT_KINDS], earlier[EVENT_KINDS];
    uint64_t time_other, time_run, run_wrapped; /* of its time base */
    uint64_t records, damaged, repaired, discarded, unproven, console_bytes;
};

/* Lists are by enum event_kind; the last one is that of the stacks. */
struct history_step {
    struct history_list changes[HISTORY_LISTS];
    struct history_sums began; /* when it began */
};

struct history {
    struct history_step steps[HISTORY_STEPS];
    size_t ended;                               /* steps so far; step i is in
                                                   steps[i % HISTORY_STEPS] */
    struct history_list counted[HISTORY_LISTS]; /* by item: all of the steps that ended */
    struct history_sums now;                    /* when the last step ended */
};

/* The profile is the one whose history it will be. */
void history_init(struct history *history, const struct profile *profile);
void history_release(struct history *history);

/* Ends a step: all that was counted since the last one is of this one. false: out of
 * memory. */
bool history_step(struct history *history, const struct profile *profile);

/* How many steps are kept. */
size_t history_kept(const struct history *history);

/* Makes *part of what was counted in the last `steps` steps that ended (all that are
 * kept, if those are fewer) and since. HISTORY_ALL: in the whole profile. A part's
 * shortest and longest timed calls are not known: they are 0. What the firmware says of
 * its sampling is about the whole profile. false: out of memory, nothing to release. */
#define HISTORY_ALL SIZE_MAX
bool history_part(const struct history *history, const struct profile *profile,
                  size_t steps, struct profile *part);

/* The changes of one step: 0 is the last one that ended. */
const struct history_list *history_changes(const struct history *history, size_t back,
                                           size_t list);

#endif
