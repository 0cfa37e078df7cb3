/* SPDX-License-Identifier: MIT */
/* mcuprof info: what captures hold and what was lost, for people or as JSON. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "../answers/cache.h"
#include "../base/plural.h"
#include "../base/utf8.h"
#include "../capture/sampling.h"
#include "../export/export.h"
#include "advice.h"
#include "cmd.h"
#include "loss.h"

static struct input_options in;
static bool as_json;

static const struct option_spec options[] = {
    {0, "json", OPTION_FLAG, NULL, "one JSON object instead of text", &as_json},
    INPUT_OPTION_ROWS(in),
    {0},
};

static void put_kind(struct json *json, const char *key, const struct profile *profile,
                     enum event_kind which)
{
    uint64_t switches = which == EVENT_CALL ? profile_switches(profile) : 0;

    json_open(json, key, '{');
    json_whole(json, "received", profile->received[which] - switches);
    if (profile->accounted)
        json_whole(json, "lost", profile->lost[which]);
    else
        json_null(json, "lost");
    json_close(json, '}');
}

/* "sites": at how many call sites the ELF counts calls. */
static void put_sites(struct json *json, const struct image *image)
{
    const struct image_site *sites;

    if (image != NULL)
        json_whole(json, "sites", image_sites(image, &sites));
    else
        json_null(json, "sites");
}

static void put_paths(struct json *json, const struct profile *profile)
{
    uint64_t counts[STACK_ENDS];

    loss_count_paths(profile, counts);
    json_open(json, "paths", '{');
    json_whole(json, "depth", profile->path_depth);
    json_whole(json, "distinct", profile->stacks.used);
    json_whole(json, "whole", counts[STACK_WHOLE]);
    json_whole(json, "interrupt", counts[STACK_INTERRUPT]);
    json_whole(json, "cut", counts[STACK_CUT]);
    json_whole(json, "unsure", counts[STACK_UNSURE]);
    json_bool(json, "through_interrupts", profile->through_interrupts);
    json_close(json, '}');
}

static bool put_cache(struct json *json, const struct profile *profile)
{
    unsigned entries;
    size_t sites;
    bool done = cache_wanted(profile, &entries, &sites);

    json_open(json, "cache", '{');
    json_whole(json, "entries", profile->entries);
    /* without counters all calls come alone; where some did not, a sum does not tell */
    if (profile->entries > 0 || cache_alone(profile) >= 1 || !cache_has_calls(profile))
        json_real(json, "alone_percent", 100 * cache_alone(profile));
    else
        json_null(json, "alone_percent");
    json_whole(json, "wanted", entries);
    json_whole(json, "wanted_sites", sites);
    json_close(json, '}');
    return done;
}

