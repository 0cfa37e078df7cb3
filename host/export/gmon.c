/* SPDX-License-Identifier: MIT */
/*
 * GNU gmon.out, for GNU gprof and other readers of its files: header, histograms, arcs
 * and basic blocks in the target's word size and byte order. Bins are as wide as an
 * instruction unless asked otherwise: gprof would divide the samples of a wider bin that
 * contains the start of a function between two functions. Timed calls are arcs. A bin
 * counts to 65535; more samples go into further records of the same range, which gprof
 * adds up.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../base/compare.h"
#include "../base/search.h"
#include "export.h"

enum { BIN_COUNT_MAX = 65535, DIMENSION_BYTES = 16, BIN_BYTES_MAX = 1 << 20 };

enum { RECORDS_MAX = 1000 }; /* for one arc or block; enough for 4 * 10^12 calls */

/* If the gap between two ranges has at most so many bytes, one record has both.
 */
enum { GAP_BYTES = 1024 };

#define RANGE_BYTES_MAX ((uint64_t)64 << 20)
#define FILE_BYTES_MAX  ((uint64_t)1 << 30)

struct bin {
    uint64_t address;
    uint64_t count;
};

struct range {
    uint64_t low, high; /* whole bins */
};

struct gmon_writer {
    FILE *out;
    unsigned word_bytes;
    bool big_endian;
    unsigned bin_bytes;
    uint64_t phase; /* every bin begins at this address, modulo bin_bytes */
    uint32_t hz;
    struct bin *bins; /* with samples, ascending */
    size_t bin_count;
    struct range *ranges; /* ascending, disjoint; all samples are in one */
    size_t range_count;
};

static void put(const struct gmon_writer *writer, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        unsigned shift = 8 * (writer->big_endian ? size - 1 - i : i);

        putc((int)(value >> shift & 0xff), writer->out);
    }
}

static void put_word(const struct gmon_writer *writer, uint64_t value)
{
    put(writer, value, writer->word_bytes);
}

static bool fits(const struct gmon_writer *writer, uint64_t address)
{
    return writer->word_bytes == 8 || address <= UINT32_MAX;
}

static bool choose_bins(struct gmon_writer *writer, const struct profile *profile,
                        const struct image *image, unsigned wanted, struct error *error)
{
    unsigned align = image != NULL ? image_code_align(image) : 1;
    unsigned given = profile->bin_bytes > 1 ? profile->bin_bytes : 0;

    /* gprof computes in half-words, so it would lose every other bin of 1 byte */
    writer->bin_bytes = given > 0 ? given : align < 2 ? 2 : align;
    if (wanted == 0)
        return true;
    if (wanted % 2 != 0 || wanted > BIN_BYTES_MAX)
        return error_set(error, EXIT_USAGE, "--bin-bytes must be even and at most %d",
                         BIN_BYTES_MAX);
    if (given > 0 && wanted % given != 0)
        return error_set(
            error, EXIT_USAGE,
            "--bin-bytes must be a multiple of %u: the samples come in bins of "
            "that width",
            given);
    writer->bin_bytes = wanted;
    return true;
}

static bool choose_rate(struct gmon_writer *writer, const struct profile *profile,
                        const struct export_options *options, struct error *error)
{
    char text[128];

    writer->hz = (uint32_t)fmin(rint(profile->hz), UINT32_MAX);
    if (profile->received[EVENT_SAMPLE] == 0 && writer->hz == 0)
        writer->hz = 1; /* without samples no rate is wrong, but gprof divides by it */
    if (writer->hz == 0)
        return error_set(error, EXIT_USAGE,
                         "gmon needs the sampling rate, at least 1 Hz: "
                         "give it with --hz");
    if (profile->hz != 0 && writer->hz != profile->hz && options->warn != NULL) {
        snprintf(text, sizeof text,
                 "gmon holds whole rates only: %g Hz is written as %" PRIu32, profile->hz,
                 writer->hz);
        options->warn(text);
    }
    return true;
}

static int by_address(const void *left, const void *right)
{
    const struct bin *a = left, *b = right;

    return (a->address > b->address) - (a->address < b->address);
}

static uint64_t bin_start(const struct gmon_writer *writer, uint64_t address)
{
    uint64_t beyond = (address % writer->bin_bytes + writer->bin_bytes - writer->phase) %
                      writer->bin_bytes;

    return address >= beyond ? address - beyond : 0;
}

