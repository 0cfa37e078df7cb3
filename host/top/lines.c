/* SPDX-License-Identifier: MIT */
/* A line for each window, for logs: the most important of what frames show. */
#include <stdio.h>

#include "../capture/sampling.h"
#include "internal.h"

enum { FUNCTIONS_SHOWN = 5 };

static void print_rate(const struct top *top, enum event_kind kind, const char *what,
                       FILE *out)
{
    const struct top_found *found = &top->found;
    bool rate = top->source.lives && found->look.seconds > 0;
    char text[32];

    if (found->received[kind] == 0)
        return;
    top_rate(text, sizeof text,
             (double)found->received[kind] / (rate ? found->look.seconds : 1));
    fprintf(out, "  %s %s%s", text, what, rate ? "/s" : "");
}

static const char *state_of(const struct top *top, const struct live *live)
{
    static const char *const words[] = {
        [LIVE_SILENT] = "nothing received yet",
        [LIVE_TEXT] = "no profile yet",
        [LIVE_RUNNING] = NULL,
        [LIVE_QUIET] = "quiet",
        [LIVE_STOPPED] = "stopped",
        [LIVE_OVER] = "ended",
    };

    return top->source.link == LINK_LOST ? "link lost" : words[live_state(live)];
}

static void print_functions(const struct top *top, FILE *out)
{
    for (size_t i = 0;
         i < top->row_count && i < FUNCTIONS_SHOWN && top->rows[i].kind == ROW_FUNCTION;
         i++) {
        struct top_figures figures = top_figures(top, &top->rows[i]);
        double whole = top_whole(top);

        fputs(i == 0 ? "  " : ", ", out);
        if (whole > 0)
            fprintf(out, "%.1f %% ", 100 * figures.self / whole);
        style_text(&top->style, out, top->rows[i].name, SIZE_MAX);
    }
}

bool top_print_line(struct top *top, const struct live *live, FILE *out)
{
    const char *state = state_of(top, live);
    bool found = top_find_rows(top, FUNCTIONS_SHOWN);
    double profiler = top->found_any ? top_profiler_share(top) : -1;
    double sampling = top->found_any ? sampling_share(&top->found.look.profile) : 0;
    double open = top->found_any ? sampling_open_share(&top->found.look.profile) : 0;
    double idle = top->found_any ? top_idle_share(top) : -1;

    fprintf(out, "%.1f s", live->now - live->first_at);
    if (state != NULL)
        fprintf(out, "  %s", state);
    if (top->source.problem != NULL)
        fputs("  wrong ELF", out);
    if (top->found_any) {
        print_rate(top, EVENT_SAMPLE, "samples", out);
        print_rate(top, EVENT_ARC, "calls", out);
        print_rate(top, EVENT_CALL, "timed calls", out);
        if (top->found.accounted)
            fprintf(out, "  lost %llu", (unsigned long long)top->found.lost);
    }
    if (profiler >= 0)
        fprintf(out, "  profiler %.1f %%", 100 * profiler);
    if (sampling > 0)
        fprintf(out, "  sampling %.1f %%", 100 * sampling);
    if (open > 0)
        fprintf(out, "  cut or unsure paths %.1f %%", 100 * open);
    if (idle >= 0)
        fprintf(out, "  idle %.1f %%", 100 * idle);
    if (found)
        print_functions(top, out);
    fputc('\n', out);
    return found;
}
