/* SPDX-License-Identifier: MIT */
/* What the files of the live view share. */
#ifndef MCUPROF_HOST_TOP_INTERNAL_H
#define MCUPROF_HOST_TOP_INTERNAL_H

#include "../report/columns.h"
#include "../report/report.h"
#include "top.h"

/* Further bits beside enum column_needs. NEEDS_SECONDS: bytes come as the firmware sends
 * them, so that seconds can be compared; NEEDS_RUNS: the runs of tasks are counted. */
enum { NEEDS_SECONDS = 64, NEEDS_RUNS = 128 };

/* Figures of a row: shares are of the program's time. */
struct top_figures {
    double self, total; /* times, in the analysis' seconds or ticks; below 0: not known */
    double calls;       /* below 0: not known */
    double mean;        /* seconds; below 0: not known */
    double hidden;      /* by how much `total` may be too low (analysis.h) */
};
struct top_figures top_figures(const struct top *top, const struct top_row *row);
/* The time that is 100 %, in the same unit. */
double top_whole(const struct top *top);

/* Where the figures of functions come from. */
struct figure_source top_source_of(const struct top *top);

/* A report that prints figures to `out`. */
struct report top_report(const struct top *top, FILE *out);

/* Finds the rows of the pane. In order are the first `most` of them, and those up to a
 * page behind the function that the cursor follows. false: out of memory. */
bool top_find_rows(struct top *top, size_t most);

/* Prints the rows from `first` on, with a heading, as a table. */
bool top_print_table(const struct top *top, size_t first, size_t rows, FILE *out);

/* Puts the lines above the table, at most `rows`; returns how many there are. */
size_t top_draw_head(const struct top *top, const struct live *live, struct grid *grid,
                     size_t rows);

/* Items of text that are put from left to right, and into the next row where one is full.
 */
struct flow {
    struct grid *grid;
    size_t row, rows; /* the current row; rows that are left, with the current one */
    size_t column;
};
/* false: the item fits into no row and is dropped. */
bool flow_put(struct flow *flow, enum tint tint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a rate such as "12,345", or "12.3k" where columns are few: it never has more
 * than 7. */
void top_rate(char *text, size_t size, double rate);
/* Writes "1:23" or "1:02:03". */
void top_clock(char *text, size_t size, double seconds);
/* The share of the time that the profiler's functions took, 0 to 1, as a report has it;
 * below 0: not known. */
double top_profiler_share(const struct top *top);
/* The share of the time in which the idle task ran; below 0: not known. */
double top_idle_share(const struct top *top);
/* A task's share of the whole time. */
double top_task_share(const struct top *top, const struct task_sum *task);

#endif
