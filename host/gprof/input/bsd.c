/* SPDX-License-Identifier: MIT */
/*
 * The files of the BSD profilers: a header, one histogram, then arcs of three words to
 * the end. 4.4BSD's header is longer, and is recognised by a number that stands where the
 * older format has its first bins.
 */
#include "input.h"

enum {
    BSD_BYTES_MIN = 20,     /* a file of any format, BSD's or a magic one, has as many */
    BSD_RATE_DEFAULT = 100, /* the rate where the file names none */
};

static bool read_header(struct gprof_input *input, struct gmon_histogram *header)
{
    if (input->size < BSD_BYTES_MIN || !gmon_bsd_header(&input->file, header))
        return input_bare(input, "file too short to be a gmon file");
    if (!input->file.bsd44 && input->gprof->options.format == GPROF_44BSD)
        return error_set(input->error, EXIT_NO, "file `%s' has bad magic cookie",
                         input->path);
    return true;
}

static void take_header(struct gprof *gprof, const struct gmon_histogram *header)
{
    gprof->rate = header->rate;
    gprof->scale = input_scale(header);
}

/* All files of one run have the same histogram: the first file's. */
static bool check_header(struct gprof_input *input, const struct gmon_histogram *header)
{
    struct gprof *gprof = input->gprof;
    const struct gprof_histogram *first = gprof->histograms;

    if (gprof->histogram_count > 0) {
        if (input->file.bsd44 && header->rate != gprof->rate)
            return input_bare(input, "profiling rate incompatible with first gmon file");
        if (first->low != header->low || first->high != header->high ||
            first->bin_count != input_bin_count(header))
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

static bool read_bins(struct gprof_input *input, const struct gmon_histogram *header)
{
    struct gprof_histogram *histogram = input->gprof->histograms;
    size_t left = gmon_left(&input->file) / GMON_BIN_BYTES;
    uint32_t bins = input_bin_count(header);

    if (left < bins)
        /* GNU gprof's count of bins is one too low, and so is this one */
        return error_set(input->error, EXIT_NO,
                         "unexpected EOF after reading %lld/%lld bins",
                         (long long)left - 1, (long long)bins);
    if (input->gprof->histogram_count == 0)
        histogram = input_add_histogram(input, header->low, header->high, bins);
    if (histogram == NULL)
        return false;
    input_bins(input, histogram);
    input->histograms += bins > 0;
    return true;
}

/* An incomplete arc at the end of the file is ignored. */
static bool read_arcs(struct gprof_input *input)
{
    struct gmon_arc calls[GPROF_CALLS];
    size_t count;

    while ((count = gmon_arcs(&input->file, calls, GPROF_CALLS)) > 0) {
        input->arcs += count;
        if (!input_calls(input, calls, count))
            return false;
    }
    return true;
}

bool input_bsd(struct gprof_input *input)
{
    struct gprof *gprof = input->gprof;
    struct gmon_histogram header;

    if (!read_header(input, &header) || !check_header(input, &header) ||
        !read_bins(input, &header) || !read_arcs(input))
        return false;
    gprof->has_histogram = true;
    gprof->has_arcs = true;
    gprof->has_blocks = false; /* GNU gprof forgets at this point that it has blocks */
    return true;
}
