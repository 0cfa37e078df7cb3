/* SPDX-License-Identifier: MIT */
/*
 * GNU gmon.out: "gmon", a version and records, all in the target's word size and byte
 * order; also the older BSD and 4.4BSD files: a header, one histogram, then arcs. The
 * whole file is kept in memory, since only its end tells its word size and byte order.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "gmon_file.h"

/* A larger file is refused: no profile is this large. */
#define GMON_BYTES_MAX ((size_t)1 << 30)

struct gmon {
    uint8_t *bytes;
    size_t used;
    size_t allocated;
};

struct layout {
    unsigned word_bytes;
    bool big_endian;
};

static const struct layout layouts[] = {{4, false}, {4, true}, {8, false}, {8, true}};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* The file while it is read in one of the layouts. */
struct gmon_reader {
    struct gmon_file file;
    const uint8_t *bytes;
    struct layout layout;
    const char *path;
    uint64_t address_mask;
    struct profile *profile; /* NULL: only check whether the file makes sense */
    struct error *error;
    uint64_t records;
    size_t arcs;
    double bin_bytes; /* of the histograms; 0: none yet */
    double hz;
    struct event events[EVENT_BATCH]; /* read, but not counted yet */
    size_t event_count;
};

static size_t offset(const struct gmon_reader *reader)
{
    return (size_t)(reader->file.cursor.at - reader->bytes);
}

/* `at`: the begin of the part in whose midst the file ends. */
static bool truncated(struct gmon_reader *reader, size_t at, const char *expected)
{
    reader->file.cursor.at = reader->file.cursor.end;
    return error_set(reader->error, EXIT_BAD_INPUT,
                     "%s: offset %zu: truncated: expected %s, the file ends at %zu",
                     reader->path, at, expected, offset(reader));
}

static bool wrong(struct gmon_reader *reader, size_t at, const char *expected)
{
    return error_set(reader->error, EXIT_BAD_INPUT, "%s: offset %zu: expected %s",
                     reader->path, at, expected);
}

static bool count_all(struct gmon_reader *reader)
{
    size_t count = reader->event_count;

    reader->event_count = 0;
    return profile_count_all(reader->profile, reader->events, count) ||
           error_set(reader->error, EXIT_BAD_INPUT, "%s: %s", reader->path,
                     strerror(ENOMEM));
}

static bool count(struct gmon_reader *reader, enum event_kind kind, uint64_t from,
                  uint64_t to, uint64_t events)
{
    if (reader->profile == NULL || events == 0)
        return true;
    reader->events[reader->event_count++] =
        (struct event){kind, reader->profile->task, from, to, events};
    return reader->event_count < EVENT_BATCH || count_all(reader);
}

/* The histograms of one file have bins of one width and one rate. */
static bool check_scale(struct gmon_reader *reader, size_t at, double bin_bytes,
                        double hz)
{
    if (reader->bin_bytes != 0 &&
        fabs(bin_bytes - reader->bin_bytes) > 1e-6 * reader->bin_bytes)
        return wrong(reader, at, "a histogram with bins as wide as those before it");
    if (reader->bin_bytes != 0 && fabs(hz - reader->hz) > 1e-9 * hz)
        return wrong(reader, at, "a histogram of the same rate as those before it");
    reader->bin_bytes = bin_bytes;
    reader->hz = hz;
    return true;
}

/* Reads the bins, which divide the histogram's range evenly. A bin's samples count for
 * its first byte. `at` is where the histogram begins. */
static bool read_bins(struct gmon_reader *reader, size_t at,
                      const struct gmon_histogram *histogram)
{
    uint64_t bins = histogram->bytes / GMON_BIN_BYTES;
    double width = (double)(histogram->high - histogram->low) / (double)bins;

    if (bins > 0 && !check_scale(reader, at, width, histogram->rate))
        return false;
    if (histogram->bytes > gmon_left(&reader->file))
        return truncated(reader, offset(reader), "the histogram's bins");
    if (reader->profile == NULL) {
        cursor_skip(&reader->file.cursor, histogram->bytes);
        return true;
    }
    for (uint64_t i = 0; i < bins; i++)
        if (!count(reader, EVENT_SAMPLE, 0,
                   histogram->low + (uint64_t)(width * (double)i),
                   gmon_bin(&reader->file)))
            return false;
    return true;
}

/* Whether the bytes are text, most likely "seconds" and "s". Other bytes there show that
 * the layout is wrong. */
static bool is_dimension(const struct gmon_histogram *histogram)
{
    for (size_t i = 0; i <= GMON_DIMENSION_BYTES; i++) {
        char c =
            i < GMON_DIMENSION_BYTES ? histogram->dimension[i] : histogram->abbreviation;

        if (c != 0 && ((unsigned char)c < 0x20 || c == 0x7f))
            return false;
    }
    return true;
}

