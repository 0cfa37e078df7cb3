/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/memstream.h"
#include "../export/export.h"
#include "cmd.h"
#include "output.h"

enum { NODES = 80, NAMES_MAX = 200 };

static struct input_options input_options;
static const char *format_name, *out_path, *columns_text, *order_text;
static struct figure_list columns, order;
static unsigned bin_bytes, node_limit = NODES;

static void warn(const char *text)
{
    struct error warning;

    error_set(&warning, EXIT_DONE, "warning: %s", text);
    cmd_fail(&cmd_export, &warning);
}

/* Returns "gmon, folded or csv", with the names of all formats. */
static const char *format_names(void)
{
    static char text[NAMES_MAX];
    size_t used = 0;

    for (const struct export_format *format = export_formats;
         format->name != NULL && used < sizeof text; format++) {
        const char *before = format == export_formats ? ""
                             : format[1].name != NULL ? ", "
                                                      : " or ";

        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", before,
                                 format->name);
    }
    return text;
}

static void print_formats(FILE *out)
{
    enum { COLUMN = 12 };

    for (const struct export_format *format = export_formats; format->name != NULL;
         format++) {
        const char *line = format->help, *end;

        fprintf(out, "%-*s", COLUMN, format->name);
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
            fprintf(out, "%.*s\n%*s", (int)(end - line), line, COLUMN, "");
        fprintf(out, "%s\n", line);
    }
    fputs("All but gmon tell tasks and interrupts apart; --task is for one alone.\n",
          out);
}

static bool write_format(const struct export_format *format, FILE *out,
                         const struct profile *profile, struct image *image,
                         const struct export_options *options, struct error *error)
{
    char *text = NULL;
    size_t size = 0;

    if (format->finish == NULL)
        return export_all(format, out, profile, image, options, error);
    FILE *memory = port_open_memstream(&text, &size);
    bool done;
    if (memory == NULL)
        return error_no_memory(error);
    done = export_all(format, memory, profile, image, options, error);
    if (!memstream_close(memory, &text) && done)
        done = error_no_memory(error);
    done = done && format->finish(out, text, profile, image, error);
    free(text);
    return done;
}

/* Whether the profile has what the format shows. */
static bool has_it(const struct export_format *format, const struct profile *profile,
                   struct error *error)
{
    if (format->timed && profile->counters[EVENT_CALL].used == 0 &&
        profile->stacks.used == 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s needs timed calls or call paths, and there are none: build "
                         "the firmware with MCUPROF_CALLS=1",
                         format->name);
    if (format->timeline && profile->timeline.hz <= 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s needs a timeline, and there is none: build the firmware "
                         "with MCUPROF_TIMELINE=1",
                         format->name);
    return true;
}

static bool write_output(const struct export_format *format,
                         const struct profile *profile, struct image *image,
                         const struct energy *energy, struct error *error)
{
    const struct export_options options = {
        .bin_bytes = bin_bytes,
        .limit = node_limit,
        .columns = columns_text != NULL ? &columns : NULL,
        .order = order_text != NULL ? &order : NULL,
        .energy = energy,
        /* a format that is made of another one speaks for itself */
        .warn = format->finish == NULL ? warn : NULL,
    };
    struct output output;
    bool done;

    if (!has_it(format, profile, error))
        return false;
    if (!output_open(&output, out_path, error))
        return false;
    done = write_format(format, output.file, profile, image, &options, error);
    return output_close(&output, done, error);
}

bool cmd_export_to(FILE *out, const char *name, const struct profile *profile,
                   struct image *image, struct error *error)
{
    const struct export_options options = {.limit = NODES};
    const struct export_format *asked = export_find(name);

    if (asked == NULL)
        return error_set(error, EXIT_USAGE, "no format '%s'; there are %s", name,
                         format_names());
    return has_it(asked, profile, error) &&
           write_format(asked, out, profile, image, &options, error);
}

static const struct export_format *format;

static int check_figures(void)
{
    struct error error;

    if ((columns_text != NULL || order_text != NULL) && format->write != export_csv)
        return cmd_usage(&cmd_export, "--%s is for csv, not for %s",
                         columns_text != NULL ? "columns" : "sort", format_name);
    if (columns_text != NULL && !figures_parse(&columns, columns_text, &error))
        return cmd_usage(&cmd_export, "--columns: %s", error.text);
    if (order_text != NULL && !figures_parse_order(&order, order_text, &error))
        return cmd_usage(&cmd_export, "--sort: %s", error.text);
    return EXIT_DONE;
}

static int check(void)
{
    if (format_name == NULL)
        return cmd_usage(&cmd_export, "expected --to FORMAT: %s", format_names());
    format = export_find(format_name);
    if (format == NULL)
        return cmd_usage(&cmd_export, "no format '%s'; there are %s", format_name,
                         format_names());
    if (format->needs_elf && input_options.elf == NULL)
        return cmd_usage(&cmd_export, "--to %s needs the firmware's ELF: -e ELF",
                         format_name);
    if (format->write == export_perfetto && input_options.task != NULL)
        return cmd_usage(&cmd_export, "--to perfetto is of all tasks: not with --task");
    if (input_options.power != NULL && !format->energy)
        return cmd_usage(&cmd_export, "--power is for csv and json: %s has no energy",
                         format_name);
    if (input_options.power != NULL && input_options.elf == NULL)
        return cmd_usage(&cmd_export, "--power needs the firmware's ELF: -e ELF");
    if (format->binary && (out_path == NULL || strcmp(out_path, "-") == 0) &&
        isatty(STDOUT_FILENO))
        return cmd_usage(&cmd_export,
                         "%s is binary and standard output a terminal: give -o OUT%s",
                         format_name, format->suffix);
    return check_figures();
}

static bool show(const struct shown *shown, struct error *error)
{
    return input_differs(&input_options, out_path, shown->files, shown->paths, error) &&
           write_output(format, shown->profile, shown->image, shown->energy, error);
}

static const struct cmd_input input = {
    .options = &input_options, .files = "a capture FILE", .check = check, .show = show};

static const struct option_spec options[] = {
    {0, "to", OPTION_STRING, "FORMAT", "what to write, of those below", &format_name},
    {'o', "output", OPTION_STRING, "OUT", "the file to write; default: standard output",
     &out_path},
    {0, "bin-bytes", OPTION_UNSIGNED, "N",
     "gmon: width of a bin; default: that of an instruction", &bin_bytes},
    {0, "columns", OPTION_STRING, "LIST", "csv: these figures, such as self,calls,p99",
     &columns_text},
    {0, "sort", OPTION_STRING, "LIST", "csv: by name or by figures; default: by address",
     &order_text},
    {0, "limit", OPTION_UNSIGNED, "N", "dot, svg: show N functions (80), 0: all",
     &node_limit},
    INPUT_OPTION_ROWS(input_options),
    TASK_OPTION_ROW(input_options),
    POWER_OPTION_ROW(input_options),
    COUNTS_OPTION_ROW(input_options),
    SHIPPED_OPTION_ROW(input_options),
    THROUGH_OPTION_ROW(input_options),
    TAIL_OPTION_ROW(input_options),
    {0},
};

const struct cmd cmd_export = {
    .name = "export",
    .summary = "write a profile for other programs",
    .synopsis = "-e ELF --to FORMAT [-o OUT] FILE...",
    .print_details = print_formats,
    .options = options,
    .takes_conf = true,
    .input = &input,
};
