/* SPDX-License-Identifier: MIT */
#include "tally.h"
#include "../base/search.h"

#include <stdlib.h>

/* Where bins begin or end. */
struct edge {
    uint64_t at;
    double samples; /* of those that begin, less those that end */
};

static int by_place(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static struct edge *find_edges(const struct profile *profile, unsigned unit_bytes,
                               uint64_t width)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    struct edge *edges = calloc(2 * samples->used + 1, sizeof *edges);
    if (edges == NULL)
        return NULL;
    for (size_t i = 0; i < samples->used; i++) {
        uint64_t at = samples->items[i].to / unit_bytes;
        double count = (double)samples->items[i].count;
        edges[2 * i] = (struct edge){at, count};
        edges[2 * i + 1] =
            (struct edge){at > UINT64_MAX - width ? UINT64_MAX : at + width, -count};
    }
    qsort(edges, 2 * samples->used, sizeof *edges, by_place);
    return edges;
}

static void add_steps(struct tally *tally, const struct edge *edges, size_t count,
                      double width)
{
    double open = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        struct tally_step *last =
            tally->count > 0 ? &tally->steps[tally->count - 1] : NULL;
        if (last != NULL)
            before = last->before + last->slope * (double)(edges[i].at - last->at);
        open += edges[i].samples;
        if (last == NULL || last->at != edges[i].at)
            last = &tally->steps[tally->count++];
        *last = (struct tally_step){edges[i].at, before, open / width};
    }
}

bool tally_init(struct tally *tally, const struct profile *profile)
{
    uint64_t width = profile->bin_bytes > 1 ? profile->bin_bytes / 2 : 1;
    size_t edge_count = 2 * profile->counters[EVENT_SAMPLE].used;
    *tally = (struct tally){.unit_bytes = profile->bin_bytes > 1 ? 2 : 1};
    struct edge *edges = find_edges(profile, tally->unit_bytes, width);
    tally->steps = calloc(edge_count + 1, sizeof *tally->steps);
    if (edges != NULL && tally->steps != NULL)
        add_steps(tally, edges, edge_count, (double)width);
    free(edges);
    return edges != NULL && tally->steps != NULL;
}

void tally_release(struct tally *tally)
{
    free(tally->steps);
    *tally = (struct tally){.unit_bytes = 1};
}

/* Samples below `at`. */
static double tally_below(const struct tally *tally, uint64_t at)
{
    size_t low = 0;
    SEARCH(low, tally->count, tally->steps[middle].at <= at);
    if (low == 0)
        return 0;
    const struct tally_step *step = &tally->steps[low - 1];
    return step->before + step->slope * (double)(at - step->at);
}

double tally_between(const struct tally *tally, uint64_t low, uint64_t high)
{
    double samples = tally_below(tally, high / tally->unit_bytes) -
                     tally_below(tally, low / tally->unit_bytes);
    return samples > 1e-6 ? samples : 0; /* less is what rounding left */
}
