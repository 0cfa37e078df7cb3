/* SPDX-License-Identifier: MIT */
/* mcuprof info: what captures hold and what was lost, for people or as JSON. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

#include "../export/json.h"
#include "../profile/sampling.h"
#include "cmd.h"
#include "loss.h"

static struct input_options in;
static bool as_json;

static const struct option_spec options[] = {
    {0, "json", OPTION_FLAG, NULL, "one JSON object instead of text", &as_json},
    INPUT_OPTION_ROWS(in),
    {0},
};

/* JSON has no unsigned 64-bit numbers; what is beyond is beyond belief, too. */
static json_t *number(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *build_id(const struct profile *profile)
{
    char text[BUILD_ID_TEXT];

    if (profile->build_id_bytes == 0)
        return json_null();
    return json_string(cmd_build_id(profile->build_id, profile->build_id_bytes, text));
}

static json_t *kind(const struct profile *profile, enum event_kind which)
{
    return json_pack("{s:o, s:o}", "received", number(profile->received[which]), "lost",
                     number(profile->lost[which]));
}

/* null: no calls were timed. */
static json_t *time_base(const struct profile *profile)
{
    const struct time_base *time = &profile->time;

    if (time->hz == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:o, s:o}", "hz", time->hz, "inside_ticks",
                     time->inside, "outside_ticks", time->outside, "other_ticks",
                     number(time->other), "run_ticks", number(time->run));
}

static json_t *paths(const struct profile *profile)
{
    uint64_t counts[STACK_ENDS];

    loss_count_paths(profile, counts);
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:b}", "depth",
                     (int)profile->path_depth, "distinct", number(profile->stacks.used),
                     "whole", number(counts[STACK_WHOLE]), "interrupt",
                     number(counts[STACK_INTERRUPT]), "cut", number(counts[STACK_CUT]),
                     "unsure", number(counts[STACK_UNSURE]), "through_interrupts",
                     profile->through_interrupts);
}

static json_t *runs(const struct profile *profile)
{
    json_t *list = json_array();

    for (size_t i = 0; i < profile->run_count && i < RUNS_MAX; i++) {
        const struct run *run = &profile->runs[i];

        json_array_append_new(list,
                              json_pack("{s:i, s:o, s:b}", "input", (int)run->input,
                                        "offset", number(run->offset), "cut", run->cut));
    }
    return list;
}

/* The members of the contract, and more: "accounted" tells "0 lost" from "nobody knows",
 * "unaccounted" that nobody knows of the end; "mismatch": what came is not what was sent;
 * "earlier": before the recording began; "unproven": events at the end, not counted;
 * "unsent": counters that may still be in the firmware. */
static bool print_json(const struct profile *profile, struct error *error)
{
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:b, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "format", profile->format, "build_id", build_id(profile), "hz",
        profile->hz > 0 ? json_real(profile->hz) : json_null(), "complete",
        profile->complete, "accounted", profile->accounted, "unaccounted",
        profile->unaccounted, "mismatch", profile->mismatch, "earlier",
        number(loss_earlier(profile)), "unproven", number(profile->unproven), "unsent",
        number(profile->unsent), "records", number(profile->records), "damaged",
        number(profile->damaged), "discarded", number(profile->discarded), "repaired",
        number(profile->repaired), "console_bytes", number(profile->console_bytes),
        "samples", kind(profile, EVENT_SAMPLE), "arcs", kind(profile, EVENT_ARC),
        "blocks", kind(profile, EVENT_BLOCK), "calls", kind(profile, EVENT_CALL),
        "time_base", time_base(profile), "sampling", export_sampling(profile), "paths",
        paths(profile), "runs", runs(profile));

    if (object == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(object);
    return true;
}

static void row(const char *title, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void row(const char *title, const char *format, ...)
{
    va_list args;

    printf("%-11s ", title);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
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
    char late[SAMPLING_TEXT_MAX];

    if (profile->hz <= 0)
        row("sampling", "rate not known");
    else if (sampling_seconds(profile) <= 0)
        row("sampling", "%g Hz", profile->hz);
    else
        row("sampling", "%g Hz; a sample took %.3g us, all of them %.1f %% of the time",
            profile->hz, 1e6 * sampling_seconds(profile), 100 * sampling_share(profile));
    if (sampling_late(profile, late))
        row("late", "%s", late);
}

static void print_text(const struct profile *profile, const struct image *image,
                       int files)
{
    bool arch = profile->arch != NULL && profile->arch[0] != '\0';
    char loss[LOSS_MAX], figure[FIGURE_MAX];

    row("format", "%s%s%s%s", profile->format, arch ? " (" : "",
        arch ? profile->arch : "", arch ? ")" : "");
    if (files > 1)
        row("files", "%d, summed", files);
    print_firmware(profile, image);
    print_sampling(profile);
    print_time_base(&profile->time);
    row("complete", "%s", profile->complete ? "yes" : "no: the end is missing");
    row("records", "%s", loss_figure(profile->records, figure));
    row("console", "%s bytes", loss_figure(profile->console_bytes, figure));
    loss_describe(profile, loss);
    row("events", "%s", loss);
    loss_paths(profile, loss);
    if (loss[0] != '\0')
        row("paths", "%s", loss);
}

static int run(int argc, char **argv)
{
    struct profile profile;
    struct image *image = NULL;
    struct error error;
    bool done;

    if (argc == 0)
        return cmd_usage(&cmd_info, "expected a capture FILE");
    profile_init(&profile);
    done = input_read(&in, argc, argv, &profile, &image, &error);
    if (done && as_json)
        done = print_json(&profile, &error);
    else if (done)
        print_text(&profile, image, argc);

    int status = !done                             ? cmd_fail(&cmd_info, &error)
                 : in.strict && loss_any(&profile) ? EXIT_NO
                                                   : EXIT_DONE;

    image_close(image);
    profile_release(&profile);
    return status;
}

const struct cmd cmd_info = {
    .name = "info",
    .summary = "what a capture holds, what was lost",
    .synopsis = "[OPTION...] FILE...",
    .details = "Several FILEs are summed. - is standard input.",
    .options = options,
    .run = run,
};
