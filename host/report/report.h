/* SPDX-License-Identifier: MIT */
/*
 * What `mcuprof report` prints. Everything here formats an analysis; nothing here
 * computes.
 */
#ifndef MCUPROF_HOST_REPORT_H
#define MCUPROF_HOST_REPORT_H

#include "../analysis/analyse.h"
#include "../analysis/annotate.h"
#include "../answers/energy.h"
#include "../base/error.h"
#include "../figures/figures.h"
#include "../image/disassembly.h"
#include "../image/image.h"
#include "../image/texts.h"
#include "../profile/profile.h"
#include "shorten.h"

struct report {
    const struct analysis *analysis;
    const struct profile *profile;
    struct image *image;
    const struct energy *energy; /* NULL: it was not asked for */
    struct style style;
    const struct figure_list *order; /* of functions; NULL: no table of them is printed */
    const struct figure_list *columns; /* of the flat profile; NULL: the usual ones */
    size_t limit; /* most rows of a table, most entries of the graph; 0: all */
    bool brief; /* the summary is what was received, lost and paid for it, and warnings */
    const char *rest; /* the option that shows what usual tables leave out; NULL: nothing
                       * is left out but by `limit` */
    bool *focus;      /* by function: it is shown; NULL: no focus, all are shown */
    bool *near;       /* by function, with focus: it is shown, or is a caller or callee of
                       * one that is */
    FILE *out;
};

/* How times are shown: one unit for a whole report, so that columns can be compared. */
struct time_scale {
    const char *unit; /* "s", "ms", "us" or, without a rate, "samples" */
    double factor;    /* times of the analysis are multiplied by it */
    int decimals;
    int finest; /* for samples: decimals of the smallest possible error */
};
struct time_scale report_time_scale(const struct report *report);
/* Scales for timed calls: one for sums of ticks, one for times of single calls, whose
 * means lie between `least` and `most` ticks. The unit is "ticks" if the time base is not
 * known. */
struct time_scale report_ticks_scale(const struct report *report);
struct time_scale report_single_scale(const struct report *report, double least,
                                      double most);
/* Writes "12.345", in the scale's unit; "0" if the time is exactly 0. */
void report_time(char *text, size_t size, const struct time_scale *scale, double time);
/*
 * Writes a sampled time: "11.7 ±0.1" ("+-" where ± cannot be shown). Digits end where the
 * error begins; blanks keep points and errors of a column below each other. Without a
 * sample it writes "<0.003": the upper bound of 95 %, which is three samples (J. Hanley,
 * A. Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 1983). If the
 * rate is not known it writes a count of samples, with all digits.
 */
void report_sampled(char *text, size_t size, const struct report *report, double time);
const char *report_plus_minus(const struct report *report);
/* The same of a total, which may be too low by `hidden` (analysis.h). */
void report_total(char *text, size_t size, const struct report *report, double time,
                  double hidden);
/* The same without an error: an estimate's error is larger than the error of its samples.
 */
void report_estimate(char *text, size_t size, const struct report *report, double time);
/* Writes the time's share of `whole`, in per cent, rounded to whole per cents at most;
 * "0" if `whole` is 0. */
void report_share(char *text, size_t size, const struct report *report, double time,
                  double whole);
/* The same of a total, which may be too low by `hidden` (analysis.h). */
void report_total_share(char *text, size_t size, const struct report *report, double time,
                        double hidden, double whole);
/* The same of a share of sampled time as the table of figures has it. */
void report_share_figure(char *text, size_t size, const struct report *report,
                         const struct measure *share, double whole);
/* Writes the standard error of that share, with as many decimals; "" if the time is 0. */
void report_share_error(char *text, size_t size, const struct report *report, double time,
                        double whole);
/* The unit of energies for a whole report, by what all of it took; "" without any. */
struct time_scale report_energy_scale(const struct report *report);
/* Writes "11.7 ±0.1" as report_sampled() does, in that unit; without an error three
 * digits. Of nothing it writes "<0.003", the bound of energy_bound(). */
void report_energy(char *text, size_t size, const struct report *report,
                   const struct joules *energy);
