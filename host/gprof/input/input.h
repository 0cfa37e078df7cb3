/* SPDX-License-Identifier: MIT */
/*
 * What the readers of profiles share: input.c (which file is what, and the calls and
 * blocks in all of them), magic.c, bsd.c, histograms.c, captures.c. Nobody else includes
 * this.
 */
#ifndef MCUPROF_HOST_GPROF_INPUT_H
#define MCUPROF_HOST_GPROF_INPUT_H

#include "../../decode/gmon_file.h"
#include "../../profile/profile.h"
#include "../gprof.h"

/* One reading of all files. */
struct gprof_input {
    struct gprof *gprof;
    struct error *error;
    uint32_t version;       /* of the last magic file; 0 before there was one */
    bool blocks_warned;     /* that blocks are of no use without -l */
    size_t allocated;       /* in gprof->histograms */
    void *solid, *hollow;   /* private to histograms.c */
    struct profile samples; /* of all captures */
    double samples_hz;
    bool has_samples;
    struct gprof_lookup *lookup; /* private to lookup.c */

    /* The file that is being read, and how many records of it were read. */
    const char *path;
    const uint8_t *bytes;
    size_t size;
    struct gmon_file file;
    uint64_t histograms, arcs, blocks;
};

/* ---- input.c ---- */

/* Adds bins off the file; all are there. */
void input_bins(struct gprof_input *input, struct gprof_histogram *histogram);

/* false with GNU gprof's bare message, "PATH: TEXT". */
bool input_bare(struct gprof_input *input, const char *text);
bool input_no_memory(struct gprof_input *input);

enum { GPROF_CALLS = 64 }; /* as many are best handed over at a time; at most so many */

/* Count calls and executions of what lies in symbols. false: out of memory, and the
 * error says so. */
bool input_calls(struct gprof_input *input, const struct gmon_arc *calls, size_t count);
bool input_block(struct gprof_input *input, uint64_t address, uint64_t count);
/* Warns once that they are ignored, if they are. */
bool input_wants_blocks(struct gprof_input *input);

/* ---- lookup.c ---- */

/* As gprof_symbol_at(), but the symbol's number, from 1; 0: none. */
size_t input_symbol_at(const struct gprof_input *input, uint64_t address);
/* The function that a symbol is in, the nearest at or before it. By number, as above. */
size_t input_entry(const struct gprof_input *input, size_t symbol);
/* false: out of memory. To be released in any case. */
bool input_make_lookup(struct gprof_input *input);
void input_release_lookup(struct gprof_input *input);

/* ---- histograms.c ---- */

/* The histogram with exactly these bounds; NULL. */
struct gprof_histogram *input_histogram(struct gprof_input *input, uint64_t low,
                                        uint64_t high);
/* Whether some histogram has an address of this range. */
bool input_overlaps(struct gprof_input *input, uint64_t low, uint64_t high);
/* A new one, of zeros. NULL: out of memory, and the error says so. */
struct gprof_histogram *input_add_histogram(struct gprof_input *input, uint64_t low,
                                            uint64_t high, uint32_t bins);
uint32_t input_bin_count(const struct gmon_histogram *header);
/* Half-words of a bin. */
double input_scale(const struct gmon_histogram *header);
void input_release_ranges(struct gprof_input *input);

/* ---- The formats: each reads the file from its first byte ---- */

bool input_magic(struct gprof_input *input);
bool input_bsd(struct gprof_input *input);
/* Whether the file is one of mcuprof's other formats, and surely. */
bool input_is_capture(const struct gprof_input *input);
bool input_capture(struct gprof_input *input);
/* Makes histograms of the samples of all captures. */
bool input_finish_captures(struct gprof_input *input);

#endif
