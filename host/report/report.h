/* SPDX-License-Identifier: MIT */
/*
 * What `mcuprof report` prints. Everything here formats an analysis; nothing computes
 * one.
 */
#ifndef MCUPROF_HOST_REPORT_H
#define MCUPROF_HOST_REPORT_H

#include "../base/error.h"
#include "../image/disassembly.h"
#include "../image/image.h"
#include "../image/texts.h"
#include "../profile/analyse.h"
#include "../profile/annotate.h"
#include "../profile/profile.h"
#include "shorten.h"

enum report_sort { SORT_SELF, SORT_TOTAL, SORT_CALLS, SORT_NAME };

struct report {
    const struct analysis *analysis;
    const struct profile *profile;
    struct image *image;
    struct style style;
    enum report_sort sort;
    size_t limit; /* rows of a table, entries of the graph; 0: all */
    bool *focus;  /* per function: it is the one to show; NULL: no focus */
    bool *near;   /* with focus, per function: it is that one, its caller or its callee */
    FILE *out;
};

/* How times are shown: one unit for a whole report, so that columns can be compared. */
struct time_scale {
    const char *unit; /* "s", "ms", "us" or, without a rate, "samples" */
    double factor;    /* from the analysis' times */
    int decimals;
    int finest; /* of samples: decimals of the least error there can be */
};
struct time_scale report_time_scale(const struct report *report);
/* The same for timed calls: one for sums of ticks, one for times of single calls, whose
 * means lie between `least` and `most` ticks. The unit is "ticks" where the time base is
 * not known. */
struct time_scale report_ticks_scale(const struct report *report);
struct time_scale report_single_scale(const struct report *report, double least,
                                      double most);
/* "12.345", in that unit; "0" where there is nothing, not even a fraction. */
void report_time(char *text, size_t size, const struct time_scale *scale, double time);
/*
 * Sampled time: "11.7 ±0.1" ("+-" where ± cannot be shown); digits end where the error
 * begins, and blanks keep points and errors of a column below each other. Without a
 * sample "<0.003": the upper bound of 95 %, three samples' worth (J. Hanley,
 * A. Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 1983). Where
 * the rate is not known it is a count of samples, which has all its digits.
 */
void report_sampled(char *text, size_t size, const struct report *report, double time);
const char *report_plus_minus(const struct report *report);
/* The same without an error: an estimate's error is larger than that of its samples. */
void report_estimate(char *text, size_t size, const struct report *report, double time);
/* The same for the time's share of `whole`, in per cent, rounded to whole ones at most;
 * "0" if `whole` is 0. */
void report_share(char *text, size_t size, const struct report *report, double time,
                  double whole);
/* The standard error of that share, with as many decimals; "" where the time is 0. */
void report_share_error(char *text, size_t size, const struct report *report, double time,
                        double whole);
/* How many decimals a figure with that error has: up to the error's first digit; below 0
 * where that digit is left of the point. */
int report_decimals(double error);
/* The same, from 0 to 2; 2 where there is no error. */
int report_digits(double error);
/* "12.3 us": three digits and the unit that suits them. */
void report_duration(char *text, size_t size, const struct report *report,
                     double seconds);
/* `part` in per cent of `whole`; 0 if `whole` is 0. */
double report_percent(double part, double whole);
/* How a share of the time is coloured; 0 is dim. */
enum tint report_heat(double percent);
/* enum column_needs that the analysis meets. */
unsigned report_knows(const struct report *report);
/* Prints a table's title: its name, then what its figures are; may be "". */
void report_title(const struct report *report, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "and N more functions" where a limit cut a table short. */
void report_cut(const struct report *report, size_t left_out, const char *one,
                const char *many);

/* Selects the functions of that name. *matches is how many there are. false: out of
 * memory. */
bool report_focus(struct report *report, const char *name, size_t *matches,
                  struct error *error);
void report_release(struct report *report);

/* Where the figures come from: `source` names the captures, `events` says what was
 * received and lost, `advice` what is wrong in the firmware, or "". false: out of memory.
 */
bool report_summary(const struct report *report, const char *source, const char *events,
                    const char *advice, struct error *error);
/* Prints a line of the summary: how much of the time could not be placed where totals are
 * estimated. */
void report_unplaced(const struct report *report);
/* Timed calls by function, what single ones took, and by call site. */
bool report_timed(const struct report *report, struct error *error);
bool report_singles(const struct report *report, struct error *error);
bool report_sites(const struct report *report, struct error *error);
/* What each task and interrupt did. */
bool report_tasks(const struct report *report, struct error *error);
/* What ran when, in sums, and the user's marks. */
bool report_timeline(const struct report *report, struct error *error);
bool report_flat(const struct report *report, struct error *error);
bool report_graph(const struct report *report, struct error *error);
bool report_lines(const struct report *report, struct error *error);
/* How much faster the run would be if a function cost less. */
bool report_gains(const struct report *report, struct error *error);
/* Prints sampled call paths through the focus: the `most` most frequent ones, then those
 * to each function. */
bool report_paths(const struct report *report, size_t most, struct error *error);
/* Prints the most frequent ones alone. */
bool report_top_paths(const struct report *report, size_t most, struct error *error);
/* Who called the functions of that name, or (callees) whom they called, as a tree. An
 * inlined function has a name, too. *found: whether there are any in a path. */
bool report_tree(const struct report *report, const char *name, bool callees, bool *found,
                 struct error *error);

/* What `mcuprof annotate` shows. */
struct annotate_view {
    const struct annotation *annotation;
    struct texts *texts;
    const struct disassembly *code; /* NULL: lines; else their instructions, too */
    const char *focus;              /* only functions of that name; NULL: all */
    unsigned context;               /* lines around those with counts */
};
/* Whether a function is shown. It is not if it is out of focus or if instructions are
 * shown and it is an inlined function. */
bool report_annotates(const struct annotate_view *view,
                      const struct annotated_function *function);
bool report_annotation(const struct report *report, const struct annotate_view *view,
                       struct error *error);

#endif
