/* SPDX-License-Identifier: MIT */
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>

#include "../analysis/function_ranges.h"

enum { ENTRIES_MAX = 32768 }; /* of MCUPROF_ENTRIES */
static const double SMALL = 0.1, COVERED = 0.95;

/* The functions below leave out the runs of tasks and interrupts: these are no calls. */
static uint64_t calls_received(const struct profile *profile)
{
    return profile->received[EVENT_ARC] + profile->received[EVENT_CALL] -
           profile_switches(profile);
}

bool cache_has_calls(const struct profile *profile)
{
    return calls_received(profile) > 0;
}

double cache_alone(const struct profile *profile)
{
    uint64_t calls = calls_received(profile);
    return calls > 0 ? (double)profile->alone / (double)calls : 0;
}

static int by_falling_count(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

static size_t count_sites(const struct counters *counters)
{
    size_t sites = 0;
    for (size_t i = 0; i < counters->used; i++) {
        const struct counter call = counter_at(counters, i);
        sites += !is_tasks_own(&call);
    }
    return sites;
}

static size_t take_counts(const struct counters *counters, uint64_t *counts)
{
    size_t used = 0;
    for (size_t i = 0; i < counters->used; i++) {
        const struct counter call = counter_at(counters, i);
        if (!is_tasks_own(&call))
            counts[used++] = call.count;
    }
    return used;
}

bool cache_wanted(const struct profile *profile, unsigned *entries, size_t *sites)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *calls = &profile->counters[EVENT_CALL];
    uint64_t *counts = malloc((arcs->used + calls->used + 1) * sizeof *counts);
    double left = COVERED * (double)calls_received(profile);
    *entries = 0;
    *sites = 0;
    if (counts == NULL)
        return false;
    size_t used = take_counts(arcs, counts);
    used += take_counts(calls, counts + used);
    qsort(counts, used, sizeof *counts, by_falling_count);
    while (*sites < used && left > 0)
        left -= (double)counts[(*sites)++];
    free(counts);
    if (*sites > 0 && *sites <= ENTRIES_MAX)
        for (*entries = 1; *entries < *sites;)
            *entries *= 2;
    return true;
}

/* Whether many calls were sent one by one although a counter would have spared that. Each
 * run has to send each call site once. */
static bool is_small(const struct profile *profile)
{
    uint64_t all = count_sites(&profile->counters[EVENT_ARC]) +
                   count_sites(&profile->counters[EVENT_CALL]);
    uint64_t runs = profile->run_count > 1 ? profile->run_count : 1;
    uint64_t spared = profile->alone > runs * all ? profile->alone - runs * all : 0;
    return (double)spared >= SMALL * (double)calls_received(profile);
}

bool cache_describe(const struct profile *profile, char text[CACHE_TEXT_MAX])
{
    unsigned entries;
    size_t sites;
    text[0] = '\0';
    if (profile->entries == 0 || !is_small(profile))
        return true;
    if (!cache_wanted(profile, &entries, &sites))
        return false;
    if (entries > profile->entries)
        snprintf(
            text, CACHE_TEXT_MAX,
            "%.0f %% of calls were sent one by one, with %u counters: "
            "MCUPROF_ENTRIES=%u would hold the %zu call sites that make 95 %% of them",
            100 * cache_alone(profile), profile->entries, entries, sites);
    return true;
}
