/* SPDX-License-Identifier: MIT */
/*
 * gmon.out as GNU's C library writes it: "gmon", a version, then records to the end.
 */
#include "input.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { HEADER_BYTES = 20 };

/* Histograms may differ by this much in the half-words of a bin. */
#define SCALE_TOLERANCE 0.000001

static bool end_of_file(struct gprof_input *input)
{
    return error_set(input->error, EXIT_NO, "%s: unexpected end of file", input->path);
}

static void take_header(struct gprof *gprof, const struct gmon_histogram *header)
{
    gprof->rate = header->rate;
    gprof->scale = input_scale(header);
    memcpy(gprof->dimension, header->dimension, sizeof gprof->dimension);
    gprof->abbreviation = header->abbreviation;
}

/* GNU gprof takes the rate from the first histogram and does not compare the others'. */
static bool check_header(struct gprof_input *input, const struct gmon_histogram *header)
{
    struct gprof *gprof = input->gprof;
    const char *program = gprof->options.program;
    double scale = input_scale(header);

    if (strcmp(gprof->dimension, header->dimension) != 0)
        return error_set(input->error, EXIT_NO,
                         "dimension unit changed between histogram records\n"
                         "%s: from '%s'\n%s: to '%s'",
                         program, gprof->dimension, program, header->dimension);
    if (gprof->abbreviation != header->abbreviation)
        return error_set(input->error, EXIT_NO,
                         "dimension abbreviation changed between histogram records\n"
                         "%s: from '%c'\n%s: to '%c'",
                         program, gprof->abbreviation, program, header->abbreviation);
    if (fabs(scale - gprof->scale) > SCALE_TOLERANCE) {
        gprof->open_error = true;
        return error_set(input->error, EXIT_NO, "different scales in histogram records");
    }
    return true;
}

static bool read_histogram(struct gprof_input *input)
{
    struct gprof *gprof = input->gprof;
    struct gprof_histogram *histogram;
    struct gmon_histogram header;
    size_t left;
    uint32_t bins;

    if (!gmon_histogram(&input->file, &header))
        return end_of_file(input);
    if (gprof->histogram_count == 0)
        take_header(gprof, &header);
    else if (!check_header(input, &header))
        return false;
    histogram = input_histogram(input, header.low, header.high);
    bins = histogram != NULL ? histogram->bin_count : input_bin_count(&header);
    if (histogram == NULL && input_overlaps(input, header.low, header.high))
        return error_set(input->error, EXIT_NO, "overlapping histogram records");
    left = gmon_left(&input->file) / GMON_BIN_BYTES;
    if (left < bins)
        return error_set(input->error, EXIT_NO,
                         "%s: unexpected EOF after reading %zu of %" PRIu32 " samples",
                         input->path, left, bins);
    if (histogram == NULL)
        histogram = input_add_histogram(input, header.low, header.high, bins);
    if (histogram == NULL)
        return false;
    input_bins(input, histogram);
    input->histograms++;
    gprof->has_histogram = true;
    return true;
}

static bool read_arcs(struct gprof_input *input)
{
    struct gmon_arc calls[GPROF_CALLS];
    size_t count = gmon_arcs(&input->file, calls, GPROF_CALLS);

    if (count == 0)
        return end_of_file(input);
    input->arcs += count;
    input->gprof->has_arcs = true;
    return input_calls(input, calls, count);
}

static bool read_blocks(struct gprof_input *input)
{
    struct gmon_file *file = &input->file;
    uint64_t count;

    if (input->version ==
        0) /* such a file has another layout, and its byte order is unknown */
        return error_set(input->error, EXIT_NO,
                         "%s: basic-block counts of version 0 cannot be read",
                         input->path);
    if (!gmon_blocks(file, &count))
        return end_of_file(input);
    if (count > 0 && !input_wants_blocks(input))
        cursor_skip(&file->cursor, count * 2 * file->word_bytes);
    else
        for (uint64_t i = 0; i < count; i++) {
            uint64_t address = gmon_word(file);

            if (!input_block(input, address, gmon_word(file)))
                return false;
        }
    input->blocks++;
    input->gprof->has_blocks = true;
    return true;
}

static bool read_record(struct gprof_input *input)
{
    unsigned tag = (unsigned)cursor_take(&input->file.cursor, 1);

    switch (tag) {
    case GMON_HISTOGRAM:
        return read_histogram(input);
    case GMON_ARC:
        return read_arcs(input);
    case GMON_BLOCKS:
        return read_blocks(input);
    default:
        return error_set(input->error, EXIT_NO, "%s: found bad tag %u (file corrupted?)",
                         input->path, tag);
    }
}

bool input_magic(struct gprof_input *input)
{
    struct gmon_file *file = &input->file;

    if (input->size < HEADER_BYTES)
        return input_bare(input, "file too short to be a gmon file");
    if (!gmon_is_gnu(input->bytes, input->size))
        return error_set(input->error, EXIT_NO, "file `%s' has bad magic cookie",
                         input->path);
    cursor_skip(&file->cursor, 4);
    input->version = gmon_u32(file);
    if (input->version > GMON_VERSION)
        return error_set(input->error, EXIT_NO,
                         "file `%s' has unsupported version %" PRId32, input->path,
                         (int32_t)input->version);
    cursor_skip(&file->cursor, GMON_SPARE_BYTES);
    while (gmon_left(file) > 0)
        if (!read_record(input))
            return false;
    return true;
}
