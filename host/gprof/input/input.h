/* SPDX-License-Identifier: MIT */
/*
 * What the readers of profiles share: input.c (which tells formats apart, and counts the
 * calls and blocks of all of them), magic.c, bsd.c, histograms.c, captures.c. Nobody else
 * includes this.
 */
#ifndef MCUPROF_HOST_GPROF_INPUT_H
#define MCUPROF_HOST_GPROF_INPUT_H

#include "../../decode/gmon_file.h"
#include "../../profile/profile.h"
#include "../gprof.h"

/* The state while all files are read. */
struct gprof_input {
    struct gprof *gprof;
    struct error *error;
    uint32_t version;     /* of the magic file that was read last; 0: none was read yet */
    bool blocks_warned;   /* the warning was given that blocks are of no use without -l */
    size_t allocated;     /* room in gprof->histograms */
    void *solid, *hollow; /* private to histograms.c */
    struct profile samples; /* of all captures */
    double samples_hz;
    bool has_samples;
    struct gprof_lookup *lookup; /* private to lookup.c */

    /* The path of the file that is being read, and how many records of it were read. */
    const char *path;
    const uint8_t *bytes;
    size_t size;
    struct gmon_file file;
    uint64_t histograms, arcs, blocks;
};

/* ---- input.c ---- */

/* Adds the bins at the file's cursor to the histogram. The caller has checked that all
 * are in the file. */
void input_bins(struct gprof_input *input, struct gprof_histogram *histogram);

/* -d64: tells of samples at an address. */
void input_trace_samples(const struct gprof *gprof, double address, uint64_t samples);

/* Returns false, with GNU gprof's bare message "PATH: TEXT" in the error. */
bool input_bare(struct gprof_input *input, const char *text);
bool input_no_memory(struct gprof_input *input);

enum {
    GPROF_CALLS = 64
}; /* calls are best handed over so many at a time; more are not allowed */

/* Count calls and block executions whose addresses lie in symbols. false: out of memory,
 * and the error says so. */
bool input_calls(struct gprof_input *input, const struct gmon_arc *calls, size_t count);
bool input_block(struct gprof_input *input, uint64_t address, uint64_t count);
/* Whether blocks are to be counted. If not, warns the first time that they are ignored.
 * */
bool input_wants_blocks(struct gprof_input *input);

/* ---- lookup.c ---- */

/* As gprof_symbol_at(), but returns the symbol's number, from 1; 0: none. */
size_t input_symbol_at(const struct gprof_input *input, uint64_t address);
/* The number of the function that a symbol is in: the nearest function at or before it.
 * `symbol` is a number, too. */
size_t input_entry(const struct gprof_input *input, size_t symbol);
/* false: out of memory. The caller releases it in any case. */
bool input_make_lookup(struct gprof_input *input);
void input_release_lookup(struct gprof_input *input);

/* ---- histograms.c ---- */

/* The histogram with exactly these bounds; NULL. */
struct gprof_histogram *input_histogram(struct gprof_input *input, uint64_t low,
                                        uint64_t high);
/* Whether some histogram has an address of this range. */
bool input_overlaps(struct gprof_input *input, uint64_t low, uint64_t high);
/* Adds a histogram with all bins 0. NULL: out of memory, and the error says so. */
struct gprof_histogram *input_add_histogram(struct gprof_input *input, uint64_t low,
                                            uint64_t high, uint32_t bins);
uint32_t input_bin_count(const struct gmon_histogram *header);
/* Half-words of a bin. */
double input_scale(const struct gmon_histogram *header);
void input_release_ranges(struct gprof_input *input);

/* ---- The formats: each reads the file from its first byte ---- */

bool input_magic(struct gprof_input *input);
bool input_bsd(struct gprof_input *input);
/* Whether the file is surely of one of mcuprof's other formats. */
bool input_is_capture(const struct gprof_input *input);
bool input_capture(struct gprof_input *input);
/* Makes histograms of the samples of all captures. */
bool input_finish_captures(struct gprof_input *input);

#endif
