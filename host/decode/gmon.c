/* SPDX-License-Identifier: MIT */
/*
 * GNU gmon.out: "gmon", a version and records, all in the target's word size and byte
 * order; also the older BSD and 4.4BSD files: a header, one histogram, then arcs. The
 * whole file is kept in memory, since only its end tells its word size and byte order.
 */
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define BSD44_VERSION 0x51879u

enum {
    HISTOGRAM_RECORD = 0,
    ARC_RECORD = 1,
    BLOCK_RECORD = 2,
    GMON_VERSION = 1,
    GMON_SPARE_BYTES = 12,
    DIMENSION_BYTES = 16, /* 15 for its name and 1 for its abbreviation */
    COUNT_BYTES = 2,      /* of one bin of a histogram */
};

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

/* A bounded cursor over the file, which is read in one of the layouts. */
struct reader {
    const uint8_t *bytes;
    size_t size;
    size_t at;
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

static bool truncated(struct reader *reader, const char *expected)
{
    size_t at = reader->at;

    reader->at = reader->size;
    error_set(reader->error, EXIT_BAD_INPUT,
              "%s: offset %zu: truncated: expected %s, the file ends at %zu",
              reader->path, at, expected, reader->size);
    return false;
}

static bool wrong(struct reader *reader, size_t at, const char *expected)
{
    error_set(reader->error, EXIT_BAD_INPUT, "%s: offset %zu: expected %s", reader->path,
              at, expected);
    return false;
}

/* Of 2, 4 or 8 bytes. */
static uint64_t number_at(const uint8_t *bytes, unsigned size, bool big_endian)
{
    uint16_t half;
    uint32_t word;
    uint64_t both;

    switch (size) {
    case sizeof half:
        memcpy(&half, bytes, sizeof half);
        return big_endian ? be16toh(half) : le16toh(half);
    case sizeof word:
        memcpy(&word, bytes, sizeof word);
        return big_endian ? be32toh(word) : le32toh(word);
    default:
        memcpy(&both, bytes, sizeof both);
        return big_endian ? be64toh(both) : le64toh(both);
    }
}

static bool read_number(struct reader *reader, unsigned size, uint64_t *value,
                        const char *expected)
{
    if (reader->size - reader->at < size)
        return truncated(reader, expected);
    *value = number_at(reader->bytes + reader->at, size, reader->layout.big_endian);
    reader->at += size;
    return true;
}

static bool read_word(struct reader *reader, uint64_t *value, const char *expected)
{
    return read_number(reader, reader->layout.word_bytes, value, expected);
}

static bool skip(struct reader *reader, size_t size, const char *expected)
{
    if (reader->size - reader->at < size)
        return truncated(reader, expected);
    reader->at += size;
    return true;
}

static bool count_all(struct reader *reader)
{
    size_t count = reader->event_count;

    reader->event_count = 0;
    return profile_count_all(reader->profile, reader->events, count) ||
           error_set(reader->error, EXIT_BAD_INPUT, "%s: %s", reader->path,
                     strerror(ENOMEM));
}

static bool count(struct reader *reader, enum event_kind kind, uint64_t from, uint64_t to,
                  uint64_t events)
{
    if (reader->profile == NULL || events == 0)
        return true;
    reader->events[reader->event_count++] =
        (struct event){kind, reader->profile->task, from, to, events};
    return reader->event_count < EVENT_BATCH || count_all(reader);
}

/* The histograms of one file have bins of one width and one rate. */
static bool check_scale(struct reader *reader, size_t at, double bin_bytes, double hz)
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

/* Reads bins of 16 bits, which divide [low, high) evenly. A bin's samples count for its
 * first byte. */
static bool read_bins(struct reader *reader, uint64_t low, uint64_t high, uint64_t bins)
{
    double width;

    if (bins > (reader->size - reader->at) / COUNT_BYTES)
        return truncated(reader, "the histogram's bins");
    if (reader->profile == NULL)
        return skip(reader, bins * COUNT_BYTES, "the histogram's bins");
    if (bins == 0)
        return true;
    width = (double)(high - low) / (double)bins;
    for (uint64_t i = 0; i < bins; i++, reader->at += COUNT_BYTES) {
        uint64_t samples =
            number_at(reader->bytes + reader->at, COUNT_BYTES, reader->layout.big_endian);

        if (!count(reader, EVENT_SAMPLE, 0, low + (uint64_t)(width * (double)i), samples))
            return false;
    }
    return true;
}

/* Skips what is most likely "seconds" and "s"; other bytes there show that the layout is
 * wrong. */
static bool read_dimension(struct reader *reader)
{
    size_t at = reader->at;

    if (!skip(reader, DIMENSION_BYTES, "the histogram's dimension"))
        return false;
    for (size_t i = at; i < reader->at; i++) {
        uint8_t c = reader->bytes[i];

        if (c != 0 && (c < 0x20 || c == 0x7f))
            return wrong(reader, at, "the histogram's dimension as text");
    }
    return true;
}

static bool read_histogram(struct reader *reader)
{
    size_t at = reader->at;
    uint64_t low, high, bins, hz;

    if (!read_word(reader, &low, "the histogram's low address") ||
        !read_word(reader, &high, "the histogram's high address") ||
        !read_number(reader, 4, &bins, "the histogram's number of bins") ||
        !read_number(reader, 4, &hz, "the histogram's rate"))
        return false;
    if (high < low || (bins > 0 && high == low))
        return wrong(reader, at, "a histogram whose high address is above its low one");
    if (!read_dimension(reader))
        return false;
    if (bins > 0 &&
        !check_scale(reader, at, (double)(high - low) / (double)bins, (double)hz))
        return false;
    return read_bins(reader, low, high, bins);
}

static bool read_arc(struct reader *reader, unsigned count_bytes)
{
    size_t bytes = 2 * reader->layout.word_bytes + count_bytes;
    uint64_t from, to, calls;

    reader->arcs++;
    if (reader->profile == NULL && reader->size - reader->at >= bytes)
        return skip(reader, bytes, "an arc");
    if (!read_word(reader, &from, "an arc's call site") ||
        !read_word(reader, &to, "an arc's callee") ||
        !read_number(reader, count_bytes, &calls, "an arc's count"))
        return false;
    return count(reader, EVENT_ARC, from & reader->address_mask,
                 to & reader->address_mask, calls);
}

static bool read_blocks(struct reader *reader)
{
    uint64_t blocks, address, times;

    if (!read_number(reader, 4, &blocks, "a number of basic blocks"))
        return false;
    if (blocks > (reader->size - reader->at) / (2 * reader->layout.word_bytes))
        return truncated(reader, "basic blocks");
    for (uint64_t i = 0; i < blocks; i++) {
        if (!read_word(reader, &address, "a basic block's address") ||
            !read_word(reader, &times, "a basic block's count") ||
            !count(reader, EVENT_BLOCK, 0, address & reader->address_mask, times))
            return false;
    }
    return true;
}

static bool read_record(struct reader *reader)
{
    reader->records++;
    switch (reader->bytes[reader->at++]) {
    case HISTOGRAM_RECORD:
        return read_histogram(reader);
    case ARC_RECORD:
        return read_arc(reader, 4);
    case BLOCK_RECORD:
        return read_blocks(reader);
    default:
        return wrong(reader, reader->at - 1,
                     "a record of type 0 (histogram), 1 (arc) or 2 (basic blocks)");
    }
}

static bool read_records(struct reader *reader)
{
    uint64_t version;

    if (!skip(reader, 4, "\"gmon\"") || !read_number(reader, 4, &version, "a version"))
        return false;
    if (version > GMON_VERSION)
        return wrong(reader, 4, "version 1 of gmon.out");
    if (!skip(reader, GMON_SPARE_BYTES, "the rest of the header"))
        return false;
    while (reader->at < reader->size) {
        if (!read_record(reader))
            return false;
    }
    return true;
}

/* Reads the header of a BSD file; *hz is the rate of a 4.4BSD file, 0 of an older one. */
static bool read_bsd_header(struct reader *reader, uint64_t *low, uint64_t *high,
                            uint64_t *bins, uint64_t *hz)
{
    unsigned plain_bytes = 2 * reader->layout.word_bytes + 4;
    uint64_t bytes, version;

    *hz = 0;
    if (!read_word(reader, low, "the lowest address") ||
        !read_word(reader, high, "the highest address") ||
        !read_number(reader, 4, &bytes, "the size of header and histogram") ||
        !read_number(reader, 4, &version, "a version or the histogram"))
        return false;
    if (version != BSD44_VERSION)
        reader->at = plain_bytes;
    else if (!read_number(reader, 4, hz, "the rate") ||
             !skip(reader, GMON_SPARE_BYTES, "the rest of the header"))
        return false;
    if (*high <= *low || bytes < reader->at || (bytes - reader->at) % COUNT_BYTES != 0)
        return wrong(reader, 0, "\"gmon\" or the header of a BSD gmon.out");
    *bins = (bytes - reader->at) / COUNT_BYTES;
    return true;
}

static bool read_bsd(struct reader *reader)
{
    uint64_t low, high, bins, hz;

    if (!read_bsd_header(reader, &low, &high, &bins, &hz))
        return false;
    reader->records++;
    if (bins > 0 &&
        !check_scale(reader, 0, (double)(high - low) / (double)bins, (double)hz))
        return false;
    if (!read_bins(reader, low, high, bins))
        return false;
    while (reader->at < reader->size) {
        reader->records++;
        if (!read_arc(reader, reader->layout.word_bytes))
            return false;
    }
    return true;
}

static bool is_gnu(const struct gmon *gmon)
{
    return gmon->used >= 4 && memcmp(gmon->bytes, "gmon", 4) == 0;
}

static bool read_layout(struct decoder *decoder, struct layout layout, bool keep,
                        struct reader *reader, struct error *error)
{
    const struct gmon *gmon = decoder->state;

