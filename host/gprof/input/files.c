/* SPDX-License-Identifier: MIT */
/* Reads the files, each by its format. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/plural.h"
#include "../calls/arcs.h"

enum { FILE_BYTES_MIN = 20, PIPE_BYTES = 64 * 1024 };

/* A pipe may have no end: at most this much is read from one. */
#define PIPE_BYTES_MAX ((size_t)1 << 30)

/* Reads to the end of the file, or to the first error: GNU gprof, too, takes an error for
 * the end. */
static uint8_t *read_all(int file, size_t expected, size_t *size)
{
    size_t most = expected > PIPE_BYTES_MAX ? expected : PIPE_BYTES_MAX;
    size_t allocated = expected > PIPE_BYTES ? expected : PIPE_BYTES;
    uint8_t *bytes = malloc(allocated);
    ssize_t got = 1;

    for (*size = 0; bytes != NULL && *size < most; *size += (size_t)got) {
        if (*size == allocated) {
            uint8_t *larger =
                allocated <= SIZE_MAX / 2 ? realloc(bytes, 2 * allocated) : NULL;

            if (larger == NULL)
                free(bytes);
            bytes = larger;
            allocated *= 2;
        }
        if (bytes == NULL)
            break;
        do
            got = read(file, bytes + *size, allocated - *size);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            break;
    }
    return bytes;
}

static bool read_file(struct gprof_input *input, uint8_t **bytes)
{
    bool is_stdin = strcmp(input->path, "-") == 0;
    int file = is_stdin ? STDIN_FILENO : open(input->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    size_t expected = 0;

    if (file < 0)
        return input_bare(input, strerror(errno));
    /* with one byte more, the first read() gets all and the second one finds the end */
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        expected = (size_t)status.st_size + 1;
    *bytes = read_all(file, expected, &input->size);
    if (!is_stdin)
        close(file);
    input->bytes = *bytes;
    return *bytes != NULL || input_no_memory(input);
}

static bool read_records(struct gprof_input *input)
{
    const struct gprof *gprof = input->gprof;
    enum gprof_format format = gprof->options.format;

    input->file = (struct gmon_file){
        .cursor = {.at = input->bytes,
                   .end = input->bytes + input->size,
                   .big_endian = gprof->big_endian},
        .word_bytes = (unsigned)gprof->word_bytes,
        .sign_extend = gprof->sign_extend,
    };
    if (format == GPROF_BSD || format == GPROF_44BSD)
        return input_bsd(input);
    if (format == GPROF_AUTO && input_is_capture(input))
        return input_capture(input);
    if (format == GPROF_AUTO && input->size >= FILE_BYTES_MIN &&
        !gmon_is_gnu(input->bytes, input->size))
        return input_bsd(input);
    return input_magic(input);
}

static void print_count(struct gprof *gprof, uint64_t count, const char *kind)
{
    fprintf(gprof->out, "\t%" PRIu64 " %s record%s\n", count, kind, plural(count));
}

static void print_summary(struct gprof_input *input)
{
    struct gprof *gprof = input->gprof;

    fprintf(gprof->out, "File `%s' (version %" PRIu32 ") contains:\n", input->path,
            input->version);
    print_count(gprof, input->histograms, "histogram");
    print_count(gprof, input->arcs, "call-graph");
    print_count(gprof, input->blocks, "basic-block count");
    gprof->first_output = false;
}

static bool read_profile(struct gprof_input *input, const char *path)
{
    uint8_t *bytes = NULL;
    bool done;

    input->path = path;
    input->histograms = input->arcs = input->blocks = 0;
    done = read_file(input, &bytes) && read_records(input);
    if (done && input->gprof->options.file_info)
        print_summary(input);
    free(bytes);
    return done;
}

bool gprof_read_profiles(struct gprof *gprof, struct error *error)
{
    struct gprof_input input = {.gprof = gprof, .error = error};
    bool done = input_make_lookup(&input);

    if (!done)
        error_set(error, EXIT_NO, "%s", strerror(ENOMEM));
    snprintf(gprof->dimension, sizeof gprof->dimension, "seconds");
    gprof->abbreviation = 's';
    profile_init(&input.samples);
    for (size_t i = 0; done && i < gprof->options.profile_count; i++)
        done = read_profile(&input, gprof->options.profiles[i]);
    done = done && input_finish_captures(&input);
    profile_release(&input.samples);
    input_release_ranges(&input);
    input_release_lookup(&input);
    return done;
}

void gprof_profiles_release(struct gprof *gprof)
{
    for (size_t i = 0; i < gprof->histogram_count; i++)
        free(gprof->histograms[i].bins);
    free(gprof->histograms);
    gprof->histograms = NULL;
    gprof->histogram_count = 0;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        free(gprof->symbols[i].blocks);
        gprof->symbols[i].blocks = NULL;
    }
    gprof_arcs_release(gprof);
}