static bool read_histogram(struct gmon_reader *reader, size_t at)
{
    struct gmon_histogram histogram;

    if (!gmon_histogram(&reader->file, &histogram))
        return truncated(reader, at, "a histogram's header");
    if (histogram.high < histogram.low ||
        (histogram.bytes > 0 && histogram.high == histogram.low))
        return wrong(reader, at, "a histogram whose high address is above its low one");
    if (!is_dimension(&histogram))
        return wrong(reader, at, "a histogram's dimension as text");
    return read_bins(reader, at, &histogram);
}

/* Reads this arc and those that directly follow it. */
static bool read_arcs(struct gmon_reader *reader, size_t at)
{
    struct gmon_arc arcs[EVENT_BATCH];
    size_t found =
        gmon_arcs(&reader->file, reader->profile != NULL ? arcs : NULL, EVENT_BATCH);

    if (found == 0)
        return truncated(reader, at, "an arc");
    reader->arcs += found;
    reader->records += found - 1;
    for (size_t i = 0; reader->profile != NULL && i < found; i++)
        if (!count(reader, EVENT_ARC, arcs[i].from & reader->address_mask,
                   arcs[i].to & reader->address_mask, arcs[i].count))
            return false;
    return true;
}

static bool read_blocks(struct gmon_reader *reader, size_t at)
{
    uint64_t blocks;

    if (!gmon_blocks(&reader->file, &blocks))
        return truncated(reader, at, "basic blocks");
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t address = gmon_word(&reader->file) & reader->address_mask;

        if (!count(reader, EVENT_BLOCK, 0, address, gmon_word(&reader->file)))
            return false;
    }
    return true;
}

static bool read_record(struct gmon_reader *reader)
{
    size_t at = offset(reader);

    reader->records++;
    switch (cursor_take(&reader->file.cursor, 1)) {
    case GMON_HISTOGRAM:
        return read_histogram(reader, at);
    case GMON_ARC:
        return read_arcs(reader, at);
    case GMON_BLOCKS:
        return read_blocks(reader, at);
    default:
        return wrong(reader, at,
                     "a record of type 0 (histogram), 1 (arc) or 2 (basic blocks)");
    }
}

static bool read_records(struct gmon_reader *reader)
{
    struct gmon_file *file = &reader->file;

    cursor_skip(&file->cursor, 4);
    if (gmon_u32(file) > GMON_VERSION)
        return wrong(reader, 4, "version 1 of gmon.out");
    cursor_skip(&file->cursor, GMON_SPARE_BYTES);
    if (file->cursor.failed)
        return truncated(reader, 0, "a header");
    while (gmon_left(file) > 0) {
        if (!read_record(reader))
            return false;
    }
    return true;
}

static bool read_bsd(struct gmon_reader *reader)
{
    struct gmon_histogram histogram;

    if (!gmon_bsd_header(&reader->file, &histogram) || reader->file.cursor.failed)
        return truncated(reader, 0, "\"gmon\" or the header of a BSD gmon.out");
    if (histogram.high <= histogram.low || histogram.bytes % GMON_BIN_BYTES != 0 ||
        histogram.bytes > GMON_BYTES_MAX)
        return wrong(reader, 0, "\"gmon\" or the header of a BSD gmon.out");
    reader->records++;
    if (!read_bins(reader, 0, &histogram))
        return false;
    while (gmon_left(&reader->file) > 0) {
        reader->records++;
        if (!read_arcs(reader, offset(reader)))
            return false;
    }
    return true;
}

static struct gmon_file file_of(const uint8_t *bytes, size_t size, struct layout layout)
{
    return (struct gmon_file){
        .cursor = {.at = bytes, .end = bytes + size, .big_endian = layout.big_endian},
        .word_bytes = layout.word_bytes,
    };
}

static bool read_layout(struct decoder *decoder, struct layout layout, bool keep,
                        struct gmon_reader *reader, struct error *error)
{
    const struct gmon *gmon = decoder->state;

    *reader = (struct gmon_reader){
        .file = file_of(gmon->bytes, gmon->used, layout),
        .bytes = gmon->bytes,
        .layout = layout,
        .path = decoder->path,
        .address_mask = decoder->options.thumb ? ~1ull : ~0ull,
        .profile = keep ? decoder->profile : NULL,
        .error = error,
    };
    return (gmon_is_gnu(gmon->bytes, gmon->used) ? read_records(reader)
                                                 : read_bsd(reader)) &&
           (!keep || count_all(reader));
}

/* Tries the four layouts; *found is the last one that makes sense of the whole file. If
 * none does, the error is that of the layout that got farthest. */
static bool guess_layout(struct decoder *decoder, struct gmon_reader *found,
                         struct error *error)
{
    size_t furthest = 0;
    unsigned fit = 0;
    bool any = false;

