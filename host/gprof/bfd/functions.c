/* SPDX-License-Identifier: MIT */
/* Functions and inlined calls of a unit, as GNU's BFD reads them. */
#include <dwarf.h>

#include "../../base/vector.h"
#include "internal.h"

enum { NEAR_SPANS = 16 };

/* Joins the range to one of the function's spans if one of both begins where the other
 * ends. false: none fits. Of a long list only the first span and the last ones are looked
 * at. */
static bool join_span(struct spans *spans, size_t first, const struct span *range)
{
    size_t last = spans->count > NEAR_SPANS ? spans->count - NEAR_SPANS : 0;
    for (size_t i = first; i < spans->count; i = i + 1 < last ? last : i + 1) {
        struct span *span = &spans->items[i];
        if (range->low == span->high)
            span->high = range->high;
        else if (range->high == span->low)
            span->low = range->low;
        else
            continue;
        span->rank = span->high - span->low;
        return true;
    }
    return false;
}

bool bfd_has_ranges(Dwarf_Attribute *ranges)
{
    return ranges == NULL || ranges->valp == NULL ||
           dwarf_whatform(ranges) != DW_FORM_rnglistx;
}

static bool take_function(struct bfd_functions *functions, struct scopes *scopes)
{
    struct spans *spans = &functions->spans;
    size_t first = spans->count;
    struct span range = {.owner = (uint32_t)functions->count};
    if (functions->count >= UINT32_MAX || !bfd_has_ranges(&scopes->at.ranges))
        return true;
    while (scopes_range(scopes, &range.low, &range.high)) {
        /* Where code belongs to several functions, the one with the smallest range wins:
         * it is the innermost. */
        range.rank = range.high - range.low;
        if (range.low < range.high && !join_span(spans, first, &range) &&
            !spans_add(spans, &range))
            return false;
    }
    if (spans->count == first)
        return true;
    if (!vector_grow(&functions->items, functions->count, &functions->room,
                     sizeof *functions->items))
        return false;
    struct bfd_function *function = &functions->items[functions->count++];
    function->low = spans->items[first].low;
    function->name = scopes_name(scopes, &function->is_linkage);
    return true;
}

bool bfd_read_functions(const struct units *units, const struct unit *unit,
                        struct bfd_functions *functions)
{
    struct scopes scopes;
    scopes_init(&scopes, units, unit);
    while (scopes_next(&scopes))
        if (!take_function(functions, &scopes))
            return false;
    return true;
}
