/* SPDX-License-Identifier: MIT */
/*
 * What other programs read. Each format is one function; export_formats lists them.
 * Nothing here measures: figures come from profile/ as they are, and its estimates
 * (children, total) stay estimates.
 */
#ifndef MCUPROF_HOST_EXPORT_H
#define MCUPROF_HOST_EXPORT_H

#include <stdio.h>

#include "../base/error.h"
#include "../base/json.h"
#include "../image/image.h"
#include "../profile/analyse.h"
#include "../profile/profile.h"
#include "../profile/tasks.h"

/* The part of one task or interrupt; parts are written one after the other. */
struct export_part {
    const struct task_sums *tasks; /* the busiest first */
    size_t number;                 /* in `tasks`: whose part it is */
    size_t written;                /* how many parts are written already */
};

struct export_options {
    unsigned
        bin_bytes; /* gmon: width of a bin; 0: that of an instruction, or the input's */
    size_t limit;  /* dot, svg: at most this many functions; 0: all */
    const struct export_part *part; /* for formats by task; NULL: the whole profile */
    /* Takes a warning, one line without its end, where the format cannot say all; may be
     * NULL. */
    void (*warn)(const char *text);
};

/*
 * Writes one format. image and the analysis made with it are there if needs_elf says so;
 * else image may be NULL. false: error filled in; whether writing to `out` failed is for
 * the caller to see (ferror).
 */
typedef bool export_write(FILE *out, const struct profile *profile,
                          const struct analysis *analysis, struct image *image,
                          const struct export_options *options, struct error *error);
/* Turns the text that was written into the format. */
typedef bool export_finish(FILE *out, const char *text, const struct profile *profile,
                           struct image *image, struct error *error);

struct export_format {
    const char *name;
    const char *suffix; /* of files, with the dot */
    const char *help;   /* without a full stop; further lines are indented */
    bool needs_elf;
    bool binary;   /* not for a terminal */
    bool by_task;  /* is written once for each task, where there are some */
    bool upwards;  /* the busiest task is written last */
    bool timed;    /* it shows nothing but timed calls or call paths */
    bool timeline; /* it shows nothing but the timeline */
    export_write *write;
    export_finish *finish; /* NULL: what is written is the format */
};

/* Ends with a NULL name. */
extern const struct export_format export_formats[];

const struct export_format *export_find(const char *name); /* NULL: there is none */

/* Writes a profile in a format, once for each task if it is written by task, but does not
 * finish it. options->part is NULL. */
bool export_all(const struct export_format *format, FILE *out,
                const struct profile *profile, struct image *image,
                const struct export_options *options, struct error *error);

export_write export_gmon, export_folded, export_dot, export_json, export_callgrind,
    export_csv, export_perfetto;
export_finish export_svg; /* of dot */
export_finish export_flamegraph, export_speedscope, export_pprof,
    export_firefox; /* of folded */

/* They put members of the profile's object, which `mcuprof info --json` has, too:
 * `build_id` and `hz`; `time_base`; `sampling`; `timeline`. A member is null where
 * nothing is known. */
void export_firmware(struct json *json, const struct profile *profile);
void export_time_base(struct json *json, const struct profile *profile);
void export_sampling(struct json *json, const struct profile *profile);
/* The image, for the marks' names, may be NULL. false: out of memory. */
bool export_timeline(struct json *json, const struct profile *profile,
                     const struct image *image);

/*
 * export_gmon() may get NULL for both the image and the analysis: the inputs must then be
 * gmon.out files (profile.word_bytes is not 0), whose words, arcs and bins it keeps.
 *
 * export_mcuprof() writes our own wire, as firmware would send all that the profile
 * holds, and says what was lost. `text` (may be NULL) becomes console text, with '?' for
 * bytes that are not ASCII. false, too, where records cannot say what the profile holds:
 * samples in bins, stacks with more frames than a depth can be, sums that are beyond
 * their fields, rates and addresses beyond 32 bits.
 */
bool export_mcuprof(FILE *out, const struct profile *profile, const char *text,
                    size_t text_bytes, struct error *error);

/*
 * A name as text for other programs: valid UTF-8 without control characters (what is not,
 * becomes '?'), cut with an ellipsis where it is longer than `most` bytes (0: never).
 * The caller frees it; NULL: out of memory.
 */
char *export_text(const char *name, size_t most);

/* Where a function is written; file NULL where unknown. */
struct image_line export_place(struct image *image, const struct function *function);

/* Where a call was written, by its return address or, of an inlined function, by DWARF;
 * file NULL where unknown. */
struct image_line export_call_site(struct image *image, const struct call_site *site);

/* Share of the program's time, in per cent; a negative number where there is none to
 * tell: no samples, or the profiler's own function. `time` as in the analysis. */
double export_percent(const struct analysis *analysis, const struct function *function,
                      double time);

/* The task whose part is written; NULL: the whole profile is. */
const struct task_sum *export_task(const struct export_options *options);
bool export_is_first(const struct export_options *options);
bool export_is_last(const struct export_options *options);

bool export_no_memory(struct error *error); /* fills it in, returns false */

#endif
