/* SPDX-License-Identifier: MIT */
/* What the files of the live view share. */
#ifndef MCUPROF_HOST_TOP_INTERNAL_H
#define MCUPROF_HOST_TOP_INTERNAL_H

#include "../report/columns.h"
#include "../report/report.h"
#include "top.h"

/* Beside enum column_needs: bytes come as they are sent, so that there are seconds to
 * compare; the runs of tasks are counted. */
enum { NEEDS_SECONDS = 64, NEEDS_RUNS = 128 };

/* Figures of a row: shares are of the program's time. */
struct top_figures {
    double self, total; /* times, in the analysis' seconds or ticks; below 0: none */
    double calls;       /* below 0: not known */
    double mean;        /* seconds; below 0: not known */
};
struct top_figures top_figures(const struct top *top, const struct top_row *row);
/* What 100 % are, in the same unit. */
double top_whole(const struct top *top);

/* The report whose figures are printed to `out`. */
struct report top_report(const struct top *top, FILE *out);

/* Finds the rows of the pane; the first `most` of them, and those up to a page behind the
 * function that the cursor follows, are in order. false: out of memory. */
bool top_find_rows(struct top *top, size_t most);

/* Prints the rows from `first` on, with a heading, as a table. */
bool top_print_table(const struct top *top, size_t first, size_t rows, FILE *out);

/* Puts the lines above the table; returns how many there are, at most `rows`. */
size_t top_draw_head(const struct top *top, const struct live *live, struct grid *grid,
                     size_t rows);

/* Text that is drawn from left to right, an item after the other, onto a few rows. */
struct flow {
    struct grid *grid;
    size_t row, rows; /* the row it is on; rows that are left, that one included */
    size_t column;
};
/* false: it fits on none of them, and is left out. */
bool flow_put(struct flow *flow, enum tint tint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "12,345" in a rate's few columns: "12.3k" is never longer than 7. */
void top_rate(char *text, size_t size, double rate);
/* "1:23", "1:02:03" */
void top_clock(char *text, size_t size, double seconds);
/* The share of the time that the profiler's functions took, 0 to 1, as a report has it;
 * below 0: not known. */
double top_profiler_share(const struct top *top);
/* The share of the time in which the idle task ran; below 0: not known. */
double top_idle_share(const struct top *top);
/* A task's share of all time. */
double top_task_share(const struct top *top, const struct task_sum *task);

#endif
