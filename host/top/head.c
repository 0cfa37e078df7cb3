/* SPDX-License-Identifier: MIT */
/* The lines above the table: the source and its state, what came, what was lost. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/digits.h"
#include "../base/path.h"
#include "../base/plural.h"
#include "../capture/sampling.h"
#include "internal.h"

enum { BITS_A_BYTE = 10, TEXT_MAX = 640, GAP = 2, TASKS_SHOWN = 8 };

bool flow_put(struct flow *flow, enum tint tint, const char *format, ...)
{
    char text[TEXT_MAX];
    size_t columns, gap = flow->column > 0 ? GAP : 0;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    columns = style_columns(&flow->grid->style, text, NULL);
    if (flow->column + gap + columns > flow->grid->columns && flow->column > 0) {
        if (flow->rows <= 1)
            return false;
        flow->row++;
        flow->rows--;
        flow->column = gap = 0;
    }
    flow->column = grid_put(flow->grid, flow->row, flow->column + gap, tint, text);
    return true;
}

/* Moves to the next row; false: there is none. */
static bool flow_next(struct flow *flow)
{
    if (flow->column == 0)
        return true;
    flow->row++;
    flow->column = 0;
    return --flow->rows > 0;
}

/* Puts a sentence; lines break between words. */
static void flow_sentence(struct flow *flow, enum tint tint, const char *text)
{
    while (*text != '\0' && flow_next(flow)) {
        size_t room = flow->grid->columns, bytes = strlen(text), at;

        if (bytes > room) {
            for (at = room; at > room / 2 && text[at] != ' '; at--)
                ;
            bytes = text[at] == ' ' ? at : room;
        }
        flow_put(flow, tint, "%.*s", (int)bytes, text);
        text += bytes;
        text += strspn(text, " ");
    }
}

void top_clock(char *text, size_t size, double seconds)
{
    unsigned long whole = seconds > 0 ? (unsigned long)seconds : 0;

    if (whole >= 3600)
        snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60,
                 whole % 60);
    else
        snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
}

/* ---- The source ---- */

static void put_link(struct flow *flow, const struct top *top, const struct live *live)
{
    char since[32];

    top_clock(since, sizeof since, live->now - top->source.link_since);
    if (top->source.link == LINK_LOST)
        flow_put(flow, TINT_HOT, "LINK LOST %s ago, trying again", since);
    else
        flow_put(flow, TINT_WARM, "%s",
                 top->source.lives ? "the source has ended" : "the whole file was read");
}

static void put_state(struct flow *flow, const struct top *top, const struct live *live)
{
    char since[32];

    top_clock(since, sizeof since, live->now - live->last_at);
    if (top->source.link != LINK_UP) {
        put_link(flow, top, live);
        return;
    }
    switch (live_state(live)) {
    case LIVE_SILENT:
        flow_put(flow, TINT_WARM, "nothing received yet");
        break;
    case LIVE_TEXT:
        flow_put(flow, TINT_WARM, "no profile yet");
        break;
    case LIVE_QUIET:
        flow_put(flow, TINT_WARM, "quiet for %s", since);
        break;
    case LIVE_STOPPED:
        flow_put(flow, TINT_WARM, "the firmware stopped the profiler");
        break;
    default:
        break;
    }
}

static void put_window(struct flow *flow, const struct top *top)
{
    unsigned window = top->windows[top->window];

    if (top->frozen)
        flow_put(flow, TINT_HOT, "FROZEN");
    if (!top->source.lives)
        flow_put(flow, TINT_BOLD, "whole file");
    else if (window == 0)
        flow_put(flow, TINT_BOLD, "since the start");
    else
        flow_put(flow, TINT_BOLD, "last %u s", window);
    if (top->task[0] != '\0')
        flow_put(flow, TINT_BOLD, "only task %s", top->task);
}

