/* SPDX-License-Identifier: MIT */
/*
 * The files of the BSD profilers: a header, one histogram, then arcs of three words to
 * the end. 4.4BSD's header is longer, and shows itself by a number where the other has
 * its first bins.
 */
#include "input.h"

#define BSD44_VERSION 0x51879u

enum {
    BSD_BYTES_MIN = 20,     /* of any file, as of a magic one */
    BSD44_SPARE_BYTES = 12, /* at the end of 4.4BSD's header */
    BSD_RATE_DEFAULT = 100, /* of a file that does not say */
};

struct header {
    uint64_t low, high;
    uint32_t bins;
    bool bsd44;
    uint32_t rate; /* of 4.4BSD; else 0 */
};

static bool read_header(struct gprof_input *input, struct header *header)
{
    size_t length = 2 * input->gprof->word_bytes + 4;
    uint32_t bytes;

    if (input->size < BSD_BYTES_MIN || input->size < length + 4)
        return input_bare(input, "file too short to be a gmon file");
    header->low = input_word(input);
    header->high = input_word(input);
    bytes = input_u32(input);
    header->bsd44 = input_u32(input) == BSD44_VERSION;
    header->rate = 0;
    if (header->bsd44) {
        if (input_left(input) < 4)
            return input_bare(input, "file too short to be a gmon file");
        header->rate = input_u32(input);
        length += 4 + 4 + BSD44_SPARE_BYTES;
    } else if (input->gprof->options.format == GPROF_44BSD) {
        return error_set(input->error, EXIT_NO, "file `%s' has bad magic cookie",
                         input->path);
    }
    input->at = length < input->size ? length : input->size;
    header->bins = (bytes - (uint32_t)length) / GPROF_BIN_BYTES;
    return true;
}

static void take_header(struct gprof *gprof, const struct header *header)
{
    gprof->rate = header->rate;
    gprof->scale = input_scale(header->low, header->high, header->bins);
}

/* The files of one run have one histogram; the first of them says which. */
static bool check_header(struct gprof_input *input, const struct header *header)
{
    struct gprof *gprof = input->gprof;
    const struct gprof_histogram *first = gprof->histograms;

    if (gprof->histogram_count > 0) {
        if (header->bsd44 && header->rate != gprof->rate)
            return input_bare(input, "profiling rate incompatible with first gmon file");
        if (first->low != header->low || first->high != header->high ||
            first->bin_count != header->bins)
            return input_bare(input, "incompatible with first gmon file");
    } else {
        take_header(gprof, header);
    }
    if (gprof->rate == 0)
        gprof->rate = BSD_RATE_DEFAULT;
    if (header->low > header->high)
        return error_set(input->error, EXIT_NO,
                         "file '%s' does not appear to be in gmon.out format",
                         input->path);
    return true;
}

static bool read_bins(struct gprof_input *input, const struct header *header)
{
    struct gprof_histogram *histogram = input->gprof->histograms;
    size_t left = input_left(input) / GPROF_BIN_BYTES;

    if (left < header->bins)
        /* the count of bins is GNU gprof's: it stops one short */
        return error_set(input->error, EXIT_NO,
                         "unexpected EOF after reading %lld/%lld bins",
                         (long long)left - 1, (long long)header->bins);
    if (input->gprof->histogram_count == 0)
        histogram = input_add_histogram(input, header->low, header->high, header->bins);
    if (histogram == NULL)
        return false;
    input_bins(input, histogram);
    input->histograms += header->bins > 0;
    return true;
}

/* Part of an arc at the end of the file is none. */
static bool read_arcs(struct gprof_input *input)
{
    size_t left = input_left(input) / (3 * input->gprof->word_bytes);
    struct gprof_call calls[GPROF_CALLS];

    input->arcs += left;
    while (left > 0) {
        size_t count = left < GPROF_CALLS ? left : GPROF_CALLS;

        for (size_t i = 0; i < count; i++) {
            calls[i].from = input_word(input);
            calls[i].to = input_word(input);
            calls[i].count = input_word(input);
        }
        if (!input_calls(input, calls, count))
            return false;
        left -= count;
    }
    return true;
}

bool input_bsd(struct gprof_input *input)
{
    struct gprof *gprof = input->gprof;
    struct header header = {0};

    if (!read_header(input, &header) || !check_header(input, &header) ||
        !read_bins(input, &header) || !read_arcs(input))
        return false;
    gprof->has_histogram = true;
    gprof->has_arcs = true;
    gprof->has_blocks = false; /* GNU gprof forgets them here */
    return true;
}
