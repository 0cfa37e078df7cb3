/* SPDX-License-Identifier: MIT */
#include "loss.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/plural.h"

const char *loss_figure(uint64_t number, char text[FIGURE_MAX])
{
    char digits[FIGURE_MAX];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    int used = 0;

    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char *loss_kind(enum event_kind kind, bool one)
{
    switch (kind) {
    case EVENT_SAMPLE:
        return one ? "sample" : "samples";
    case EVENT_ARC:
        return one ? "call" : "calls";
    case EVENT_BLOCK:
        return one ? "block" : "blocks";
    case EVENT_CALL:
    case EVENT_KINDS:
        break;
    }
    return one ? "timed call" : "timed calls";
}

void loss_append(char text[LOSS_MAX], const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, LOSS_MAX - used, format, args);
    va_end(args);
}

/* Calls come first: they are counted exactly, samples are an estimate. */
static const enum event_kind order[] = {EVENT_ARC, EVENT_CALL, EVENT_BLOCK, EVENT_SAMPLE};
enum { ORDERED = sizeof order / sizeof order[0] };

/* The received events that `lost` belongs to. Where one task is shown they are those of
 * the whole run, because it is not known whose events were lost. */
static const uint64_t *came(const struct profile *profile)
{
    return profile->one_task ? profile->run_received : profile->received;
}

static bool seen(const struct profile *profile, enum event_kind kind, bool lost)
{
    return lost ? profile->lost[kind] > 0
                : profile->received[kind] > 0 || profile->lost[kind] > 0;
}

static size_t last_seen(const struct profile *profile, bool lost)
{
    size_t last = ORDERED;

    for (size_t i = 0; i < ORDERED; i++) {
        if (seen(profile, order[i], lost))
            last = i;
    }
    return last;
}

/* Writes "1,028 calls and 600 samples"; lost events get their shares, too. */
static bool list(const struct profile *profile, bool lost, char text[LOSS_MAX])
{
    const uint64_t *numbers = lost ? profile->lost : profile->received;
    size_t last = last_seen(profile, lost);
    const char *separator = "";

    for (size_t i = 0; i < ORDERED; i++) {
        enum event_kind kind = order[i];
        uint64_t switches = !lost && kind == EVENT_CALL ? profile_switches(profile) : 0;
        uint64_t number = numbers[kind] - switches;
        char figure[FIGURE_MAX];

        if (!seen(profile, kind, lost))
            continue;
        if (*separator != '\0')
            separator = i == last && switches == 0 ? " and " : ", ";
        loss_append(text, "%s%s %s", separator, loss_figure(number, figure),
                    loss_kind(kind, number == 1));
        if (switches > 0)
            loss_append(text, "%s%s task switch%s", i == last ? " and " : ", ",
                        loss_figure(switches, figure), switches == 1 ? "" : "es");
        if (lost && !profile->unaccounted)
            loss_append(text, " (%.1f %%)",
                        100.0 * (double)profile->lost[kind] /
                            ((double)came(profile)[kind] + (double)profile->lost[kind]));
        separator = ", ";
    }
    return last < ORDERED;
}

static bool any_lost(const struct profile *profile)
{
    return last_seen(profile, true) < ORDERED;
}

static bool is_all(const struct profile *profile)
{
    return profile_is_told(profile) && !any_lost(profile);
}

/* Says how many runs there are, if an input has more than one. */
static void describe_runs(const struct profile *profile, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];

    if (profile->run_count <= profile->inputs || profile->run_count < 2)
        return;
    loss_append(text, ", %s runs:", loss_figure(profile->run_count, figure));
    for (size_t i = 0; i < profile->run_count && i < RUNS_MAX; i++) {
        const struct run *run = &profile->runs[i];

        loss_append(text, "%s from byte %s", i > 0 ? "," : "",
                    loss_figure(run->offset, figure));
        if (profile->inputs > 1)
            loss_append(text, " of file %u", run->input + 1);
        loss_append(text, "%s", run->cut ? " (cut by a reset)" : "");
    }
    loss_append(text, "%s", profile->run_count > RUNS_MAX ? ", ..." : "");
}

/* Writes what is not known, beside what was lost. */
static void describe_end(const struct profile *profile, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];

    if (profile->unproven > 0)
        loss_append(text, ", %s event%s at the end not proven and not counted",
                    loss_figure(profile->unproven, figure), plural(profile->unproven));
    if (profile->accounted && profile->unaccounted)
        loss_append(text, ", more may be lost");
    if (profile->unsent > 0)
        loss_append(text,
                    ", up to %s counter%s may still be in the firmware, which did not "
                    "flush at the end",
                    loss_figure(profile->unsent, figure), plural(profile->unsent));
    describe_runs(profile, text);
}

