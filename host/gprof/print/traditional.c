/* SPDX-License-Identifier: MIT */
/* The layout of the BSD gprof: -T. */
#include "print.h"

const struct graph_layout gprof_traditional_graph = {
    .child_width = 11,
    .spontaneous = "                                                     ",
    .blank_times = "                                 ",
    .around_rules = "\n",
};

const struct flat_layout gprof_traditional_flat = {5, 1, 10};

void gprof_put_traditional_graph_heading(const struct gprof *gprof)
{
    FILE *out = gprof->out;
    if (!gprof->options.brief) {
        fputs("\n\n\ncall graph profile:\n", out);
        fputs(gprof_traditional_graph_text, out);
    }
    fputs("\n", out);
    gprof_put_granularity(gprof);
    gprof_put_graph_share(gprof);
    fprintf(out, "%6.6s %5.5s %7.7s %11.11s %7.7s/%-7.7s     %-8.8s\n", "", "", "", "",
            "called", "total", "parents");
    fprintf(out, "%-6.6s %5.5s %7.7s %11.11s %7.7s+%-7.7s %-8.8s\t%5.5s\n", "index",
            "%time", "self", "descendants", "called", "self", "name", "index");
    fprintf(out, "%6.6s %5.5s %7.7s %11.11s %7.7s/%-7.7s     %-8.8s\n\n", "", "", "", "",
            "called", "total", "children");
}

void gprof_put_traditional_flat_heading(const struct gprof *gprof)
{
    FILE *out = gprof->out;
    if (!gprof->options.brief) {
        fputs("\n\n\nflat profile:\n", out);
        fputs(gprof_flat_text, out);
    }
    fputs("\n", out);
    gprof_put_granularity(gprof);
    if (gprof->total > 0)
        fprintf(out, " for %.2f%% of %.2f %s\n\n", 100 / gprof->total,
                gprof_seconds(gprof, gprof->total), gprof->dimension);
    else
        fputs(" no time accumulated\n\n", out);
}

void gprof_put_traditional_cell(FILE *out, const char *index, const char *name)
{
    fprintf(out, "%6.6s %-19.19s", index, name);
}
