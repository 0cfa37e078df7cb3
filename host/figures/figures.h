/* SPDX-License-Identifier: MIT */
/*
 * The figures of a function, in one table: what a figure is called and measured in, when
 * a profile has it, and how it is computed with its error. The report, csv, json, the
 * page and `top` show what the table holds and compute nothing. To add a figure is to add
 * a row to it (CONTRIBUTING.md). Nothing here prints.
 */
#ifndef MCUPROF_HOST_FIGURES_H
#define MCUPROF_HOST_FIGURES_H

#include <string.h>

#include "../analysis/analyse.h"
#include "../answers/energy.h"
#include "../base/error.h"

/* What must be known so that a figure, or a column, has content; bits. */
enum column_needs {
    NEEDS_SAMPLES = 1,
    NEEDS_RATE = 2,
    NEEDS_CALLS = 4,
    NEEDS_BLOCKS = 8,
    NEEDS_PATHS = 16,
    NEEDS_ESTIMATE = 32,   /* times are estimated, because there are no paths */
    NEEDS_UTF8 = 64,       /* the terminal shows all Unicode characters */
    NEEDS_POWER = 128,     /* currents are known, and so is energy */
    NEEDS_TOTALS = 256,    /* paths are known, or calls by which totals are estimated */
    NEEDS_TIMED = 512,     /* calls were timed */
    NEEDS_SINGLES = 1024,  /* and each single one is known (analysis_singles()) */
    NEEDS_EXTREMES = 2048, /* the shortest and the longest: not with costs put back */
    NEEDS_ENERGY = 4096,   /* the energy of functions is known */
    NEEDS_TERMINAL = 8192  /* it is printed on a terminal, where bars help the eye */
};

enum figure_unit {
    UNIT_NUMBER,
    UNIT_SAMPLES,
    UNIT_SECONDS, /* sampled; where the rate is not known, samples */
    UNIT_SECONDS_A_CALL,
    UNIT_TICKS, /* timed; sums of calls */
    UNIT_TICKS_A_CALL,
    UNIT_PERCENT, /* of the program's time */
    UNIT_JOULES
};

/* Where the figures come from. */
struct figure_source {
    const struct profile *profile;
    const struct analysis *analysis;
    const struct energy_functions *joules; /* of the analysis; NULL: not known */
    bool overhead; /* shares are those of the profiler's own functions in all time
                    * sampled; else those of the others in the program's */
};

/* Whose figure is asked for. */
struct figure_subject {
    const struct function *function; /* NULL: a cycle or a call site, whose calls were
                                      * timed */
    const struct timed *timed;       /* never NULL */
};

/* A figure's value. `whole` is the same of UNIT_NUMBER and UNIT_TICKS, without being
 * rounded. */
struct measure {
    double value;   /* NAN: not known, or there is none */
    double error;   /* standard error; NAN: not known, or the value is exact */
    double missing; /* the part of the error by which the value can only be too low */
    uint64_t whole;
    uint64_t recursive; /* beside `whole`: the function's calls of itself */
    enum { MEASURE_IS, MEASURE_AT_LEAST, MEASURE_AT_MOST } is;
};

struct figure {
    const char *id;       /* "self"; its error is "self_error" */
    const char *title[2]; /* as a column's (report/columns.h) */
    const char *help;     /* a line */
    enum figure_unit unit;
    unsigned needs;    /* enum column_needs */
    bool has_error;    /* an error is known where the profile allows that */
    bool estimated;    /* without call paths it is an estimate, and has no error */
    const char *stem;  /* of its name in csv and json, without the unit; NULL: the id */
    const char *timed; /* the figure of timed calls that has its meaning; NULL: none */
    struct measure (*measure)(const struct figure_source *source,
                              const struct figure_subject *subject);
};

/* Ends with a NULL id. */
extern const struct figure figure_rows[];

/* Its value; of a subject that is no function only timed calls have some. */
struct measure figure_of(const struct figure *figure, const struct figure_source *source,
                         const struct figure_subject *subject);
struct measure figure_measure(const struct figure *figure,
                              const struct figure_source *source,
                              const struct function *function);

/* enum column_needs that the source meets. */
unsigned figures_known(const struct figure_source *source);
/* Why a profile that knows so much does not have a figure: "no timed calls"; NULL: it has
 * it. */
const char *figure_lacks(const struct figure *figure, unsigned known);
/* The figure itself or, where the profile has not it but its meaning among timed calls,
 * that one. */
const struct figure *figure_in(const struct figure *figure, unsigned known);

/* ---- Lists of figures, as in --columns and --sort ---- */

enum { FIGURES_MAX = 64 };

/* A figure or, with `error`, its standard error. Without a figure it is the name, by
 * which rows can be sorted. */
struct figure_key {
    const struct figure *figure;
    bool error;
    bool ascending; /* in an order */
};
struct figure_list {
    struct figure_key keys[FIGURES_MAX];
    size_t count;
};

/* Reads "self,total_error,p99". false: the error says which part of the text is wrong,
 * and lists the figures. */
bool figures_parse(struct figure_list *list, const char *text, struct error *error);
/* Reads "self,-calls,+name": a plus is for an ascending order. Figures descend without
 * it, the name ascends without a minus. */
bool figures_parse_order(struct figure_list *list, const char *text, struct error *error);
/* Whether the first key is the name. */
bool figures_by_name(const struct figure_list *order);
/* The list for a profile that knows so much: each figure_in(). */
struct figure_list figures_in(const struct figure_list *list, unsigned known);
/* The list for a table of timed calls: figures of them in place of those that have their
 * meaning. */
struct figure_list figures_of_calls(const struct figure_list *list);
/* Writes what the profile does not have, and why: "p99, mean: no timed calls"; "": it has
 * all. Returns how many figures it does not have. */
enum { FIGURES_TEXT = 400 };
size_t figures_lacking(const struct figure_list *list, unsigned known,
                       char text[FIGURES_TEXT]);

/* ---- Orders ---- */

/* Fills in what a row is sorted by, a number for each key of the order. They ascend; what
 * is not known is INFINITY, and so comes last. */
void figures_keys(double *keys, const struct figure_list *order,
                  const struct figure_source *source,
                  const struct figure_subject *subject);
/* Compares two rows by such numbers and by name, as qsort() takes it. 0: the order does
 * not tell them apart. */
static inline int figures_compare(const struct figure_list *order,
                                  const double *left_keys, const char *left_name,
                                  const double *right_keys, const char *right_name)
{
    for (size_t i = 0; i < order->count; i++) {
        double left = left_keys[i], right = right_keys[i];
        if (order->keys[i].figure != NULL && left != right)
            return left < right ? -1 : 1;
        int names = order->keys[i].figure == NULL ? strcmp(left_name, right_name) : 0;
        if (names != 0)
            return order->keys[i].ascending ? names : -names;
    }
    return 0;
}

/* Writes the name that csv and json give to a figure, with its unit: "self_seconds",
 * "self_error_seconds". `ticks` is the unit of timed calls, "_ticks" or "_seconds". */
enum { FIGURE_FIELD = 48 };
void figure_field(char text[FIGURE_FIELD], const struct figure_key *key,
                  const char *ticks);

#endif
