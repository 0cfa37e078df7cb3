/* SPDX-License-Identifier: MIT */
#include "tally.h"
#include "../base/saturate.h"
#include "../base/search.h"

#include <stdlib.h>

/* A sample's bin, which begins at `at`. */
struct bin {
    uint64_t at;
    double samples;
};

static int by_place(const void *left, const void *right)
{
    const struct bin *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

bool is_in_code(const struct image_range *code, size_t count, uint64_t low, uint64_t high)
{
    size_t first = 0;
    if (code == NULL)
        return true;
    SEARCH(first, count, code[middle].high <= low);
    return first < count && code[first].low < high;
}

struct bins {
    struct bin *items;
    size_t count;
    bool sorted; /* by place, as a histogram's bins come */
};

/* Collects the bins in the code; without `items` it only counts them. */
static void collect_bins(struct bins *bins, const struct profile *profile,
                         const struct image_range *code, size_t count)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    unsigned unit_bytes = profile->bin_bytes > 1 ? 2 : 1;
    bins->count = 0;
    bins->sorted = true;
    for (size_t i = 0; i < samples->used; i++) {
        const struct counter sample = counter_at(samples, i);
        struct bin bin = {sample.to / unit_bytes, (double)sample.count};
        if (!is_in_code(code, count, sample.to, sample.to + profile->bin_bytes))
            continue;
        if (bins->items != NULL) {
            bins->sorted = bins->sorted && (bins->count == 0 ||
                                            bins->items[bins->count - 1].at <= bin.at);
            bins->items[bins->count] = bin;
        }
        bins->count++;
    }
}

static bool make_bins(struct bins *bins, const struct profile *profile,
                      const struct image_range *code, size_t count)
{
    *bins = (struct bins){.items = NULL};
    collect_bins(bins, profile, code, count);
    bins->items = calloc(bins->count + 1, sizeof *bins->items);
    if (bins->items == NULL)
        return false;
    collect_bins(bins, profile, code, count);
    if (!bins->sorted)
        qsort(bins->items, bins->count, sizeof *bins->items, by_place);
    return true;
}

static uint64_t end_of(const struct bin *bin, uint64_t width)
{
    return add_saturating(bin->at, width);
}

/* Makes a step wherever bins begin or end. They end in the order in which they begin. */
static void add_steps(struct tally *tally, const struct bin *bins, size_t count,
                      uint64_t width)
{
    double open = 0;
    for (size_t begun = 0, ended = 0; ended < count;) {
        uint64_t at = end_of(&bins[ended], width);
        if (begun < count && bins[begun].at < at)
            at = bins[begun].at;
        struct tally_step step = {.at = at};
        if (tally->count > 0) {
            const struct tally_step *last = &tally->steps[tally->count - 1];
            step.before = last->before + last->slope * (double)(at - last->at);
        }
        for (; begun < count && bins[begun].at == at; begun++)
            open += bins[begun].samples;
        for (; ended < begun && end_of(&bins[ended], width) == at; ended++)
            open -= bins[ended].samples;
        step.slope = open / (double)width;
        tally->steps[tally->count++] = step;
    }
}

bool tally_init(struct tally *tally, const struct profile *profile,
                const struct image_range *code, size_t count)
{
    uint64_t width = profile->bin_bytes > 1 ? profile->bin_bytes / 2 : 1;
    struct bins bins;
    *tally = (struct tally){.unit_bytes = profile->bin_bytes > 1 ? 2 : 1};
    bool done = make_bins(&bins, profile, code, count);
    if (done)
        tally->steps = calloc(2 * bins.count + 1, sizeof *tally->steps);
    done = done && tally->steps != NULL;
    if (done)
        add_steps(tally, bins.items, bins.count, width);
    free(bins.items);
    return done;
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
