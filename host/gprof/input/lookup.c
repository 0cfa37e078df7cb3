/* SPDX-License-Identifier: MIT */
/*
 * gprof_symbol_at() for a million arcs gives the same answer from tables that stay in the
 * processor's cache; a struct gprof_symbol has hundreds of bytes. The code is cut into
 * slices of equal size, about one for each symbol, so that a search begins with the few
 * symbols of one slice. A hostile image may have all symbols in one slice: then the
 * search takes log2 of their number.
 */
#include <stdlib.h>

#include "../../base/search.h"
#include "input.h"

struct item {
    uint64_t start, end;
    size_t entry; /* number of the function that the symbol is in, from 1; 0: none */
};

struct gprof_lookup {
    struct item *items; /* one for each symbol, ascending */
    size_t *
        slices; /* for each slice the first symbol that starts behind the slice's start */
    size_t slice_count;
    unsigned shift; /* log2 of the bytes of a slice */
};

static void find_slices(struct gprof_lookup *lookup, size_t count)
{
    size_t at = 0;

    for (size_t i = 0; i < lookup->slice_count; i++) {
        while (at < count &&
               (lookup->items[at].start - lookup->items[0].start) >> lookup->shift < i)
            at++;
        lookup->slices[i] = at;
    }
    lookup->slices[lookup->slice_count] = count;
}

static void copy_symbols(struct gprof_lookup *lookup, const struct gprof *gprof)
{
    size_t entry = 0;

    for (size_t i = 0; i < gprof->symbol_count; i++) {
        if (gprof->symbols[i].is_function)
            entry = i + 1;
        lookup->items[i] =
            (struct item){gprof->symbols[i].address, gprof->symbols[i].end, entry};
    }
}

bool input_make_lookup(struct gprof_input *input)
{
    const struct gprof *gprof = input->gprof;
    size_t count = gprof->symbol_count;
    struct gprof_lookup *lookup = calloc(1, sizeof *lookup);
    uint64_t span;

    input->lookup = lookup;
    if (lookup == NULL)
        return false;
    if (count == 0)
        return true;
    span = gprof->symbols[count - 1].address - gprof->symbols[0].address;
    while (span >> lookup->shift >= count)
        lookup->shift++;
    lookup->slice_count = (size_t)(span >> lookup->shift) + 1;
    lookup->items = calloc(count, sizeof *lookup->items);
    lookup->slices = calloc(lookup->slice_count + 1, sizeof *lookup->slices);
    if (lookup->items == NULL || lookup->slices == NULL)
        return false;
    copy_symbols(lookup, gprof);
    find_slices(lookup, count);
    return true;
}

void input_release_lookup(struct gprof_input *input)
{
    struct gprof_lookup *lookup = input->lookup;

    if (lookup == NULL)
        return;
    free(lookup->items);
    free(lookup->slices);
    free(lookup);
}

size_t input_symbol_at(const struct gprof_input *input, uint64_t address)
{
    const struct gprof_lookup *lookup = input->lookup;
    uint64_t slice;
    size_t low, high;

    if (lookup->slice_count == 0 || address < lookup->items[0].start)
        return 0;
    slice = (address - lookup->items[0].start) >> lookup->shift;
    if (slice >= lookup->slice_count)
        slice = lookup->slice_count - 1;
    low = lookup->slices[slice];
    high = lookup->slices[slice + 1];
    SEARCH(low, high, lookup->items[middle].start <= address);
    /* the last symbol that starts at or before the address */
    return address <= lookup->items[low - 1].end ? low : 0;
}

size_t input_entry(const struct gprof_input *input, size_t symbol)
{
    return input->lookup->items[symbol - 1].entry;
}