/* Adds up the samples of each bin. */
static bool collect_bins(struct gmon_writer *writer, const struct profile *profile)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    size_t used = 0;

    writer->bins = calloc(samples->used + 1, sizeof *writer->bins);
    if (writer->bins == NULL)
        return false;
    /* the input's bins, from a gmon.out, begin where its histogram began */
    if (profile->bin_bytes > 1 && samples->used > 0)
        writer->phase = counter_at(samples, 0).to % profile->bin_bytes;
    for (size_t i = 0; i < samples->used; i++)
        writer->bins[i] = (struct bin){bin_start(writer, counter_at(samples, i).to),
                                       counter_at(samples, i).count};
    qsort(writer->bins, samples->used, sizeof *writer->bins, by_address);
    for (size_t i = 0; i < samples->used; i++) {
        if (used > 0 && writer->bins[used - 1].address == writer->bins[i].address)
            writer->bins[used - 1].count += writer->bins[i].count;
        else
            writer->bins[used++] = writer->bins[i];
    }
    writer->bin_count = used;
    return true;
}

/* The range that one record should cover around a sample: that of the code it is in or,
 * for a sample outside of code (or in a range too large for firmware), its own bin. */
static struct range range_around(const struct gmon_writer *writer,
                                 const struct image *image, uint64_t address)
{
    const struct image_range *code;
    size_t low = 0, count = image != NULL ? image_code(image, &code) : 0, high = count;

    SEARCH(low, high, code[middle].high <= address);
    if (low == count || address + writer->bin_bytes <= code[low].low ||
        code[low].high - code[low].low > RANGE_BYTES_MAX)
        return (struct range){address, address + writer->bin_bytes};
    return (struct range){bin_start(writer, code[low].low),
                          bin_start(writer, code[low].high - 1) + writer->bin_bytes};
}

static void add_range(struct gmon_writer *writer, struct range range)
{
    struct range *last =
        writer->range_count > 0 ? &writer->ranges[writer->range_count - 1] : NULL;

    if (last != NULL && range.low < last->high + GAP_BYTES &&
        range.high - last->low <= RANGE_BYTES_MAX)
        last->high = range.high;
    else if (last != NULL && range.low < last->high)
        writer->ranges[writer->range_count++] = (struct range){last->high, range.high};
    else
        writer->ranges[writer->range_count++] = range;
}

static bool collect_ranges(struct gmon_writer *writer, const struct image *image,
                           struct error *error)
{
    const struct image_range *code;

    writer->ranges = calloc(writer->bin_count + 1, sizeof *writer->ranges);
    if (writer->ranges == NULL)
        return error_no_memory(error);
    for (size_t i = 0; i < writer->bin_count; i++) {
        uint64_t address = writer->bins[i].address;

        if (!fits(writer, address + writer->bin_bytes) ||
            address > UINT64_MAX - 2 * writer->bin_bytes)
            return error_set(error, EXIT_BAD_INPUT,
                             "a sample at 0x%" PRIx64
                             " is beyond a gmon.out of %u-byte words",
                             address, writer->word_bytes);
        if (writer->range_count == 0 ||
            address >= writer->ranges[writer->range_count - 1].high)
            add_range(writer, range_around(writer, image, address));
    }
    /* without an empty histogram gprof prints nan where no time was sampled */
    if (writer->bin_count == 0 && image == NULL)
        add_range(writer, (struct range){0, writer->bin_bytes});
    else if (writer->bin_count == 0 && image_code(image, &code) > 0)
        add_range(writer, (struct range){code[0].low, code[0].low + writer->bin_bytes});
    return true;
}

/* How many records a range needs for its highest count. `first` is the range's first bin
 * with samples; *end becomes the first bin behind the range. */
static uint64_t range_layers(const struct gmon_writer *writer, const struct range *range,
                             size_t first, size_t *end)
{
    uint64_t highest = 1;

    for (*end = first;
         *end < writer->bin_count && writer->bins[*end].address < range->high; ++*end) {
        if (writer->bins[*end].count > highest)
            highest = writer->bins[*end].count;
    }
    return (highest - 1) / BIN_COUNT_MAX + 1;
}

static bool check_size(const struct gmon_writer *writer, struct error *error)
{
    uint64_t left = FILE_BYTES_MAX;
    size_t first = 0;

    for (size_t i = 0; i < writer->range_count; i++) {
        const struct range *range = &writer->ranges[i];
        uint64_t layers = range_layers(writer, range, first, &first);
        uint64_t size = 2 * ((range->high - range->low) / writer->bin_bytes) + 64;

        if (layers > left / size)
            return error_set(
                error, EXIT_BAD_INPUT,
                "these samples need a gmon.out of more than 1 GiB, since its "
                "bins count to %d only",
                BIN_COUNT_MAX);
        left -= layers * size;
    }
    return true;
}