static void put_source(struct flow *flow, const struct top *top, const struct live *live)
{
    char clock[32], size[32];

    flow_put(flow, TINT_BOLD, "mcuprof top");
    flow_put(flow, TINT_PLAIN, "%s",
             top->source.lives ? top->source.name : path_tail(top->source.name, 1));
    if (top->source.elf != NULL)
        flow_put(flow, TINT_PLAIN, "%s", path_tail(top->source.elf, 1));
    if (top->source.lives) {
        top_clock(clock, sizeof clock, live->now - live->first_at);
        flow_put(flow, TINT_PLAIN, "%s", clock);
    }
    if (top->source.recording != NULL) {
        top_rate(size, sizeof size, (double)live->bytes);
        flow_put(flow, TINT_WARM, "recording %s, %s bytes",
                 path_tail(top->source.recording, 1), size);
    }
    put_window(flow, top);
    put_state(flow, top, live);
}

/* ---- What is wrong ---- */

enum { HINT_AFTER_S = 5, ERROR_SHOWN_S = 20 };

static void put_hint(struct flow *flow, const struct live *live)
{
    enum live_state state = live_state(live);

    if (live->now - live->began < HINT_AFTER_S)
        return;
    if (state == LIVE_SILENT)
        flow_sentence(flow, TINT_WARM,
                      "Is the profiler started, the line connected, the speed right?");
    else if (state == LIVE_TEXT && live->profile.damaged > 0)
        flow_sentence(flow, TINT_WARM,
                      "What comes is no profile of mcuprof: is the speed of the line "
                      "right (--baud)?");
    else if (state == LIVE_TEXT)
        flow_sentence(flow, TINT_WARM,
                      "Text comes, but no profile: does the firmware call "
                      "mcuprof_start()?");
}

static void put_problems(struct flow *flow, const struct top *top,
                         const struct live *live)
{
    if (top->source.problem != NULL) {
        flow_sentence(flow, TINT_HOT, top->source.problem);
        flow_sentence(flow, TINT_HOT, "Functions are shown by their addresses.");
    }
    if (top->source.link != LINK_UP && top->source.link_error[0] != '\0')
        flow_sentence(flow, TINT_HOT, top->source.link_error);
    if (live->error.text[0] != '\0' &&
        (live->profile.records == 0 || live->now - live->error_at < ERROR_SHOWN_S)) {
        flow_sentence(flow, TINT_HOT, live->error.text);
        flow_sentence(flow, TINT_HOT, "All was counted anew from there on.");
    }
    put_hint(flow, live);
}

/* ---- Figures ---- */

/* Puts a task's share. false: there was no room for it, so tasks with smaller shares are
 * not tried. */
static bool put_task(struct flow *flow, const struct top *top,
                     const struct task_sum *task)
{
    double share = top_task_share(top, task);

    return task->idle || share <= 0 ||
           flow_put(flow, report_heat(100 * share), "%s %.1f %%", task->label,
                    100 * share);
}

static void put_load(struct flow *flow, const struct top *top)
{
    const struct task_sums *tasks = &top->found.tasks;
    double idle = top_idle_share(top);
    struct flow line = *flow;

    if (top->found.look.profile.task_count == 0 || tasks->count == 0)
        return;
    if (!flow_next(flow))
        return;
    line = (struct flow){flow->grid, flow->row, 1, 0};
    if (idle >= 0)
        flow_put(&line, TINT_BOLD, "CPU %.1f %% busy, %.1f %% idle", 100 * (1 - idle),
                 100 * idle);
    for (size_t i = 0; i < tasks->count && i < TASKS_SHOWN; i++)
        if (!put_task(&line, top, &tasks->items[i]))
            break;
    flow->column = line.column;
}

static void put_events(struct flow *flow, const struct top *top, enum event_kind kind,
                       const char *what)
{
    const struct top_found *found = &top->found;
    char text[32];
    bool rate = top->source.lives && found->look.seconds > 0;

    if (found->received[kind] == 0)
        return;
    top_rate(text, sizeof text,
             (double)found->received[kind] / (rate ? found->look.seconds : 1));
    flow_put(flow, TINT_PLAIN, "%s %s%s", text, what, rate ? "/s" : "");
}

