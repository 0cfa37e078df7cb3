/* SPDX-License-Identifier: MIT */
/* Reads the lines that export_folded() wrote, for the formats that are made of them. */
#ifndef MCUPROF_HOST_FOLDED_LINES_H
#define MCUPROF_HOST_FOLDED_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../profile/profile.h"

/* The frame above the profiler's own functions. */
#define FOLDED_PROFILER "[profiler]"

/* A function's name as the lines have it: cut, and without semicolons. The caller frees
 * it; NULL: out of memory. */
char *folded_name(const char *name);

struct folded_line {
    const char **frames; /* outermost first; never empty */
    size_t depth;
    uint64_t count;
};

struct folded_lines {
    struct folded_line *items; /* ascending, frame by frame, so that lines with a common
                                * begin are neighbours */
    size_t count, depth_max;
    uint64_t total;
    char *text;          /* private: holds the frames' text */
    const char **frames; /* private: the frames of all lines */
};

/* The names of all frames, each once, ascending; the lines own the text. */
struct folded_names {
    const char **items;
    size_t count;
};

/* The caller releases `lines` and `names` in any case. false, error filled in: there are
 * no lines, or no memory. */
bool folded_lines_read(struct folded_lines *lines, struct folded_names *names,
                       const char *text, struct error *error);
void folded_lines_release(struct folded_lines *lines, struct folded_names *names);

/* Samples in a second of the program's own time or, without samples, ticks in a second;
 * 0: not known. */
double folded_hz(const struct profile *profile);

/* How many frames two lines share, from the outermost on. */
size_t folded_shared(const struct folded_line *left, const struct folded_line *right);

/* The index of a name, which must be there. */
size_t folded_name_number(const struct folded_names *names, const char *name);

#endif