static void put_layer(const struct gmon_writer *writer, const struct range *range,
                      size_t first, uint64_t layer)
{
    uint64_t bins = (range->high - range->low) / writer->bin_bytes;
    uint64_t below = layer * BIN_COUNT_MAX;
    size_t next = first;

    putc(0, writer->out);
    put_word(writer, range->low);
    put_word(writer, range->high);
    put(writer, bins, 4);
    put(writer, writer->hz, 4);
    fwrite("seconds\0\0\0\0\0\0\0\0s", 1, DIMENSION_BYTES, writer->out);
    for (uint64_t i = 0; i < bins; i++) {
        uint64_t address = range->low + i * writer->bin_bytes, count = 0;

        if (next < writer->bin_count && writer->bins[next].address == address)
            count = writer->bins[next++].count;
        count = count > below ? count - below : 0;
        put(writer, count < BIN_COUNT_MAX ? count : BIN_COUNT_MAX, 2);
    }
}

static void put_histograms(const struct gmon_writer *writer)
{
    size_t first = 0;

    for (size_t i = 0; i < writer->range_count && !ferror(writer->out); i++) {
        const struct range *range = &writer->ranges[i];
        size_t end;
        uint64_t layers = range_layers(writer, range, first, &end);

        for (uint64_t layer = 0; layer < layers; layer++)
            put_layer(writer, range, first, layer);
        first = end;
    }
}

/*
 * The address by which gprof looks up the call site; without an image it is the return
 * address. If a call never returns, its return address may be the first byte of the next
 * function, and gprof would take that function for the caller.
 */
static uint64_t call_site(const struct image *image, uint64_t from)
{
    const struct image_symbol *at, *before;

    if (image == NULL || from == 0)
        return from;
    at = image_symbol_at(image, from);
    before = image_symbol_at(image, from - 1);
    return before != NULL && before != at ? from - image_code_align(image) : from;
}

/* Writes one arc; calls beyond 32 bits go into further records. */
static void put_arc(const struct gmon_writer *writer, const struct image *image,
                    const struct counter *arc)
{
    for (uint64_t left = arc->count; left > 0 && !ferror(writer->out);) {
        uint64_t count = left < UINT32_MAX ? left : UINT32_MAX;

        putc(1, writer->out);
        put_word(writer, call_site(image, arc->from));
        put_word(writer, arc->to);
        put(writer, count, 4);
        left -= count;
    }
}

static int by_call_site(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    ORDER_BY(a->from, b->from);
    return (a->to > b->to) - (a->to < b->to);
}

/* Sorts by call site, then by address. The caller frees the result, which has room for
 * so many `more`; NULL: out of memory. */
static struct counter *sort(const struct counters *counters, size_t more)
{
    struct counter *sorted = calloc(counters->used + more + 1, sizeof *sorted);

    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i < counters->used; i++)
        sorted[i] = counter_at(counters, i);
    qsort(sorted, counters->used, sizeof *sorted, by_call_site);
    return sorted;
}

/* A timed call as an arc. Readers look up the caller by address: where that would be
 * another one, for inlined functions are no symbols there, it is an address in the
 * caller, or nobody's. */
static struct counter timed_arc(const struct analysis *analysis,
                                const struct image *image, const struct call_site *site)
{
    const struct image_symbol *caller =
        site->caller == NO_FUNCTION ? NULL : analysis->functions[site->caller].symbol;
    struct counter arc = {.from = site->from, .to = site->to, .count = site->count};

    if (caller != NULL && image_symbol_at(image, site->from - 1) != caller)
        arc.from = caller->address + image_code_align(image);
    else if (caller == NULL && site->inlined)
        arc.from = 0;
    return arc;
}

/* Writes arcs by call site, the order of a target's own mcount tables: gprof lists arcs
 * of equal time and count in the order of the file. */
