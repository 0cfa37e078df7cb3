/* SPDX-License-Identifier: MIT */
/* mcuprof merge: adds captures up into one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/memstream.h"
#include "../export/export.h"
#include "cmd.h"
#include "loss.h"
#include "output.h"

static struct input_options input_options;
static const char *format_name, *out_path;
static unsigned version = 2;

static const struct option_spec options[] = {
    {'o', "output", OPTION_STRING, "OUT", "the file to write; default: standard output",
     &out_path},
    {0, "to", OPTION_STRING, "FORMAT",
     "mcuprof or gmon; default: gmon for gmon.out files, else mcuprof", &format_name},
    {0, "wire", OPTION_UNSIGNED, "VERSION", "of mcuprof's own format: 2 (default) or 3",
     &version},
    INPUT_OPTION_ROWS(input_options),
    {0},
};

/* The firmware's console text from all captures. */
struct text {
    FILE *stream;
    char *bytes;
    size_t size;
    bool failed; /* out of memory */
};

static void keep_text(void *context, const char *bytes, size_t size)
{
    struct text *text = context;

    if (text->stream == NULL)
        text->stream = port_open_memstream(&text->bytes, &text->size);
    if (text->stream != NULL)
        fwrite(bytes, 1, size, text->stream);
    else
        text->failed = true;
}

static void warn(const char *what)
{
    struct error warning;

    error_set(&warning, EXIT_DONE, "warning: %s", what);
    cmd_fail(&cmd_merge, &warning);
}

/* Sums of gmon.out files keep these files' widths of words and bins; for other captures
 * the ELF gives the widths. */
static bool write_gmon(FILE *out, const struct profile *profile, struct image *image,
                       struct error *error)
{
    const struct export_options how = {.warn = warn};
    bool as_they_are = strcmp(profile->format, "gmon") == 0;

    if (version == 3)
        return error_set(error, EXIT_USAGE,
                         "--wire 3 is of mcuprof's own format, and the sum is a "
                         "gmon.out: see --to");
    if (!as_they_are && image == NULL)
        return error_set(error, EXIT_USAGE,
                         "--to gmon needs the firmware's ELF, for its word size: -e ELF");
    if (profile->stacks.used > 0)
        warn("a gmon.out has no place for call paths: it gets their innermost addresses");
    if (as_they_are)
        return export_gmon(out, profile, NULL, NULL, &how, error);
    struct analysis analysis;
    if (!analyse(&analysis, profile, image, error))
        return false;
    bool done = export_gmon(out, profile, &analysis, image, &how, error);
    analysis_release(&analysis);
    return done;
}

static bool is_gmon(const struct profile *profile)
{
    const char *name = format_name != NULL ? format_name : profile->format;

    return strcmp(name, "gmon") == 0 || (format_name == NULL && profile->bin_bytes > 1);
}

static bool write_sum(const struct profile *profile, struct image *image,
                      const struct text *text, struct error *error)
{
    struct output output;
    bool done = output_open(&output, out_path, error);

    if (done && is_gmon(profile))
        done = write_gmon(output.file, profile, image, error);
    else if (done)
        done = (version == 3 ? export_words : export_mcuprof)(
            output.file, profile, text->bytes, text->size, error);
    return output_close(&output, done, error);
}

static struct text text;

static int check(void)
{
    if (format_name != NULL && strcmp(format_name, "mcuprof") != 0 &&
        strcmp(format_name, "gmon") != 0)
        return cmd_usage(&cmd_merge, "--to %s: not mcuprof or gmon", format_name);
    if (version != 2 && version != 3)
        return cmd_usage(&cmd_merge, "--wire %u: not 2 or 3", version);
    if ((out_path == NULL || strcmp(out_path, "-") == 0) && isatty(STDOUT_FILENO))
        return cmd_usage(
            &cmd_merge,
            "a capture is binary and standard output a terminal: give -o OUT");
    input_options.as_decoded = true;
    input_options.decode.console = keep_text;
    input_options.decode.context = &text;
    return EXIT_DONE;
}

static bool show(const struct shown *shown, struct error *error)
{
    bool closed = text.stream == NULL || memstream_close(text.stream, &text.bytes);
    bool done =
        (closed && !text.failed) || error_set(error, EXIT_BAD_INPUT, "out of memory");

    done = done &&
           input_differs(&input_options, out_path, shown->files, shown->paths, error) &&
           write_sum(shown->profile, shown->image, &text, error);
    free(text.bytes);
    return done;
}

static const struct cmd_input input = {.options = &input_options,
                                       .files = "capture FILEs to sum",
                                       .check = check,
                                       .show = show};

const struct cmd cmd_merge = {
    .name = "merge",
    .summary = "sum captures into one",
    .synopsis = "[-e ELF] [--to FORMAT] -o OUT FILE...",
    .details = "What was lost is summed, too. Captures of different firmware, rates or "
               "widths of\nbins are refused.",
    .options = options,
    .input = &input,
};
