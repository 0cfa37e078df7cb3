/* SPDX-License-Identifier: MIT */
#include "decode.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are read at a time; recognition sees the first of these pieces. */
enum { CHUNK_BYTES = 64 * 1024 };

/* Formats that must understand their whole input come before those that skip damage: a
 * log of addresses may look like packets in hex text, some of whose digits are lost. */
static const struct decode_format *const formats[] = {
    &decode_gmon,  &decode_pa,      &decode_pa_hex,
    &decode_pclog, &decode_mcuprof, &decode_pa_hex_damaged,
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool check_options(const struct decode_options *options, struct error *error)
{
    if (!isfinite(options->hz) || options->hz < 0)
        return error_set(error, EXIT_USAGE, "--hz must be a positive number");
    if (options->addr_bytes != 0 && (options->addr_bytes < 2 || options->addr_bytes > 4))
        return error_set(error, EXIT_USAGE, "--addr-bytes must be 2, 3 or 4");
    return true;
}

static const struct decode_format *find_format(const char *name, struct error *error)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    }
    error_set(error, EXIT_USAGE, "no format \"%s\"; there are " DECODE_FORMAT_NAMES,
              name);
    return NULL;
}

const struct decode_format *decode_recognise(const uint8_t *first, size_t first_bytes,
                                             int *sure)
{
    const struct decode_format *surest = NULL;

    *sure = 0;
    for (size_t i = 0; first_bytes > 0 && i < FORMATS; i++) {
        int score = formats[i]->recognise(first, first_bytes);

        if (score > *sure) {
            *sure = score;
            surest = formats[i];
        }
    }
    return surest;
}

static const struct decode_format *recognise(const char *path, const uint8_t *first,
                                             size_t first_bytes, struct error *error)
{
    int sure;
    const struct decode_format *format = decode_recognise(first, first_bytes, &sure);

    if (first_bytes == 0)
        error_set(error, EXIT_BAD_INPUT, "%s: empty", path);
    else if (format == NULL)
        error_set(error, EXIT_BAD_INPUT,
                  "%s: offset 0: expected one of " DECODE_FORMAT_NAMES
                  "; --format NAME reads it as one of these",
                  path);
    return format;
}

bool decoder_init(struct decoder *decoder, const struct decode_options *options,
                  struct profile *profile, const char *path, const uint8_t *first,
                  size_t first_bytes, struct error *error)
{
    *decoder = (struct decoder){.options = *options, .profile = profile, .path = path};
    if (!check_options(options, error))
        return false;
    decoder->format = options->format != NULL
                          ? find_format(options->format, error)
                          : recognise(path, first, first_bytes, error);
    if (decoder->format == NULL)
        return false;
    profile->task = TASK_NONE;
    if (profile->format[0] == '\0')
        profile->format = decoder->format->name;
    return decoder->format->init(decoder, error);
}

bool decoder_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                   struct error *error)
{
    if (!decoder->format->bytes(decoder, bytes, size, error))
        return false;
    decoder->offset += size;
    return true;
}

bool decoder_finish(struct decoder *decoder, struct error *error)
{
    return decoder->format->finish(decoder, error);
}

void decoder_release(struct decoder *decoder)
{
    decoder->format->release(decoder);
}

/* The counters of all inputs add up. What one input says of itself is read into cleared
 * fields, then joined with what the earlier inputs said. */
static void forget_input(struct profile *profile)
{
    profile->hz = 0;
    profile->sampling = (struct sampling){0};
    profile->bin_bytes = 1;
    profile->build_id_bytes = 0;
    profile->format = "";
    profile->arch = "";
    profile->word_bytes = 0;
    profile->big_endian = false;
    profile->complete = false;
    profile->records = 0;
    profile->damaged = 0;
    profile->console_bytes = 0;
    profile->accounted = false;
    profile->mismatch = false;
    memset(profile->received, 0, sizeof profile->received);
    memset(profile->lost, 0, sizeof profile->lost);
    memset(profile->earlier, 0, sizeof profile->earlier);
    profile->time = (struct time_base){0};
    profile->run_wrapped = 0;
    profile->repaired = profile->discarded = profile->unproven = profile->unsent = 0;
    profile->unshown = 0;
    profile->unaccounted = false;
    profile->entries = 0;
    profile->starts = profile->late_starts = 0;
    profile->alone = 0;
    profile->path_depth = 0;
    profile->ring_bytes = 0;
    profile->through_interrupts = false;
    profile->run_count = profile->resets = 0;
    profile->content = (struct content){0, 0};
}

