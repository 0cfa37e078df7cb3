/* SPDX-License-Identifier: MIT */
/*
 * Files that GNU gprof cannot read, mcuprof's own captures and those of other tools, are
 * read by the decoders. Calls and blocks count as those of a gmon.out. Captures of the
 * same firmware were sampled at different addresses, so samples are kept until the last
 * file is read. Then they become histograms together, one for each stretch of code that
 * was sampled, with bins of a half-word, the smallest unit that gprof knows.
 */
#include "input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../decode/decode.h"

enum {
    RECOGNISE_BYTES = 64 * 1024,
    BIN_WIDTH = 2,
    /* a histogram of its own costs as much as so many bins without samples */
    GAP_BYTES = 128,
};

/* The file's format, unless it is a gmon.out: then NULL. A log of addresses is mere
 * hexadecimal text, so its decoder is never surer than this limit. */
static const struct decode_format *recognise(const struct gprof_input *input)
{
    size_t size = input->size < RECOGNISE_BYTES ? input->size : RECOGNISE_BYTES;
    int sure;
    const struct decode_format *format = decode_recognise(input->bytes, size, &sure);

    return format != &decode_gmon && (sure == 2 || format == &decode_pclog) ? format
                                                                            : NULL;
}

bool input_is_capture(const struct gprof_input *input)
{
    return !gmon_is_gnu(input->bytes, input->size) && recognise(input) != NULL;
}

static bool decode(struct gprof_input *input, struct profile *profile)
{
    const struct decode_format *format = recognise(input);
    struct decode_options options = {.format = format != NULL ? format->name : NULL};
    struct decoder decoder;
    bool done;

    if (!decoder_init(&decoder, &options, profile, input->path, input->bytes, input->size,
                      input->error))
        return false;
    done = decoder_bytes(&decoder, input->bytes, input->size, input->error) &&
           decoder_finish(&decoder, input->error);
    decoder_release(&decoder);
    return done;
}

static bool take_calls(struct gprof_input *input, const struct profile *profile)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    const struct counters *blocks = &profile->counters[EVENT_BLOCK];

    for (size_t i = 0; i < arcs->used; i++) {
        const struct counter arc = counter_at(arcs, i);
        struct gmon_arc call = {arc.from, arc.to, arc.count};

        if (!input_calls(input, &call, 1))
            return false;
    }
    bool wants_blocks = blocks->used > 0 && input_wants_blocks(input);
    for (size_t i = 0; wants_blocks && i < blocks->used; i++) {
        const struct counter block = counter_at(blocks, i);

        if (!input_block(input, block.to, block.count))
            return false;
    }
    input->arcs += arcs->used;
    input->blocks += blocks->used;
    input->gprof->has_arcs = input->gprof->has_arcs || arcs->used > 0;
    input->gprof->has_blocks = input->gprof->has_blocks || blocks->used > 0;
    return true;
}

static bool take_samples(struct gprof_input *input, const struct profile *profile)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];

    if (samples->used == 0)
        return true;
    if (input->has_samples && fabs(input->samples_hz - profile->hz) > 1e-9 * profile->hz)
        return error_set(input->error, EXIT_NO,
                         "%s: sampled at %g Hz, the capture before it at %g Hz "
                         "(0: unknown): their samples do not add up",
                         input->path, profile->hz, input->samples_hz);
    input->has_samples = true;
    input->samples_hz = profile->hz;
    for (size_t i = 0; i < samples->used; i++) {
        const struct counter sample = counter_at(samples, i);

        input_trace_samples(input->gprof, (double)sample.to, sample.count);
        if (!profile_count(&input->samples, EVENT_SAMPLE, 0, sample.to, sample.count))
            return input_no_memory(input);
    }
    input->histograms++;
    return true;
}

static void warn_losses(const struct gprof_input *input, const struct profile *profile)
{
    uint64_t lost = 0;

    for (int kind = 0; profile->accounted && kind < EVENT_KINDS; kind++)
        lost += profile->lost[kind];
    if (profile->damaged > 0)
        gprof_warn(input->gprof, "warning: %s: %" PRIu64 " damaged records left out",
                   input->path, profile->damaged);
    if (lost > 0)
        gprof_warn(input->gprof, "warning: %s: %" PRIu64 " events were lost", input->path,
                   lost);
}

bool input_capture(struct gprof_input *input)
{
    struct profile profile;
    bool done;

    profile_init(&profile);
    done = decode(input, &profile) && take_calls(input, &profile) &&
           take_samples(input, &profile);
    if (done)
        warn_losses(input, &profile);
    else
        input->error->status = EXIT_NO;
    profile_release(&profile);
    return done;
}

static int by_address(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    return (a->to > b->to) - (a->to < b->to);
}

/* Without a rate, the unit of time is a sample. */
static void take_rate(struct gprof_input *input)
{
    struct gprof *gprof = input->gprof;
    double hz = fmin(fmax(rint(input->samples_hz), 1), UINT32_MAX);

    gprof->rate = (uint32_t)hz;
    gprof->scale = BIN_WIDTH / 2;
    if (input->samples_hz == 0) {
        snprintf(gprof->dimension, sizeof gprof->dimension, "samples");
        gprof->abbreviation = '#';
    } else if (hz != input->samples_hz) {
        gprof_warn(gprof, "warning: gprof reckons in whole rates: %g Hz is taken as %g",
                   input->samples_hz, hz);
    }
}

static uint64_t bin_of(const struct counter *sample)
{
    return sample->to / BIN_WIDTH * BIN_WIDTH;
}

/* Makes one histogram of samples that lie close together; `samples` is in order of
 * address. */
static bool add_stretch(struct gprof_input *input, const struct counter *samples,
                        size_t count)
{
    uint64_t low = bin_of(&samples[0]);
    uint64_t bins = (bin_of(&samples[count - 1]) - low) / BIN_WIDTH + 1;
    struct gprof_histogram *histogram;

    if (bins > UINT32_MAX)
        return input_no_memory(input);
    histogram = input_add_histogram(input, low, low + bins * BIN_WIDTH, (uint32_t)bins);
    if (histogram == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        int64_t *bin = &histogram->bins[(bin_of(&samples[i]) - low) / BIN_WIDTH];
        uint64_t room = (uint64_t)(INT64_MAX - *bin);

        *bin += (int64_t)(samples[i].count < room ? samples[i].count : room);
    }
    return true;
}

bool input_finish_captures(struct gprof_input *input)
{
    const struct counters *counters = &input->samples.counters[EVENT_SAMPLE];
    struct counter *samples;
    bool done = true;

    if (!input->has_samples)
        return true;
    if (input->gprof->histogram_count > 0)
        return error_set(input->error, EXIT_NO,
                         "the samples of captures and the histograms of gmon.out files "
                         "do not add up");
    take_rate(input);
    samples = counters_sorted(counters, by_address);
    if (samples == NULL)
        return input_no_memory(input);
    for (size_t i = 1, first = 0; done && i <= counters->used; i++) {
        if (i < counters->used && samples[i].to - samples[i - 1].to <= GAP_BYTES)
            continue;
        done = add_stretch(input, &samples[first], i - first);
        first = i;
    }
    free(samples);
    input->gprof->has_histogram = true;
    return done;
}
