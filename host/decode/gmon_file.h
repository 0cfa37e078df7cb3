/* SPDX-License-Identifier: MIT */
/*
 * Where the numbers stand in a gmon.out. GNU's has "gmon", a version and records; the
 * BSDs' has a header, one histogram, then arcs. gmon.c and `mcuprof gprof` both read
 * through this; each reports faults of a file in its own words.
 */
#ifndef MCUPROF_HOST_GMON_FILE_H
#define MCUPROF_HOST_GMON_FILE_H

#include "../base/cursor.h"

/* The records of GNU's files, by their first byte. */
enum gmon_record { GMON_HISTOGRAM, GMON_ARC, GMON_BLOCKS };

enum {
    GMON_VERSION = 1,
    GMON_SPARE_BYTES = 12,     /* spare bytes at the end of GNU's and 4.4BSD's header */
    GMON_DIMENSION_BYTES = 15, /* length of a histogram's dimension: "seconds" */
    GMON_BIN_BYTES = 2,        /* size of a bin's count */
};
/* 4.4BSD's header has this number where the older header ends. */
#define GMON_BSD44_VERSION 0x51879u

/* The whole file, and how to read it. */
struct gmon_file {
    struct cursor cursor;
    unsigned word_bytes; /* 4 or 8 */
    bool sign_extend;    /* words of 4 bytes are signed */
    bool bsd, bsd44;     /* set by gmon_bsd_header() */
};

struct gmon_histogram {
    uint64_t low, high;
    uint64_t bytes; /* size of its bins as the file states it; the file may have fewer */
    uint32_t rate;  /* 0: the file does not say */
    char dimension[GMON_DIMENSION_BYTES + 1], abbreviation;
};

struct gmon_arc {
    uint64_t from, to, count;
};

/* Whether the file begins as GNU's files do. */
bool gmon_is_gnu(const uint8_t *bytes, size_t size);
size_t gmon_left(const struct gmon_file *file);
/* Read a number; 0 beyond the file's end. */
uint64_t gmon_word(struct gmon_file *file);
uint32_t gmon_u32(struct gmon_file *file);
uint16_t gmon_bin(struct gmon_file *file);

/* Each returns false if the file ends too early. The first reads a BSD file's header. The
 * others read what follows a record's first byte: a histogram's header, and the number of
 * blocks, all of which are then in the file, an address and a count each. */
bool gmon_bsd_header(struct gmon_file *file, struct gmon_histogram *histogram);
bool gmon_histogram(struct gmon_file *file, struct gmon_histogram *histogram);
bool gmon_blocks(struct gmon_file *file, uint64_t *count);

/* Reads consecutive arcs, at most `most`. In GNU's files the first arc's first byte must
 * have been read already. Returns their number; 0: the file ends within the first one.
 * `arcs` may be NULL. */
size_t gmon_arcs(struct gmon_file *file, struct gmon_arc *arcs, size_t most);

#endif
