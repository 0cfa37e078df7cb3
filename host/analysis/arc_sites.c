/* SPDX-License-Identifier: MIT */
#include "arc_sites.h"

#include <stdlib.h>

#include "../base/compare.h"
#include "../base/search.h"

static int by_addresses(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    ORDER_BY(a->from, b->from);
    return (a->to > b->to) - (a->to < b->to);
}

static bool is_before(const struct arc *arc, size_t caller, size_t callee)
{
    return arc->caller != caller ? arc->caller < caller : arc->callee < callee;
}

/* Counts a place of all arcs between two functions: an interrupt's entry has one, too. */
static void count(const struct analysis *analysis, uint32_t *sites, size_t caller,
                  size_t callee)
{
    const struct arc *arcs = analysis->arcs;
    size_t i = 0;

    SEARCH(i, analysis->arc_count, is_before(&arcs[middle], caller, callee));
    for (;
         i < analysis->arc_count && arcs[i].caller == caller && arcs[i].callee == callee;
         i++)
        sites[i]++;
}

static bool count_counted(const struct analysis *analysis, const struct profile *profile,
                          const struct image *image, uint32_t *sites)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    struct counter *sorted = counters_sorted(arcs, by_addresses);

    for (size_t i = 0; sorted != NULL && i < arcs->used; i++) {
        size_t caller, callee;

        if (i > 0 && by_addresses(&sorted[i - 1], &sorted[i]) == 0)
            continue; /* of another task */
        caller = sorted[i].from == 0
                     ? NO_FUNCTION
                     : analysis_function_at(analysis, image, sorted[i].from - 1);
        callee = analysis_function_at(analysis, image, sorted[i].to);
        if (callee != NO_FUNCTION)
            count(analysis, sites, caller, callee);
    }
    free(sorted);
    return sorted != NULL;
}

uint32_t *arc_sites(const struct analysis *analysis, const struct profile *profile,
                    const struct image *image)
{
    uint32_t *sites = calloc(analysis->arc_count + 1, sizeof *sites);

    if (sites == NULL || !count_counted(analysis, profile, image, sites)) {
        free(sites);
        return NULL;
    }
    for (size_t i = 0; i < analysis->site_count; i++)
        count(analysis, sites, analysis->sites[i].caller, analysis->sites[i].callee);
    return sites;
}