static bool put_arcs(const struct gmon_writer *writer, const struct profile *profile,
                     const struct analysis *analysis, const struct image *image,
                     struct error *error)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *calls = &profile->counters[EVENT_CALL];
    size_t used = arcs->used;
    struct counter *sorted = sort(arcs, calls->used);
    bool done = true;

    if (sorted == NULL)
        return error_no_memory(error);
    for (size_t i = 0; analysis != NULL && i < analysis->site_count; i++)
        sorted[used++] = timed_arc(analysis, image, &analysis->sites[i]);
    for (size_t i = 0; analysis == NULL && i < calls->used; i++)
        sorted[used++] = counter_at(calls, i);
    qsort(sorted, used, sizeof *sorted, by_call_site);
    for (size_t i = 0; done && i < used; i++) {
        const struct counter *arc = &sorted[i];

        if (arc->from == 0 && arc->to == 0) /* such a counter holds the time of a task */
            continue;
        if (!fits(writer, arc->from) || !fits(writer, arc->to) ||
            arc->count / UINT32_MAX > RECORDS_MAX)
            done = error_set(error, EXIT_BAD_INPUT,
                             "the arc from 0x%" PRIx64 " to 0x%" PRIx64 ", %" PRIu64
                             " calls, is beyond a gmon.out of %u-byte words",
                             arc->from, arc->to, arc->count, writer->word_bytes);
        else
            put_arc(writer, image, arc);
    }
    free(sorted);
    return done;
}

/* Writes one block; counts beyond its word go into further records. */
static void put_block(const struct gmon_writer *writer, const struct counter *block)
{
    uint64_t most = writer->word_bytes == 8 ? UINT64_MAX : UINT32_MAX;

    for (uint64_t left = block->count; left > 0 && !ferror(writer->out);) {
        uint64_t count = left < most ? left : most;

        putc(2, writer->out);
        put(writer, 1, 4);
        put_word(writer, block->to);
        put_word(writer, count);
        left -= count;
    }
}

/* Writes blocks by address: gprof keeps and prints the first ten of a line in the order
 * of the file. */
static bool put_blocks(const struct gmon_writer *writer, const struct profile *profile,
                       const struct export_options *options, struct error *error)
{
    const struct counters *blocks = &profile->counters[EVENT_BLOCK];
    struct counter *sorted;
    bool done = true;

    if (blocks->used == 0)
        return true;
    if (writer->big_endian) { /* GNU gprof 2.40 swaps the number of blocks twice and
                               * gives up */
        if (options->warn != NULL)
            options->warn("basic blocks left out: GNU gprof cannot read big-endian ones");
        return true;
    }
    sorted = sort(blocks, 0);
    if (sorted == NULL)
        return error_no_memory(error);
    for (size_t i = 0; done && i < blocks->used; i++) {
        const struct counter *block = &sorted[i];

        if (!fits(writer, block->to) || block->count / UINT32_MAX > RECORDS_MAX)
            done = error_set(error, EXIT_BAD_INPUT,
                             "the block at 0x%" PRIx64 ", %" PRIu64
                             " times, is beyond a gmon.out of %u-byte words",
                             block->to, block->count, writer->word_bytes);
        else
            put_block(writer, block);
    }
    free(sorted);
    return done;
}

static bool write_gmon(struct gmon_writer *writer, const struct profile *profile,
                       const struct analysis *analysis, const struct image *image,
                       const struct export_options *options, struct error *error)
{
    if (!choose_bins(writer, profile, image, options->bin_bytes, error) ||
        !choose_rate(writer, profile, options, error))
        return false;
    if (!collect_bins(writer, profile))
        return error_no_memory(error);
    if (!collect_ranges(writer, image, error) || !check_size(writer, error))
        return false;
    fwrite("gmon", 1, 4, writer->out);
    put(writer, 1, 4);
    for (int i = 0; i < 12; i++)
        putc(0, writer->out);
    put_histograms(writer);
    return put_blocks(writer, profile, options, error) &&
           put_arcs(writer, profile, analysis, image, error);
}

bool export_gmon(FILE *out, const struct profile *profile,
                 const struct analysis *analysis, struct image *image,
                 const struct export_options *options, struct error *error)
{
    struct gmon_writer writer = {
        .out = out,
        .word_bytes = image != NULL ? image_word_bytes(image) : profile->word_bytes,
        .big_endian = image != NULL ? image_big_endian(image) : profile->big_endian,
    };
    bool done = write_gmon(&writer, profile, analysis, image, options, error);

    if (done && profile->task_count > 0 && !profile->one_task && options->warn != NULL)
        options->warn("gmon has no place for tasks and interrupts: they are added up; "
                      "export --task NAME writes one alone");
    free(writer.bins);
    free(writer.ranges);
    return done;
}
