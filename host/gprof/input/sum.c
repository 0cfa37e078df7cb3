/* SPDX-License-Identifier: MIT */
/*
 * gmon.sum: all that was read, as one profile. A number that is too large for its field
 * is cut to the field's low bits, as GNU gprof does: bins to 16 bits, the calls of a
 * magic file to 32.
 */
#include "../gprof.h"

#include <errno.h>
#include <string.h>

#include "../../decode/gmon_file.h"

#define SUM_PATH "gmon.sum"

enum { BSD_RATE = 100 }; /* the older header has no rate; readers assume this one */

struct sum_writer {
    const struct gprof *gprof;
    FILE *out;
};

static void put(const struct sum_writer *writer, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        unsigned shift = 8 * (writer->gprof->big_endian ? size - 1 - i : i);

        putc((int)(value >> shift & 0xff), writer->out);
    }
}

static void put_word(const struct sum_writer *writer, uint64_t value)
{
    put(writer, value, writer->gprof->word_bytes);
}

static void put_spare(const struct sum_writer *writer)
{
    for (int i = 0; i < GMON_SPARE_BYTES; i++)
        put(writer, 0, 1);
}

static void put_bins(const struct sum_writer *writer,
                     const struct gprof_histogram *histogram)
{
    for (uint32_t i = 0; i < histogram->bin_count; i++)
        put(writer, (uint64_t)histogram->bins[i], GMON_BIN_BYTES);
}

static void put_histogram(const struct sum_writer *writer,
                          const struct gprof_histogram *histogram)
{
    const struct gprof *gprof = writer->gprof;

    put(writer, GMON_HISTOGRAM, 1);
    put_word(writer, histogram->low);
    put_word(writer, histogram->high);
    put(writer, histogram->bin_count, 4);
    put(writer, gprof->rate, 4);
    fwrite(gprof->dimension, 1, GMON_DIMENSION_BYTES, writer->out);
    put(writer, (unsigned char)gprof->abbreviation, 1);
    put_bins(writer, histogram);
}

/* The callers by address, and for each its arcs from the newest to the oldest. */
static void put_arcs(const struct sum_writer *writer, bool bsd)
{
    const struct gprof_arc *arcs = writer->gprof->arcs;

    for (size_t i = 0; i < writer->gprof->symbol_count; i++) {
        const struct gprof_symbol *symbol = &writer->gprof->symbols[i];

        for (uint32_t at = symbol->children; at != 0; at = arcs[at].next_child) {
            const struct gprof_arc *arc = &arcs[at];

            if (!bsd)
                put(writer, GMON_ARC, 1);
            put_word(writer, arc->parent->address);
            put_word(writer, arc->child->address);
            put(writer, arc->count, bsd ? writer->gprof->word_bytes : 4);
        }
    }
}

static void put_blocks(const struct sum_writer *writer)
{
    const struct gprof *gprof = writer->gprof;
    uint64_t count = 0;

    for (size_t i = 0; i < gprof->symbol_count; i++)
        if (gprof->symbols[i].blocks != NULL)
            count += gprof->symbols[i].blocks->count;
    put(writer, GMON_BLOCKS, 1);
    put(writer, count, 4);
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        const struct gprof_blocks *blocks = gprof->symbols[i].blocks;

        for (size_t at = 0; blocks != NULL && at < blocks->count; at++) {
            put_word(writer, blocks->addresses[at]);
            put_word(writer, blocks->executions[at]);
        }
    }
}

static void write_magic(const struct sum_writer *writer)
{
    const struct gprof *gprof = writer->gprof;

    fwrite("gmon", 1, 4, writer->out);
    put(writer, GMON_VERSION, 4);
    put_spare(writer);
    for (size_t i = 0; i < gprof->histogram_count; i++)
        put_histogram(writer, &gprof->histograms[i]);
    put_arcs(writer, false);
    if (gprof->has_blocks)
        put_blocks(writer);
}

/* A BSD file has one histogram; reading such files refused a second one. */
static void write_bsd(const struct sum_writer *writer)
{
    const struct gprof *gprof = writer->gprof;
    struct gprof_histogram none = {0, 0, 0, NULL};
    const struct gprof_histogram *histogram =
        gprof->histogram_count > 0 ? gprof->histograms : &none;
    bool bsd44 = gprof->options.format == GPROF_44BSD || gprof->rate != BSD_RATE;
    uint64_t header = 2 * gprof->word_bytes + 4 + (bsd44 ? 4 + 4 + GMON_SPARE_BYTES : 0);

    put_word(writer, histogram->low);
    put_word(writer, histogram->high);
    put(writer, header + (uint64_t)GMON_BIN_BYTES * histogram->bin_count, 4);
    if (bsd44) {
        put(writer, GMON_BSD44_VERSION, 4);
        put(writer, gprof->rate, 4);
        put_spare(writer);
    }
    put_bins(writer, histogram);
    put_arcs(writer, true);
}

static bool fail(struct gprof *gprof, struct error *error)
{
    gprof->bare_error = true;
    return error_set(error, EXIT_NO, SUM_PATH ": %s", strerror(errno));
}

bool gprof_write_sum(struct gprof *gprof, struct error *error)
{
    struct sum_writer writer = {gprof, fopen(SUM_PATH, "wb")};
    bool failed;

    if (writer.out == NULL)
        return fail(gprof, error);
    if (gprof->options.format == GPROF_BSD || gprof->options.format == GPROF_44BSD)
        write_bsd(&writer);
    else
        write_magic(&writer);
    failed = ferror(writer.out) != 0;
    if (fclose(writer.out) != 0 || failed)
        return fail(gprof, error);
    return true;
}