static void hex(char *text, const uint8_t *bytes, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static bool check_build_ids(const struct profile *before, const struct profile *now,
                            const char *path, struct error *error)
{
    char one[2 * BUILD_ID_MAX + 1], other[2 * BUILD_ID_MAX + 1];

    if (before->build_id_bytes == 0 || now->build_id_bytes == 0 ||
        (before->build_id_bytes == now->build_id_bytes &&
         memcmp(before->build_id, now->build_id, now->build_id_bytes) == 0))
        return true;
    hex(one, now->build_id, now->build_id_bytes);
    hex(other, before->build_id, before->build_id_bytes);
    return error_set(
        error, EXIT_BAD_INPUT,
        "%s: of build ID %s, the input before it of build ID %s: captures of "
        "different firmware do not add up",
        path, one, other);
}

static const char *timer_of(const struct profile *profile)
{
    return profile->sampling.restarts ? "starts over after each sample" : "runs on";
}

static bool check_samples(const struct profile *before, const struct profile *now,
                          const char *path, struct error *error)
{
    if (before->received[EVENT_SAMPLE] == 0 || now->received[EVENT_SAMPLE] == 0)
        return true;
    if (fabs(before->hz - now->hz) > 1e-9 * now->hz)
        return error_set(
            error, EXIT_BAD_INPUT,
            "%s: sampled at %g Hz, the input before it at %g Hz (0: unknown): "
            "their samples do not add up",
            path, now->hz, before->hz);
    if (before->sampling.hz != 0 && now->sampling.hz != 0 &&
        before->sampling.hz != now->sampling.hz)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: its sampling is timed at %g Hz, that of the input before "
                         "it at %g Hz: they do not add up",
                         path, now->sampling.hz, before->sampling.hz);
    if (before->sampling.hz != 0 && now->sampling.hz != 0 &&
        before->sampling.restarts != now->sampling.restarts)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: its sampling timer %s, that of the input before it %s: "
                         "their samples do not add up",
                         path, timer_of(now), timer_of(before));
    if (before->bin_bytes != now->bin_bytes)
        return error_set(
            error, EXIT_BAD_INPUT,
            "%s: samples in bins of %u bytes, the input before it of %u: they "
            "do not add up",
            path, now->bin_bytes, before->bin_bytes);
    return true;
}

static bool check_times(const struct profile *before, const struct profile *now,
                        const char *path, struct error *error)
{
    if (before->received[EVENT_CALL] == 0 || now->received[EVENT_CALL] == 0 ||
        before->time.hz == now->time.hz)
        return true;
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: its calls are timed at %g Hz, those of the input before it at "
                     "%g Hz (0: unknown): they do not add up",
                     path, now->time.hz, before->time.hz);
}

static bool names_arch(const struct profile *profile)
{
    return profile->arch[0] != '\0' && strcmp(profile->arch, "unknown") != 0;
}

static bool check_archs(const struct profile *before, const struct profile *now,
                        const char *path, struct error *error)
{
    if (names_arch(before) && names_arch(now) && strcmp(before->arch, now->arch) != 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: of firmware on %s, the input before it on %s: captures of "
                         "different firmware do not add up",
                         path, now->arch, before->arch);
    return true;
}

/* Puts the runs of the earlier inputs before those of this one. */
static void join_runs(struct profile *profile, const struct profile *before)
{
    struct run now[RUNS_MAX];
    size_t count = before->run_count < RUNS_MAX ? before->run_count : RUNS_MAX;

    memcpy(now, profile->runs, sizeof now);
    memcpy(profile->runs, before->runs, sizeof now);
    for (size_t i = 0; count < RUNS_MAX && i < profile->run_count; i++)
        profile->runs[count++] = now[i];
    profile->run_count += before->run_count;
    profile->resets += before->resets;
}

static void join_sampling(struct sampling *sampling, const struct sampling *before)
{
    if (before->hz == 0)
        return;
    if (sampling->hz == 0 || before->least < sampling->least)
        sampling->least = before->least;
    if (before->most > sampling->most)
        sampling->most = before->most;
    sampling->hz = before->hz;
    sampling->restarts = before->restarts;
    sampling->ticks += before->ticks;
    sampling->samples += before->samples;
    sampling->late += before->late;
}