    *reader = (struct reader){
        .bytes = gmon->bytes,
        .size = gmon->used,
        .layout = layout,
        .path = decoder->path,
        .address_mask = decoder->options.thumb ? ~1ull : ~0ull,
        .profile = keep ? decoder->profile : NULL,
        .error = error,
    };
    return (is_gnu(gmon) ? read_records(reader) : read_bsd(reader)) &&
           (!keep || count_all(reader));
}

/* Which of the four layouts makes sense of the whole file: that with which it was read
 * last. Where none does, the error is that of the one that made sense of most of it. */
static bool guess_layout(struct decoder *decoder, struct reader *found,
                         struct error *error)
{
    static const struct layout all[] = {{4, false}, {4, true}, {8, false}, {8, true}};
    size_t furthest = 0;
    unsigned fit = 0;
    bool any = false;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct reader reader;
        struct error why;

        if (read_layout(decoder, all[i], false, &reader, &why)) {
            *found = reader;
            fit++;
            any = any || reader.records > 0;
        } else if (fit == 0 && reader.at >= furthest) {
            furthest = reader.at;
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

/* The layout is the ELF's. But some tools always write gmon.out with the PC's word size;
 * such a file is read too if exactly one layout makes sense of it. */
static bool choose_layout(struct decoder *decoder, struct reader *found,
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
        return error_set(error, EXIT_BAD_INPUT, "%s", strerror(ENOMEM));
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
    struct profile *profile = decoder->profile;
    struct reader trial, reader;

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
    unsigned word = layout.word_bytes, header = 2 * word + 4;
    uint64_t low, high, length;

    if (size < header + 4u)
        return 0;
    if (number_at(bytes + header, 4, layout.big_endian) == BSD44_VERSION)
        return 2;
    low = number_at(bytes, word, layout.big_endian);
    high = number_at(bytes + word, word, layout.big_endian);
    length = number_at(bytes + 2 * word, 4, layout.big_endian);
    if (low >= high || length < header + COUNT_BYTES ||
        (length - header) % COUNT_BYTES != 0)
        return 0;
    length = (length - header) / COUNT_BYTES;
    return (high - low) % length == 0 && (high - low) / length <= 64 ? 1 : 0;
}

static int gmon_recognise(const uint8_t *bytes, size_t size)
{
    int sure = 0;

    if (size >= 4 && memcmp(bytes, "gmon", 4) == 0)
        return 2;
    for (unsigned i = 0; i < 4; i++) {
        struct layout layout = {i < 2 ? 4 : 8, i % 2 != 0};
        int score = recognise_bsd(bytes, size, layout);

        sure = score > sure ? score : sure;
    }
    return sure;
}

const struct decode_format decode_gmon = {
    "gmon", gmon_recognise, gmon_init, gmon_bytes, gmon_finish, gmon_release,
};