static void describe_damage(const struct profile *profile, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];

    if (profile->mismatch)
        loss_append(text, ", which is not what the firmware sent");
    if (profile->damaged > 0)
        loss_append(text, ", %s damaged record%s discarded",
                    loss_figure(profile->damaged, figure), plural(profile->damaged));
    if (profile->discarded > 0)
        loss_append(text, ", %s record%s discarded whose block is damaged or came twice",
                    loss_figure(profile->discarded, figure), plural(profile->discarded));
    if (profile->repaired > 0)
        loss_append(text, ", %s repaired", loss_figure(profile->repaired, figure));
}

void loss_describe(const struct profile *profile, char text[LOSS_MAX])
{
    bool lost = profile->accounted && any_lost(profile);
    char figure[FIGURE_MAX];

    text[0] = '\0';
    if (last_seen(profile, false) == ORDERED) {
        loss_append(text, "no events received");
    } else {
        loss_append(text, is_all(profile) ? "all " : "");
        list(profile, false, text);
        loss_append(text, " received");
    }
    if (lost) {
        loss_append(text, profile->one_task ? ", of all tasks " : ", ");
        list(profile, true, text);
        loss_append(text, " lost");
    }
    if (!profile->accounted && last_seen(profile, false) < ORDERED)
        loss_append(text, ", what was lost is not known");
    if (events_sum(profile->earlier) > 0)
        loss_append(text, ", the recording began after %s event%s",
                    loss_figure(events_sum(profile->earlier), figure),
                    plural(events_sum(profile->earlier)));
    if (profile->timeline.lost > 0)
        loss_append(text, ", %s switches and marks of the timeline lost",
                    loss_figure(profile->timeline.lost, figure));
    describe_end(profile, text);
    describe_damage(profile, text);
}

void loss_timeline(const struct profile *profile, char text[LOSS_MAX])
{
    const struct timeline *timeline = &profile->timeline;
    char figure[FIGURE_MAX];
    bool known = !profile_loses_more(profile);

    text[0] = '\0';
    loss_append(text, "%s%s switches and marks received",
                known && timeline->lost + timeline->earlier == 0 ? "all " : "",
                loss_figure(timeline->received, figure));
    if (timeline->lost > 0)
        loss_append(text, ", %s lost", loss_figure(timeline->lost, figure));
    if (timeline->earlier > 0)
        loss_append(text, ", %s before the recording began",
                    loss_figure(timeline->earlier, figure));
    if (!known)
        loss_append(text, ", more may be lost");
}

bool loss_any(const struct profile *profile)
{
    return any_lost(profile) || profile->timeline.lost > 0 || profile_loses_more(profile);
}

bool loss_is_whole(const struct profile *profile)
{
    return profile->complete && !profile->mismatch && !profile->unaccounted &&
           profile->run_count <= 1 && profile->lost[EVENT_SAMPLE] == 0 &&
           events_sum(profile->earlier) == 0;
}

bool loss_allowed(bool strict, const struct profile *profile, const char *path,
                  struct error *error)
{
    char lost[LOSS_MAX];

    if (!strict || !loss_any(profile))
        return true;
    loss_describe(profile, lost);
    return error_set(error, EXIT_NO, "%s%s%s", path != NULL ? path : "",
                     path != NULL ? ": " : "", lost);
}

void loss_paths(const struct profile *profile, char text[LOSS_MAX])
{
    static const char *const names[STACK_ENDS] = {
        [STACK_WHOLE] = "whole",
        [STACK_INTERRUPT] = "interrupt",
        [STACK_CUT] = "cut",
        [STACK_UNSURE] = "unsure",
    };
    uint64_t counts[STACK_ENDS];
    char figure[FIGURE_MAX];

    text[0] = '\0';
    if (loss_count_paths(profile, counts) == 0)
        return;
    loss_append(text, "samples with paths:");
    for (int end = 0; end < STACK_ENDS; end++)
        loss_append(text, "%s %s %s", end > 0 ? "," : "", names[end],
                    loss_figure(counts[end], figure));
}

uint64_t loss_count_paths(const struct profile *profile, uint64_t counts[STACK_ENDS])
{
    uint64_t all = 0;

    memset(counts, 0, STACK_ENDS * sizeof *counts);
    for (size_t i = 0; i < profile->stacks.used; i++) {
        counts[profile->stacks.items[i].end] += profile->stacks.items[i].count;
        all += profile->stacks.items[i].count;
    }
    return all;
}