    for (size_t i = 0; i < LAYOUTS; i++) {
        struct gmon_reader reader;
        struct error why;

        if (read_layout(decoder, layouts[i], false, &reader, &why)) {
            *found = reader;
            fit++;
            any = any || reader.records > 0;
        } else if (fit == 0 && offset(&reader) >= furthest) {
            furthest = offset(&reader);
            *error = why;
        }
    }
    if (fit > 1 && any)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset 0: expected a gmon.out that shows its word size and "
                         "byte order; give the firmware with -e",
                         decoder->path);
    return fit > 0;
}

/* Uses the ELF's layout. But some tools always write gmon.out with the PC's word size;
 * such a file is read too if exactly one layout makes sense of it. */
static bool choose_layout(struct decoder *decoder, struct gmon_reader *found,
                          struct error *error)
{
    struct layout given = {decoder->options.word_bytes, decoder->options.big_endian};
    struct error ignored;

    if (given.word_bytes != 4 && given.word_bytes != 8)
        return guess_layout(decoder, found, error);
    return read_layout(decoder, given, false, found, error) ||
           guess_layout(decoder, found, &ignored);
}

static bool gmon_init(struct decoder *decoder, struct error *error)
{
    decoder->state = calloc(1, sizeof(struct gmon));
    if (decoder->state == NULL)
        return error_no_memory(error);
    decoder->profile->accounted = false;
    return true;
}

static bool gmon_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                       struct error *error)
{
    struct gmon *gmon = decoder->state;

    if (size > GMON_BYTES_MAX - gmon->used)
        return error_set(error, EXIT_BAD_INPUT, "%s: offset %zu: expected at most 1 GiB",
                         decoder->path, gmon->used);
    if (gmon->used + size > gmon->allocated) {
        size_t allocated = 2 * (gmon->used + size);
        uint8_t *larger = realloc(gmon->bytes, allocated);

        if (larger == NULL)
            return error_set(error, EXIT_BAD_INPUT, "%s: %s", decoder->path,
                             strerror(ENOMEM));
        gmon->bytes = larger;
        gmon->allocated = allocated;
    }
    memcpy(gmon->bytes + gmon->used, bytes, size);
    gmon->used += size;
    return true;
}

static bool gmon_finish(struct decoder *decoder, struct error *error)
{
    const struct gmon *gmon = decoder->state;
    struct profile *profile = decoder->profile;
    struct gmon_reader trial, reader;

    if (gmon->used == 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: empty", decoder->path);
    if (!choose_layout(decoder, &trial, error))
        return false;
    profile_expect(profile, EVENT_ARC, trial.arcs);
    if (!read_layout(decoder, trial.layout, true, &reader, error))
        return false;
    profile->records += reader.records;
    profile->hz = reader.hz > 0 ? reader.hz : decoder->options.hz;
    /* a width that is not a whole number (never seen) is rounded: the bins still begin at
     * the right addresses */
    profile->bin_bytes =
        reader.bin_bytes > 1 ? (unsigned)fmin(rint(reader.bin_bytes), 1e9) : 1;
    profile->word_bytes = trial.layout.word_bytes;
    profile->big_endian = trial.layout.big_endian;
    profile->complete = true;
    return true;
}

static void gmon_release(struct decoder *decoder)
{
    struct gmon *gmon = decoder->state;

    if (gmon != NULL)
        free(gmon->bytes);
    free(gmon);
    decoder->state = NULL;
}

/* 2: the file has a 4.4BSD header; 1: it may have a BSD one, whose bins are a whole
 * number of bytes wide. */
static int recognise_bsd(const uint8_t *bytes, size_t size, struct layout layout)
{
    struct gmon_file file = file_of(bytes, size, layout);
    struct gmon_histogram histogram;
    uint64_t bins, width;

    if (!gmon_bsd_header(&file, &histogram))
        return 0;
    if (file.bsd44)
        return 2;
    bins = histogram.bytes / GMON_BIN_BYTES;
    if (histogram.low >= histogram.high || bins == 0 ||
        histogram.bytes % GMON_BIN_BYTES != 0 || histogram.bytes > GMON_BYTES_MAX)
        return 0;
    width = (histogram.high - histogram.low) / bins;
    return width <= 64 && width * bins == histogram.high - histogram.low ? 1 : 0;
}

static int gmon_recognise(const uint8_t *bytes, size_t size)
{
    int sure = gmon_is_gnu(bytes, size) ? 2 : 0;

    for (size_t i = 0; sure < 2 && i < LAYOUTS; i++) {
        int score = recognise_bsd(bytes, size, layouts[i]);

        sure = score > sure ? score : sure;
    }
    return sure;
}

const struct decode_format decode_gmon = {
    "gmon", gmon_recognise, gmon_init, gmon_bytes, gmon_finish, gmon_release,
};
