/* SPDX-License-Identifier: MIT */
/*
 * From addresses to lines of source, function by function: samples, how often each line
 * ran, calls. Like analyse() it makes plain tables that report/ only formats.
 */
#ifndef MCUPROF_HOST_ANNOTATE_H
#define MCUPROF_HOST_ANNOTATE_H

#include "../image/image.h"
#include "../profile/profile.h"
#include "analyse.h"
#include "tally.h"

/*
 * A line ran as often as the busiest block that begins on it, or in which one of its
 * statements begins, under no condition. Without such a block it ran as often as the
 * busiest block that has code of the line; if some of this code is conditional, it ran at
 * most as often as all of these blocks (at_most). 0: it never ran. A line of inlined
 * code, shown as it was written, has the sum over all copies. NOT_COUNTED: its function's
 * blocks were not counted.
 */
#define NOT_COUNTED UINT64_MAX

/* What was counted in some code. */
struct annotated {
    double samples;
    double below; /* samples whose path has a call made here, each counted once; 0 without
                     paths */
    uint64_t ran; /* or NOT_COUNTED */
    bool at_most; /* its code is conditional: some of it ran less often than its block,
                     which `ran` counts */
    uint64_t calls;   /* made here */
    uint64_t entries; /* calls of the function that begins here */
};

/* A line of a function's source, or inlined code that landed on it. */
struct annotated_line {
    const char *file; /* NULL: the debug information does not tell */
    unsigned line;    /* 0: code of no line of its own */
    struct image_line
        from; /* inlined: where it was written; function NULL: not inlined */
    struct annotated here;
};

/* A function that inlined code landed in. */
struct annotated_landing {
    const char *function;
    double samples;
};

/* A function of the ELF with all of its code, inlined code included, so that its samples
 * are those of analyse(). Or (symbol NULL) an inlined function, with the code that was
 * made of its source wherever it landed. */
struct annotated_function {
    const char *name;
    const struct image_symbol *symbol;
    const char *file; /* of its first line; NULL: not known */
    unsigned line;    /* its first; 0: not known */
    double samples;
    double ran;       /* what its blocks ran, all together */
    uint64_t entries; /* calls of it */
    struct annotated_line
        *lines; /* by file, its own first; by line, its own code first */
    size_t line_count;
    struct annotated_landing *landings; /* inlined: the most samples first */
    size_t landing_count;
};

/* Events at one place. */
struct counted {
    uint64_t at, count;
};

struct annotation {
    struct annotated_function *functions; /* the most samples first */
    size_t function_count;
    size_t left_out; /* functions that are not among the first `limit` */
    bool has_blocks;
    double whole;   /* samples of the program: 100 % */
    double unknown; /* of these, in no function */
    /* private */
    struct tally tally;
    struct annotated_line *lines;
    struct annotated_landing *landings;
    struct counted *calls; /* arcs by call site */
    size_t call_count;
    struct counted *blocks; /* by address */
    size_t block_count;
    struct counted *below; /* samples by the place of a call, once for a path */
    size_t below_count;
};

/* The analysis must be that of the profile and the image; names live as long as they do.
 * It leaves out the profiler's own functions. With a `limit` (0: none) it also leaves out
 * functions that are not among the first so many, if it can tell without reading their
 * lines. false: out of memory. */
bool annotate(struct annotation *annotation, const struct profile *profile,
              const struct analysis *analysis, struct image *image, size_t limit,
              struct error *error);
void annotation_release(struct annotation *annotation);

/* The same for pieces of one function's code: `at` are their first addresses, ascending,
 * and each ends where the next begins, the last at the function's end. */
bool annotate_code(const struct annotation *annotation, struct image *image,
                   const struct annotated_function *function, const uint64_t *at,
                   size_t count, struct annotated *here, struct error *error);

#endif