/* How many decimals such a bound has, `finest` at most. */
int report_bound_decimals(double bound, int finest);
/* Writes "11.7 ±0.1" of any figure; without an error three digits. */
void report_with_error(char *text, size_t size, const struct report *report,
                       double figure, double error);
/* Writes "248 ±1 us". */
void report_mean(char *text, size_t size, const struct report *report, double seconds,
                 double error);
/* Writes "1.46 ±0.08 mA", and "12.2 ±0.7 days", with the unit that suits them. */
void report_current(char *text, size_t size, const struct report *report, double amperes,
                    double error);
void report_joules(char *text, size_t size, const struct report *report, double joules,
                   double error);
void report_life(char *text, size_t size, const struct report *report, double seconds,
                 double error);
/* How many decimals a figure with that error has: up to the error's first digit. Below 0:
 * that digit is left of the point. */
int report_decimals(double error);
/* The same, limited to 0 to 2; 2 if there is no error. */
int report_digits(double error);
/* Writes "12.3 us": three digits, and the unit that suits them. */
void report_duration(char *text, size_t size, const struct report *report,
                     double seconds);
/* The same of another unit: "4.40 mA". */
void report_quantity(char *text, size_t size, const struct report *report, double value,
                     const char *unit);
/* `part` in per cent of `whole`; 0 if `whole` is 0. */
double report_percent(double part, double whole);
/* Writes a bar for a share of 100 %: of BAR_COLUMNS. */
enum { BAR_COLUMNS = 10 };
void report_bar(char *text, size_t size, const struct report *report, double percent);
/* The tint for a share of the time; a share of 0 is dim. */
enum tint report_heat(double percent);
/* The figures' source: of the profiler's own functions or of the others. */
struct figure_source report_source(const struct report *report, bool overhead);
/* enum column_needs that the analysis meets. */
unsigned report_knows(const struct report *report);
/* Prints in a line which figures of a list the profile does not have; nothing if it has
 * all. `what` is what is not done with them. Returns how many it does not have. */
size_t report_lacking(const struct report *report, const struct figure_list *list,
                      const char *what);
/* Prints a table's title: its name, then what its figures are, which may be "". */
void report_title(const struct report *report, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints "and N more functions: --all" if a limit cut a table; the option is `rest`. */
void report_cut(const struct report *report, size_t left_out, const char *one,
                const char *many);

/* Sets the focus to the functions of that name. *matches: how many there are. false: out
 * of memory. */
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
/* Prints timed calls: by function, the times of single calls, and by call site. */
bool report_timed(const struct report *report, struct error *error);
bool report_singles(const struct report *report, struct error *error);
bool report_sites(const struct report *report, struct error *error);
/* Prints what each task and interrupt did. */
bool report_tasks(const struct report *report, struct error *error);
/* Prints sums of the timeline, and the user's marks. */
bool report_timeline(const struct report *report, struct error *error);
bool report_flat(const struct report *report, struct error *error);
bool report_graph(const struct report *report, struct error *error);
bool report_lines(const struct report *report, struct error *error);
/* Prints how much faster the run would be if a function cost less. */
bool report_gains(const struct report *report, struct error *error);
/* Prints sampled call paths through the focus: the `most` most frequent ones, then those
 * to each function. */
bool report_paths(const struct report *report, size_t most, struct error *error);
/* Prints only the most frequent ones. */
bool report_top_paths(const struct report *report, size_t most, struct error *error);
/* Prints as a tree who called the functions of that name or, with `callees`, whom they
 * called. Inlined functions count, too. *found: whether a path has any of them. */
bool report_tree(const struct report *report, const char *name, bool callees, bool *found,
                 struct error *error);

/* What `mcuprof annotate` shows. */
struct annotate_view {
    const struct annotation *annotation;
    struct texts *texts;
    const struct disassembly *code; /* NULL: only lines are shown; else instructions,
                                     * too */
    const char *focus;              /* only functions of that name; NULL: all */
    unsigned context;               /* lines shown around those with counts */
};
/* Whether a function is shown. It is not if it is out of focus, nor if it is inlined and
 * instructions are shown. */
bool report_annotates(const struct annotate_view *view,
                      const struct annotated_function *function);
bool report_annotation(const struct report *report, const struct annotate_view *view,
                       struct error *error);

#endif
