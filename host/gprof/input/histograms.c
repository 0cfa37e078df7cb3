/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <search.h>
#include <stdlib.h>

#include "../../base/vector.h"
#include "../../port/sort.h"
#include "input.h"

/* The bounds of a histogram, and which one of gprof->histograms it is. */
struct range {
    uint64_t low, high;
    size_t index;
};

/* Ranges that overlap compare as equal, and so do ranges without width at the same
 * address. */
static int compare(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    bool solid = a->low < a->high && b->low < b->high;
    if (solid)
        return a->high <= b->low ? -1 : a->low >= b->high;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

/* The tree of ranges that have some width, or the tree of those that have none. */
static void **tree_of(struct gprof_input *input, uint64_t low, uint64_t high)
{
    return low < high ? &input->solid : &input->hollow;
}

static const struct range *find(struct gprof_input *input, uint64_t low, uint64_t high)
{
    struct range wanted = {low, high, 0};
    struct range **found = tfind(&wanted, tree_of(input, low, high), compare);
    return found == NULL ? NULL : *found;
}

struct gprof_histogram *input_histogram(struct gprof_input *input, uint64_t low,
                                        uint64_t high)
{
    const struct range *range = find(input, low, high);
    bool same = range != NULL && range->low == low && range->high == high;
    return same ? &input->gprof->histograms[range->index] : NULL;
}

bool input_overlaps(struct gprof_input *input, uint64_t low, uint64_t high)
{
    return low < high && find(input, low, high) != NULL;
}

struct gprof_histogram *input_add_histogram(struct gprof_input *input, uint64_t low,
                                            uint64_t high, uint32_t bins)
{
    struct gprof *gprof = input->gprof;
    struct gprof_histogram added = {low, high, bins,
                                    calloc(bins > 0 ? bins : 1, sizeof *added.bins)};
    struct range *range = malloc(sizeof *range);
    if (range != NULL)
        *range = (struct range){low, high, gprof->histogram_count};
    if (added.bins == NULL || range == NULL ||
        !vector_grow(&gprof->histograms, gprof->histogram_count, &input->allocated,
                     sizeof added) ||
        tsearch(range, tree_of(input, low, high), compare) == NULL) {
        free(added.bins);
        free(range);
        input_no_memory(input);
        return NULL;
    }
    gprof->histograms[gprof->histogram_count] = added;
    return &gprof->histograms[gprof->histogram_count++];
}

uint32_t input_bin_count(const struct gmon_histogram *header)
{
    return (uint32_t)(header->bytes / GMON_BIN_BYTES);
}

double input_scale(const struct gmon_histogram *header)
{
    uint64_t half_words = (header->high - header->low) / 2;
    uint32_t bins = input_bin_count(header);
    if (bins ==
        0) /* histograms without bins cannot be found and need no place in the tree */
        return half_words > 0 ? (double)INFINITY : (double)NAN;
    return (double)half_words / (double)bins;
}

void input_release_ranges(struct gprof_input *input)
{
    port_tdestroy(input->solid, free);
    port_tdestroy(input->hollow, free);
}
