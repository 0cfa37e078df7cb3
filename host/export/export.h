/* SPDX-License-Identifier: MIT */
/*
 * Files for other programs. Each format is one function; export_formats lists them.
 * Nothing here measures: figures come from analysis/ as they are, and its estimates
 * (children, total) stay estimates.
 */
#ifndef MCUPROF_HOST_EXPORT_H
#define MCUPROF_HOST_EXPORT_H

#include <stdio.h>

#include "../analysis/analyse.h"
#include "../analysis/frame_tree.h"
#include "../answers/energy.h"
#include "../base/error.h"
#include "../base/json.h"
#include "../capture/tasks.h"
#include "../figures/figures.h"
#include "../image/image.h"
#include "../profile/profile.h"

/* The part of one task or interrupt. Parts are written one after the other. */
struct export_part {
    const struct task_sums *tasks; /* the busiest first */
    size_t number;                 /* index of this part's task in `tasks` */
    size_t written;                /* how many parts are written already */
    unsigned *known; /* csv: enum column_needs that the parts so far have met */
    void (*warn)(const char *text); /* takes a warning of all parts together */
};

struct export_options {
    unsigned bin_bytes; /* gmon: width of a bin; 0: the width of an instruction, or of the
                         * input's bins */
    size_t limit;       /* dot, svg: at most this many functions; 0: all */
    const struct figure_list *columns; /* csv: NULL: the usual ones */
    const struct figure_list *order;   /* csv: NULL: by address */
    const struct energy *energy;    /* of the whole profile; NULL: it is not asked for */
    const struct export_part *part; /* for formats by task; NULL: the whole profile */
    /* Takes a warning, one line without its end, where the format cannot express all; may
     * be NULL. */
    void (*warn)(const char *text);
};

/*
 * Writes one format. If the format needs_elf, image and the analysis made with it are
 * there; else image may be NULL. false: error filled in. The caller checks whether
 * writing to `out` failed (ferror).
 */
typedef bool export_write(FILE *out, const struct profile *profile,
                          const struct analysis *analysis, struct image *image,
                          const struct export_options *options, struct error *error);
/* The same of the tree of frames, which is built by the format's view and has a weight.
 */
typedef bool export_write_tree(FILE *out, const struct frame_tree *tree,
                               const struct analysis *analysis, struct image *image,
                               struct error *error);
/* Turns the text that was written into the format. */
typedef bool export_finish(FILE *out, const char *text, const struct profile *profile,
                           struct image *image, struct error *error);

struct export_format {
    const char *name;
    const char *suffix; /* of files, with the dot */
    const char *help;   /* without a full stop; further lines are indented */
    bool needs_elf;
    bool binary;                   /* should not go to a terminal */
    bool by_task;                  /* is written once for each task, if there are tasks */
    bool upwards;                  /* the busiest task is written last */
    bool timed;                    /* it shows nothing but timed calls or call paths */
    bool timeline;                 /* it shows nothing but the timeline */
    bool energy;                   /* it has energy, where that is asked for */
    export_write *write;           /* or: */
    export_write_tree *write_tree; /* by `view` */
    enum tree_view view;
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
export_write_tree export_flamegraph, export_speedscope, export_pprof, export_firefox;
export_finish export_svg; /* turns dot's text into a picture */

/* Each puts members of the profile's object, which `mcuprof info --json` has, too:
 * `build_id` and `hz`; `time_base`; `sampling`; `timeline`. A member is null if it is not
 * known. */
void export_firmware(struct json *json, const struct profile *profile);
void export_time_base(struct json *json, const struct profile *profile);
void export_sampling(struct json *json, const struct profile *profile);
/* The image may be NULL; marks get their names from it. false: out of memory. */
bool export_timeline(struct json *json, const struct profile *profile,
                     const struct image *image);

/* Figures of a function, and the names of their members. */
struct export_members {
    struct figure_list list;
    struct {
        char name[FIGURE_FIELD], seconds[FIGURE_FIELD];
    } names[FIGURES_MAX];
};
/* `figures` is a list as in --columns. */
void export_name_members(struct export_members *members, const char *figures);
/* Puts the members; null where a figure is not known. Figures of timed calls are for the
 * object `timed`: in ticks and in seconds, their errors in ticks. */
void export_figures(struct json *json, const struct export_members *members,
                    const struct figure_source *source, const struct function *function);

/* Puts the member `energy`. false: out of memory. */
bool export_energy(struct json *json, const struct energy *energy,
                   const struct profile *profile, const struct analysis *analysis);

/*
 * export_gmon() may get NULL for both the image and the analysis. Then all inputs must be
 * gmon.out files (profile.word_bytes is not 0); it keeps their words, arcs and bins.
 *
 * export_mcuprof() writes our own wire, as firmware that counted the whole profile would
 * send it, with the numbers of what was lost. `text` (may be NULL) becomes console text,
 * with '?' for bytes that are not ASCII. It also returns false if records cannot express
 * the profile: samples in bins, stacks with more frames than a depth can be, sums that
 * are too large for their fields, rates and addresses beyond 32 bits.
 */
bool export_mcuprof(FILE *out, const struct profile *profile, const char *text,
                    size_t text_bytes, struct error *error);
/* The same in version 3 of the wire, which has no place for a timeline yet. */
bool export_words(FILE *out, const struct profile *profile, const char *text,
                  size_t text_bytes, struct error *error);

/*
 * A name as text for other programs: valid UTF-8 without control characters ("\x.."
 * replaces what is not), cut with an ellipsis if it is longer than `most` bytes (0:
 * never). The caller frees it; NULL: out of memory.
 */
char *export_text(const char *name, size_t most);

/* The source line of a function; file is NULL if unknown. */
struct image_line export_place(struct image *image, const struct function *function);

/* Where a call was written, by its return address or, of an inlined function, by DWARF;
 * file NULL where unknown. */
struct image_line export_call_site(struct image *image, const struct call_site *site);

/* The task whose part is written; NULL: the whole profile is. */
const struct task_sum *export_task(const struct export_options *options);
bool export_is_first(const struct export_options *options);
bool export_is_last(const struct export_options *options);

#endif
