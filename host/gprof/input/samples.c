/* SPDX-License-Identifier: MIT */
/*
 * Distributes the histograms' samples among the symbols. A bin that lies over several
 * symbols is shared out by overlap. All positions are in half-words, as in GNU gprof, and
 * every sum is made in its order, because rounding shows in the output.
 */
#include "../../base/search.h"
#include "../gprof.h"

/* Bin i covers [start(i), start(i + 1)). A histogram without bins has no number as its
 * scale, so its bins lie nowhere. */
static uint64_t bin_start(const struct gprof *gprof, uint64_t low, uint64_t bin)
{
    double start = gprof->scale * (double)bin;

    return start < 0x1p64 ? low + (uint64_t)start : UINT64_MAX;
}

/* Whether the symbol's samples count. Those of a symbol that the flat profile leaves out
 * count for nobody, in the call graph neither. */
static bool counts(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (gprof_list_used(gprof, GPROF_INCLUDE_FLAT))
        return gprof_listed(gprof, GPROF_INCLUDE_FLAT, symbol);
    return !gprof_listed(gprof, GPROF_EXCLUDE_FLAT, symbol);
}

static void credit(struct gprof *gprof, struct gprof_symbol *symbol, uint64_t overlap,
                   double samples)
{
    double share = (double)overlap * samples / gprof->scale;

    if (counts(gprof, symbol))
        symbol->samples += share;
    else
        gprof->total -= share;
}

/* A symbol reaches to the next one. The last one reaches nowhere and gets no samples: GNU
 * gprof reads the address behind its table, which is 0. */
static uint64_t symbol_end(const struct gprof *gprof, size_t at)
{
    return at + 1 < gprof->symbol_count ? gprof->symbols[at + 1].address / 2 : 0;
}

/* Shares out one bin among the symbols from `at` on; returns the symbol where the next
 * bin begins. */
static size_t assign_bin(struct gprof *gprof, size_t at, uint64_t low, uint64_t high,
                         double samples)
{
    for (; at < gprof->symbol_count; at++) {
        struct gprof_symbol *symbol = &gprof->symbols[at];
        uint64_t start = symbol->address / 2, end = symbol_end(gprof, at);

        if (high < start)
            break;
        if (low >= end)
            continue;
        start = low > start ? low : start;
        end = high < end ? high : end;
        if (end > start)
            credit(gprof, symbol, end - start, samples);
    }
    /* the next bin may begin in the symbol that this one ended in */
    return at > 0 ? at - 1 : 0;
}

/* The first symbol that reaches beyond a position. */
static size_t first_beyond(const struct gprof *gprof, uint64_t position)
{
    size_t low = 0;

    SEARCH(low, gprof->symbol_count > 0 ? gprof->symbol_count - 1 : 0,
           symbol_end(gprof, middle) <= position);
    return low;
}

static void assign_histogram(struct gprof *gprof, const struct gprof_histogram *histogram)
{
    uint64_t low = histogram->low / 2;
    size_t at = first_beyond(gprof, low);

    for (uint64_t bin = 0; bin < histogram->bin_count; bin++) {
        double samples = (double)histogram->bins[bin];

        if (histogram->bins[bin] == 0)
            continue;
        gprof->total += samples;
        at = assign_bin(gprof, at, bin_start(gprof, low, bin),
                        bin_start(gprof, low, bin + 1), samples);
    }
}

bool gprof_assign_samples(struct gprof *gprof, struct error *error)
{
    (void)error;
    gprof->total = 0;
    for (size_t i = 0; i < gprof->histogram_count; i++)
        assign_histogram(gprof, &gprof->histograms[i]);
    return true;
}
