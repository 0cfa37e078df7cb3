/* SPDX-License-Identifier: MIT */
#include "../base/search.h"
#include "input.h"

#include <math.h>
#include <stdlib.h>

static bool is_solid(uint64_t low, uint64_t high)
{
    return low < high;
}

static bool before(const struct gprof_range *left, const struct gprof_range *right)
{
    return left->low != right->low ? left->low < right->low : left->high < right->high;
}

static void merge_runs(struct gprof_range *merged, const struct gprof_range *left,
                       const struct gprof_range *right, size_t count)
{
    size_t l = 0, r = 0;

    for (size_t i = 0; i < 2 * count; i++) {
        bool take_left = r == count || (l < count && before(&left[l], &right[r]));

        merged[i] = take_left ? left[l++] : right[r++];
    }
}

static bool add_range(struct gprof_ranges *ranges, struct gprof_range range)
{
    struct gprof_range *carry = malloc(sizeof *carry);

    if (carry == NULL)
        return false;
    *carry = range;
    for (unsigned i = 0; i < GPROF_RUNS; i++) {
        struct gprof_range *merged;

        if (ranges->runs[i] == NULL) {
            ranges->runs[i] = carry;
            return true;
        }
        merged = calloc((size_t)2 << i, sizeof *merged);
        if (merged == NULL)
            break;
        merge_runs(merged, ranges->runs[i], carry, (size_t)1 << i);
        free(ranges->runs[i]);
        free(carry);
        ranges->runs[i] = NULL;
        carry = merged;
    }
    free(carry);
    return false;
}

/* The first entry of a run that is not before the range; `count` if there is none. */
static size_t find_exact(const struct gprof_range *run, size_t count,
                         const struct gprof_range *range)
{
    size_t low = 0;

    SEARCH(low, count, before(&run[middle], range));
    return low;
}

/* The first entry of a run of solid ranges that ends beyond an address. They do not
 * overlap, so their ends are in order as well. */
static size_t find_beyond(const struct gprof_range *run, size_t count, uint64_t address)
{
    size_t low = 0;

    SEARCH(low, count, run[middle].high <= address);
    return low;
}

struct gprof_histogram *input_histogram(const struct gprof_input *input, uint64_t low,
                                        uint64_t high)
{
    const struct gprof_ranges *ranges =
        is_solid(low, high) ? &input->solid : &input->hollow;
    struct gprof_range range = {low, high, 0};

    for (unsigned i = 0; i < GPROF_RUNS; i++) {
        const struct gprof_range *run = ranges->runs[i];
        size_t count = (size_t)1 << i, at = 0;

        if (run != NULL)
            at = find_exact(run, count, &range);
        if (run != NULL && at < count && run[at].low == low && run[at].high == high)
            return &input->gprof->histograms[run[at].index];
    }
    return NULL;
}

bool input_overlaps(const struct gprof_input *input, uint64_t low, uint64_t high)
{
    for (unsigned i = 0; is_solid(low, high) && i < GPROF_RUNS; i++) {
        const struct gprof_range *run = input->solid.runs[i];
        size_t count = (size_t)1 << i, at = 0;

        if (run != NULL)
            at = find_beyond(run, count, low);
        if (run != NULL && at < count && run[at].low < high)
            return true;
    }
    return false;
}

static bool reserve(struct gprof_input *input)
{
    struct gprof *gprof = input->gprof;
    size_t allocated = input->allocated > 0 ? 2 * input->allocated : 8;
    struct gprof_histogram *larger;

    if (gprof->histogram_count < input->allocated)
        return true;
    larger = reallocarray(gprof->histograms, allocated, sizeof *larger);
    if (larger == NULL)
        return false;
    gprof->histograms = larger;
    input->allocated = allocated;
    return true;
}

struct gprof_histogram *input_add_histogram(struct gprof_input *input, uint64_t low,
                                            uint64_t high, uint32_t bins)
{
    struct gprof *gprof = input->gprof;
    struct gprof_ranges *ranges = is_solid(low, high) ? &input->solid : &input->hollow;
    struct gprof_range range = {low, high, gprof->histogram_count};
    struct gprof_histogram *added;

    if (!reserve(input)) {
        input_no_memory(input);
        return NULL;
    }
    added = &gprof->histograms[gprof->histogram_count];
    *added = (struct gprof_histogram){low, high, bins, NULL};
    added->bins = calloc(bins > 0 ? bins : 1, sizeof *added->bins);
    if (added->bins == NULL || !add_range(ranges, range)) {
        free(added->bins);
        input_no_memory(input);
        return NULL;
    }
    gprof->histogram_count++;
    return added;
}

double input_scale(uint64_t low, uint64_t high, uint32_t bins)
{
    uint64_t half_words = (high - low) / 2;

    if (bins == 0) /* no bin will ask */
        return half_words > 0 ? (double)INFINITY : (double)NAN;
    return (double)half_words / (double)bins;
}

void input_release_ranges(struct gprof_input *input)
{
    for (unsigned i = 0; i < GPROF_RUNS; i++) {
        free(input->solid.runs[i]);
        free(input->hollow.runs[i]);
    }
}