static void put_runs(struct json *json, const struct profile *profile)
{
    json_open(json, "runs", '[');
    for (size_t i = 0; i < profile->run_count && i < RUNS_MAX; i++) {
        const struct run *run = &profile->runs[i];

        json_open(json, NULL, '{');
        json_whole(json, "input", run->input);
        json_whole(json, "offset", run->offset);
        json_bool(json, "cut", run->cut);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Writes what was received and lost. "accounted": losses are known; "unaccounted": more
 * may be lost than these; "mismatch": other events were received than were sent;
 * "earlier": events before the recording began; "unproven": events at the end that are
 * not counted; "unsent": counters may still be in the firmware; "unshown": records that
 * were read, and are of no use yet. */
static void put_account(struct json *json, const struct profile *profile)
{
    json_bool(json, "complete", profile->complete);
    json_bool(json, "accounted", profile->accounted);
    json_bool(json, "unaccounted", profile->unaccounted);
    json_bool(json, "mismatch", profile->mismatch);
    json_whole(json, "earlier", events_sum(profile->earlier));
    json_whole(json, "unproven", profile->unproven);
    json_whole(json, "unsent", profile->unsent);
    json_whole(json, "records", profile->records);
    json_whole(json, "damaged", profile->damaged);
    json_whole(json, "discarded", profile->discarded);
    json_whole(json, "repaired", profile->repaired);
    json_whole(json, "unshown", profile->unshown);
    json_whole(json, "console_bytes", profile->console_bytes);
}

/* Writes the members that the manual promises, and more. */
static bool print_json(const struct profile *profile, const struct image *image)
{
    struct json json = {.out = stdout, .indent = 2};
    bool done;

    json_open(&json, NULL, '{');
    json_text(&json, "format", profile->format);
    export_firmware(&json, profile);
    put_account(&json, profile);
    put_kind(&json, "samples", profile, EVENT_SAMPLE);
    put_kind(&json, "arcs", profile, EVENT_ARC);
    put_kind(&json, "blocks", profile, EVENT_BLOCK);
    put_kind(&json, "calls", profile, EVENT_CALL);
    put_sites(&json, image);
    json_whole(&json, "task_switches", profile_switches(profile));
    export_time_base(&json, profile);
    export_sampling(&json, profile);
    done = export_timeline(&json, profile, image);
    put_paths(&json, profile);
    done = put_cache(&json, profile) && done;
    put_runs(&json, profile);
    json_close(&json, '}');
    putchar('\n');
    return done;
}

static void row(const char *title, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void row(const char *title, const char *format, ...)
{
    static char text[2 * PATH_MAX]; /* it holds a path, at most */
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%-11s ", title);
    utf8_print(stdout, text);
    putchar('\n');
}

static void print_firmware(const struct profile *profile, const struct image *image)
{
    const struct image_symbol *symbols;
    char text[BUILD_ID_TEXT];

    row("build ID", "%s", cmd_build_id(profile->build_id, profile->build_id_bytes, text));
    if (image != NULL)
        row("ELF", "%s: %s, %zu functions, build ID %s", image_path(image),
            image_machine_name(image), image_symbols(image, &symbols),
            profile->build_id_bytes == 0 ? "not in the capture"
            : in.force                   ? "not compared (--force)"
                                         : "the same");
}

static void print_time_base(const struct time_base *time)
{
    if (time->hz > 0)
        row("time base",
            "%g MHz; a timed call costs %g + %g ticks, in its time and around",
            time->hz / 1e6, time->inside, time->outside);
}

static void print_sampling(const struct profile *profile)
{
    char text[SAMPLING_TEXT_MAX];
    double us = 1e6 * sampling_seconds(profile);

    if (profile->hz <= 0)
        row("sampling", "rate not known");
    else if (us <= 0)
        row("sampling", "%g Hz", profile->hz);
    else
        row("sampling", "%g Hz; a sample took %.*f us, all of them %.1f %% of the time",
            profile->hz,
            us < 9.995   ? 2
            : us < 99.95 ? 1
                         : 0,
            us, 100 * sampling_share(profile));
    if (sampling_tells_latest(profile))
        row("latest", "a sample came %.3g us late at most (%.2g %% of a period)",
            1e6 * sampling_latest(profile), 100 * sampling_latest(profile) * profile->hz);
    if (sampling_heavy(profile, text))
        row("heavy", "%s", text);
    if (sampling_late(profile, text))
        row("late", "%s", text);
    if (sampling_open(profile, text))
        row("open", "%s", text);
}

/* Says whether the ELF counts calls at their sites. */
static void print_sites(const struct profile *profile, const struct image *image)
{
    const struct image_site *sites;
    size_t count = image != NULL ? image_sites(image, &sites) : 0;

    if (count > 0)
        row("calls", "counted at %zu call site%s (mcuprof patch)%s", count, plural(count),
            profile->received[EVENT_ARC] == 0 ? ": none so far" : "");
}

static void print_timeline(const struct profile *profile)
{
    char loss[LOSS_MAX];

    loss_timeline(profile, loss);
    row("timeline", "%g MHz; %s", profile->timeline.hz / 1e6, loss);
}

static bool print_text(const struct profile *profile, const struct image *image,
                       int files)
{
    bool arch = profile->arch != NULL && profile->arch[0] != '\0';
    char loss[LOSS_MAX], figure[FIGURE_MAX], cache[CACHE_TEXT_MAX];

    if (!cache_describe(profile, cache))
        return false;
    row("format", "%s%s%s%s", profile->format, arch ? " (" : "",
        arch ? profile->arch : "", arch ? ")" : "");
    if (files > 1)
        row("files", "%d, summed", files);
    print_firmware(profile, image);
    print_sampling(profile);
    print_time_base(&profile->time);
    row("complete", "%s", profile->complete ? "yes" : "no: the end is missing");
    row("records", "%s", loss_figure(profile->records, figure));
    if (profile->unshown > 0)
        row("not shown", "%s records, of kinds that this mcuprof does not show",
            loss_figure(profile->unshown, figure));
    row("console", "%s bytes", loss_figure(profile->console_bytes, figure));
    loss_describe(profile, loss);
    row("events", "%s", loss);
    print_sites(profile, image);
    if (cache[0] != '\0')
        row("counters", "%s", cache);
    if (profile->timeline.hz > 0)
        print_timeline(profile);
    loss_paths(profile, loss);
    if (loss[0] != '\0')
        row("paths", "%s", loss);
    if (*advice(profile, image, loss) != '\0')
        row("advice", "%s", loss);
    return true;
}

static bool show(const struct shown *shown, struct error *error)
{
    bool done = as_json ? print_json(shown->profile, shown->image)
                        : print_text(shown->profile, shown->image, shown->files);

    return done || error_set(error, EXIT_BAD_INPUT, "out of memory");
}

static const struct cmd_input input = {
    .options = &in, .files = "a capture FILE", .tells_losses = true, .show = show};

const struct cmd cmd_info = {
    .name = "info",
    .summary = "what a capture holds, what was lost",
    .synopsis = "[OPTION...] FILE...",
    .details = "Several FILEs are summed. - is standard input.",
    .options = options,
    .input = &input,
};