static void join_inputs(struct profile *profile, const struct profile *before)
{
    if (profile->received[EVENT_SAMPLE] == 0) {
        profile->bin_bytes = before->bin_bytes;
        profile->hz = before->hz != 0 ? before->hz : profile->hz;
    }
    if (profile->build_id_bytes == 0) {
        memcpy(profile->build_id, before->build_id, sizeof profile->build_id);
        profile->build_id_bytes = before->build_id_bytes;
    }
    profile->format = before->format;
    if (names_arch(before))
        profile->arch = before->arch;
    if (profile->word_bytes == 0) {
        profile->word_bytes = before->word_bytes;
        profile->big_endian = before->big_endian;
    }
    if (profile->time.hz == 0) {
        profile->time.hz = before->time.hz;
        profile->time.inside = before->time.inside;
        profile->time.outside = before->time.outside;
    }
    profile->time.other += before->time.other;
    profile->time.run += before->time.run;
    profile->run_wrapped += before->run_wrapped;
    join_sampling(&profile->sampling, &before->sampling);
    profile->complete = profile->complete && before->complete;
    profile->records += before->records;
    profile->damaged += before->damaged;
    profile->console_bytes += before->console_bytes;
    profile->mismatch = profile->mismatch || before->mismatch;
    profile->repaired += before->repaired;
    profile->discarded += before->discarded;
    profile->unshown += before->unshown;
    profile->unproven += before->unproven;
    profile->unaccounted = profile->unaccounted || before->unaccounted ||
                           profile->accounted != before->accounted;
    profile->accounted = profile->accounted || before->accounted;
    profile->unsent += before->unsent;
    profile->starts += before->starts;
    profile->late_starts += before->late_starts;
    profile->alone += before->alone;
    if (before->entries > profile->entries)
        profile->entries = before->entries;
    if (before->path_depth > profile->path_depth)
        profile->path_depth = before->path_depth;
    if (before->ring_bytes > profile->ring_bytes)
        profile->ring_bytes = before->ring_bytes;
    profile->through_interrupts =
        profile->through_interrupts && before->through_interrupts;
    join_runs(profile, before);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        profile->received[kind] += before->received[kind];
        profile->lost[kind] += before->lost[kind];
        profile->earlier[kind] += before->earlier[kind];
    }
}

/* Reads `size` bytes, or fewer at the end of input: one read of a pipe gives less than
 * recognition needs. */
static ssize_t read_chunk(int file, uint8_t *bytes, size_t size)
{
    size_t have = 0;

    while (have < size) {
        ssize_t got = read(file, bytes + have, size - have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

/* Takes bytes into the input's content; whole chunks, but for the last. */
static void add_content(struct content *content, const uint8_t *bytes, size_t size)
{
    content->bytes += size;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;

        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        content->hash = (content->hash ^ word) * 0x9e3779b97f4a7c15u;
        content->hash ^= content->hash >> 29;
    }
}

static bool decode_chunks(struct decoder *decoder, int file, uint8_t *chunk, ssize_t got,
                          struct error *error)
{
    while (got > 0) {
        add_content(&decoder->profile->content, chunk, (size_t)got);
        if (!decoder_bytes(decoder, chunk, (size_t)got, error))
            return false;
        got = read_chunk(file, chunk, CHUNK_BYTES);
    }
    if (got < 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: offset %llu: %s", decoder->path,
                         (unsigned long long)decoder->offset, strerror(errno));
    return decoder_finish(decoder, error);
}

static bool decode_open_file(int file, const char *path,
                             const struct decode_options *options,
                             struct profile *profile, struct error *error)
{
    uint8_t chunk[CHUNK_BYTES];
    struct decoder decoder;
    bool done;
    ssize_t got = read_chunk(file, chunk, sizeof chunk);

    if (got < 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
    if (got == 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: empty", path);
    if (!decoder_init(&decoder, options, profile, path, chunk, (size_t)got, error))
        return false;
    done = decode_chunks(&decoder, file, chunk, got, error);
    decoder_release(&decoder);
    return done;
}

static bool open_input(const char *path, int *file, struct error *error)
{
    struct stat status;

    *file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
    if (fstat(*file, &status) == 0 && S_ISDIR(status.st_mode)) {
        if (*file != STDIN_FILENO)
            close(*file);
        return error_set(error, EXIT_BAD_INPUT, "%s: is a directory, expected a capture",
                         path);
    }
    return true;
}

bool decode_file(const char *path, const struct decode_options *options,
                 struct profile *profile, struct error *error)
{
    struct profile before =
        *profile; /* only what the earlier inputs said of themselves is read from it */
    bool done;
    int file;

    if (!check_options(options, error) || !open_input(path, &file, error))
        return false;
    if (file == STDIN_FILENO)
        path = "standard input";
    forget_input(profile);
    done = decode_open_file(file, path, options, profile, error);
    if (file != STDIN_FILENO)
        close(file);
    if (!done)
        return false;
    profile->inputs++;
    if (before.format[0] == '\0')
        return true;
    if (!check_build_ids(&before, profile, path, error) ||
        !check_archs(&before, profile, path, error) ||
        !check_samples(&before, profile, path, error) ||
        !check_times(&before, profile, path, error))
        return false;
    join_inputs(profile, &before);
    return true;
}