static void put_line_load(struct flow *flow, const struct top *top)
{
    double bytes = top->found.bytes_per_s;
    double load = top->source.baud > 0 ? BITS_A_BYTE * bytes / top->source.baud : -1;

    if (!top->source.lives)
        return;
    if (load >= 0)
        flow_put(flow, load > 0.9 ? TINT_HOT : TINT_PLAIN, "link %.0f %%, %.1f kB/s",
                 100 * load, bytes / 1000);
    else
        flow_put(flow, TINT_PLAIN, "%.1f kB/s", bytes / 1000);
}

static void put_loss(struct flow *flow, const struct top *top)
{
    const struct top_found *found = &top->found;
    char now[32], all[32];
    uint64_t received = found->switches + events_sum(found->received);

    if (!found->accounted) {
        bool tells = strcmp(top->found.look.profile.format, "mcuprof") == 0;

        if (received > 0)
            flow_put(flow, TINT_WARM, "losses not %s", tells ? "told yet" : "known");
        return;
    }
    digits_whole(now, sizeof now, "", found->lost, "");
    digits_whole(all, sizeof all, "", found->lost_in_all, "");
    if (found->lost > 0)
        flow_put(flow, TINT_HOT, "lost %s (%.2g %%)", now,
                 report_percent((double)found->lost, (double)(found->lost + received)));
    else
        flow_put(flow, TINT_PLAIN, "lost 0");
    if (found->lost_in_all > found->lost)
        flow_put(flow, TINT_WARM, "%s since the start", all);
}

static void put_damage(struct flow *flow, const struct live *live)
{
    const struct profile *profile = &live->profile;
    uint64_t damaged = profile->damaged + profile->discarded;

    if (damaged > 0)
        flow_put(flow, TINT_WARM, "%llu record%s damaged", (unsigned long long)damaged,
                 plural(damaged));
    if (profile->resets > 0)
        flow_put(flow, TINT_WARM, "%zu reset%s", profile->resets,
                 plural(profile->resets));
}

/* Puts the profiler's share. If its functions have no sample this is a bound, as in
 * report_share(). No sample sees the time of the sampling interrupt. */
static void put_profiler(struct flow *flow, const struct top *top)
{
    const struct analysis *analysis = &top->found.analysis;
    double share = 100 * top_profiler_share(top);
    double sampling = 100 * sampling_share(&top->found.look.profile);
    double open = 100 * sampling_open_share(&top->found.look.profile);

    if (share > 0)
        flow_put(flow, share > 20 ? TINT_WARM : TINT_PLAIN, "profiler %.1f %%", share);
    else if (analysis->samples > 0)
        flow_put(flow, TINT_PLAIN, "profiler <%.2g %%",
                 fmin(100, 300 / analysis->samples));
    if (sampling > 0)
        flow_put(flow, sampling > 20 ? TINT_WARM : TINT_PLAIN, "sampling %.1f %%",
                 sampling);
    if (open > 0)
        flow_put(flow, TINT_WARM, "cut or unsure paths %.1f %%", open);
    if (top->found.timed && analysis->timed.program > 0)
        flow_put(flow, TINT_PLAIN, "in no finished call%s %.1f %%",
                 analysis->timed.at_most ? " at most" : "",
                 report_percent((double)analysis->timed.unfinished,
                                (double)analysis->timed.program));
}

static void put_figures(struct flow *flow, const struct top *top, const struct live *live)
{
    if (!flow_next(flow))
        return;
    put_line_load(flow, top);
    put_loss(flow, top);
    put_profiler(flow, top);
    put_events(flow, top, EVENT_SAMPLE, "samples");
    put_events(flow, top, EVENT_ARC, "calls");
    put_events(flow, top, EVENT_CALL, "timed calls");
    put_events(flow, top, EVENT_BLOCK, "blocks");
    put_damage(flow, live);
    if (top->source.losses > 0)
        flow_put(flow, TINT_WARM, "link lost %zu time%s", top->source.losses,
                 plural(top->source.losses));
}

size_t top_draw_head(const struct top *top, const struct live *live, struct grid *grid,
                     size_t rows)
{
    struct flow flow = {grid, 0, rows, 0};

    put_source(&flow, top, live);
    put_problems(&flow, top, live);
    if (top->found_any) {
        put_load(&flow, top);
        put_figures(&flow, top, live);
    }
    return flow.row + (flow.column > 0);
}
