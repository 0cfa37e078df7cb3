/* SPDX-License-Identifier: MIT */
/*
 * gmon.out as GNU's C library writes it: "gmon", a version, then records to the end.
 */
#include "input.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    HISTOGRAM_RECORD = 0,
    ARC_RECORD = 1,
    BLOCK_RECORD = 2,
    GMON_VERSION = 1,
    HEADER_BYTES = 20,
    DIMENSION_BYTES = 15,
};

/* By how much the half-words of a bin may differ between histograms. */
#define SCALE_TOLERANCE 0.000001

struct header {
    uint64_t low, high;
    uint32_t bins;
    uint32_t rate;
    char dimension[DIMENSION_BYTES + 1];
    char abbreviation;
};

static bool end_of_file(struct gprof_input *input)
{
    return error_set(input->error, EXIT_NO, "%s: unexpected end of file", input->path);
}

static bool read_header(struct gprof_input *input, struct header *header)
{
    if (input_left(input) < 2 * input->gprof->word_bytes + 4 + 4 + DIMENSION_BYTES + 1)
        return end_of_file(input);
    header->low = input_word(input);
    header->high = input_word(input);
    header->bins = input_u32(input);
    header->rate = input_u32(input);
    for (int i = 0; i < DIMENSION_BYTES; i++)
        header->dimension[i] = (char)input_byte(input);
    header->dimension[DIMENSION_BYTES] = '\0';
    header->abbreviation = (char)input_byte(input);
    return true;
}

static void take_header(struct gprof *gprof, const struct header *header)
{
    gprof->rate = header->rate;
    gprof->scale = input_scale(header->low, header->high, header->bins);
    memcpy(gprof->dimension, header->dimension, sizeof gprof->dimension);
    gprof->abbreviation = header->abbreviation;
}

/* The rate is the first histogram's: GNU gprof does not look at the others'. */
static bool check_header(struct gprof_input *input, const struct header *header)
{
    struct gprof *gprof = input->gprof;
    const char *program = gprof->options.program;
    double scale = input_scale(header->low, header->high, header->bins);

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
    struct header header;
    size_t left;

    if (!read_header(input, &header))
        return false;
    if (gprof->histogram_count == 0)
        take_header(gprof, &header);
    else if (!check_header(input, &header))
        return false;
    histogram = input_histogram(input, header.low, header.high);
    if (histogram != NULL)
        header.bins = histogram->bin_count;
    else if (input_overlaps(input, header.low, header.high))
        return error_set(input->error, EXIT_NO, "overlapping histogram records");
    left = input_left(input) / GPROF_BIN_BYTES;
    if (left < header.bins)
        return error_set(input->error, EXIT_NO,
                         "%s: unexpected EOF after reading %zu of %" PRIu32 " samples",
                         input->path, left, header.bins);
    if (histogram == NULL)
        histogram = input_add_histogram(input, header.low, header.high, header.bins);
    if (histogram == NULL)
        return false;
    input_bins(input, histogram);
    input->histograms++;
    gprof->has_histogram = true;
    return true;
}

/* This arc, and those that follow it without another record between. */
static bool read_arcs(struct gprof_input *input)
{
    size_t bytes = 2 * input->gprof->word_bytes + 4;
    struct gprof_call calls[GPROF_CALLS];
    size_t count = 0;

    if (input_left(input) < bytes)
        return end_of_file(input);
    do {
        calls[count].from = input_word(input);
        calls[count].to = input_word(input);
        calls[count++].count = input_u32(input);
        if (count == GPROF_CALLS || input_left(input) < 1 + bytes ||
            input->bytes[input->at] != ARC_RECORD)
            break;
        input->at++;
    } while (true);
    input->arcs += count;
    input->gprof->has_arcs = true;
    return input_calls(input, calls, count);
}

static bool read_blocks(struct gprof_input *input)
{
    size_t bytes = 2 * (size_t)input->gprof->word_bytes;
    uint32_t count;

    if (input->version == 0) /* of another layout, in no settled byte order */
        return error_set(input->error, EXIT_NO,
                         "%s: basic-block counts of version 0 cannot be read",
                         input->path);
    if (input_left(input) < 4)
        return end_of_file(input);
    count = input_u32(input);
    if (input_left(input) / bytes < count)
        return end_of_file(input);
    if (count > 0 && !input_wants_blocks(input))
        input->at += count * bytes;
    else
        for (uint32_t i = 0; i < count; i++) {
            uint64_t address = input_word(input);

            if (!input_block(input, address, input_word(input)))
                return false;
        }
    input->blocks++;
    input->gprof->has_blocks = true;
    return true;
}

static bool read_record(struct gprof_input *input)
{
    unsigned tag = input_byte(input);

    switch (tag) {
    case HISTOGRAM_RECORD:
        return read_histogram(input);
    case ARC_RECORD:
        return read_arcs(input);
    case BLOCK_RECORD:
        return read_blocks(input);
    default:
        return error_set(input->error, EXIT_NO, "%s: found bad tag %u (file corrupted?)",
                         input->path, tag);
    }
}

bool input_magic(struct gprof_input *input)
{
    if (input->size < HEADER_BYTES)
        return input_bare(input, "file too short to be a gmon file");
    if (memcmp(input->bytes, "gmon", 4) != 0)
        return error_set(input->error, EXIT_NO, "file `%s' has bad magic cookie",
                         input->path);
    input->at = 4;
    input->version = input_u32(input);
    if (input->version > GMON_VERSION)
        return error_set(input->error, EXIT_NO,
                         "file `%s' has unsupported version %" PRId32, input->path,
                         (int32_t)input->version);
    input->at = HEADER_BYTES;
    while (input_left(input) > 0)
        if (!read_record(input))
            return false;
    return true;
}
