/* SPDX-License-Identifier: MIT */
/* Runs the steps in GNU gprof's order, and decides what is printed if no option asks for
 * anything. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"
#include "trace.h"

static bool refuse_prof(struct gprof *gprof, struct error *error)
{
    if (gprof->options.format != GPROF_PROF)
        return true;
    return error_set(error, EXIT_NO, "sorry, file format `prof' is not yet supported");
}

static bool read_input(struct gprof *gprof, struct error *error)
{
    return gprof_read_symbols(gprof, error) && gprof_read_specs(gprof, error) &&
           refuse_prof(gprof, error) && gprof_read_profiles(gprof, error) &&
           gprof_assign_samples(gprof, error);
}

/* Chooses what GNU gprof prints if no option asks for an output, minus what an option
 * took back. */
static void choose_default(struct gprof *gprof)
{
    struct gprof_options *options = &gprof->options;

    if (options->output != 0)
        return;
    if (gprof->has_histogram)
        options->output |= GPROF_FLAT;
    if (gprof->has_arcs)
        options->output |= GPROF_GRAPH;
    if (options->output == 0)
        options->output = GPROF_COUNTS;
    options->output &= ~options->user_output;
}

static bool check_input(const struct gprof *gprof, struct error *error)
{
    unsigned output = gprof->options.output;

    if ((output & GPROF_FLAT) && !gprof->has_histogram)
        return error_set(error, EXIT_NO, "gmon.out file is missing histogram");
    if ((output & GPROF_GRAPH) && !gprof->has_arcs)
        return error_set(error, EXIT_NO, "gmon.out file is missing call-graph data");
    return true;
}

static bool print_flat(struct gprof *gprof, struct error *error)
{
    return !(gprof->options.output & GPROF_FLAT) || gprof_print_flat(gprof, error);
}

static bool print_graph(struct gprof *gprof, struct error *error)
{
    return !(gprof->options.output & GPROF_GRAPH) || gprof_print_graph(gprof, error);
}

static bool print_tables(struct gprof *gprof, struct error *error)
{
    if (gprof->options.traditional) {
        if (!print_graph(gprof, error) || !print_flat(gprof, error))
            return false;
    } else if (!print_flat(gprof, error) || !print_graph(gprof, error)) {
        return false;
    }
    return !(gprof->options.output & GPROF_GRAPH) || gprof_print_index(gprof, error);
}

static bool print_rest(struct gprof *gprof, struct error *error)
{
    unsigned output = gprof->options.output;

    return (!(output & GPROF_COUNTS) || gprof_print_counts(gprof, error)) &&
           (!(output & GPROF_ANNOTATED) || gprof_print_annotated(gprof, error)) &&
           (!(output & GPROF_FUNCTION_ORDER) ||
            gprof_print_function_order(gprof, error)) &&
           (!(output & GPROF_FILE_ORDER) || gprof_print_file_order(gprof, error));
}

/* Static calls are found after the summary (-s) is written: it has none. */
static bool build_graph(struct gprof *gprof, struct error *error)
{
    return (!gprof->options.static_calls || gprof_add_static_calls(gprof, error)) &&
           gprof_build_graph(gprof, error);
}

static bool run(struct gprof *gprof, struct error *error)
{
    if (gprof->options.debug)
        gprof_trace_begin(gprof);
    if (!read_input(gprof, error))
        return false;
    if ((gprof->options.output & GPROF_SUM) && !gprof_write_sum(gprof, error))
        return false;
    if (gprof->options.output == 0 && gprof->options.file_info)
        return true;
    choose_default(gprof);
    /* without calls there are no entries, so -T has no numbers behind its names */
    return check_input(gprof, error) && (!gprof->has_arcs || build_graph(gprof, error)) &&
           print_tables(gprof, error) && print_rest(gprof, error);
}

/* Flushes the output: a full disk shows here. */
static bool finish_output(struct gprof *gprof, struct error *error)
{
    if (fflush(gprof->out) == 0 && !ferror(gprof->out))
        return true;
    gprof->bare_error = gprof->open_error = false;
    return error_set(error, EXIT_NO, "standard output: %s", strerror(errno));
}

static int fail(const struct gprof *gprof, const struct error *error)
{
    const char *text = error->text;

    if (!gprof->bare_error)
        fprintf(stderr, "%s: ", gprof->options.program);
    else if (strncmp(text, ": ", 2) == 0)
        text += 2; /* perror prints no ": " where it gets no name */
    fprintf(stderr, "%s%s", text, gprof->open_error ? "" : "\n");
    return (int)error->status;
}

static void release(struct gprof *gprof)
{
    gprof_profiles_release(gprof);
    gprof_specs_release(gprof);
    gprof_graph_release(gprof);
    gprof_symbols_release(gprof);
    gprof_map_release(gprof);
    gprof_options_release(&gprof->options);
}

int gprof_run(int argc, char **argv)
{
    struct gprof gprof = {.out = stdout, .first_output = true};
    struct error error;
    bool done = false, ok;
    int status = EXIT_DONE;

    ok = gprof_parse(&gprof.options, argc, argv, &done, &status, &error) &&
         (done || run(&gprof, &error));
    if (!ok)
        status = fail(&gprof, &error);
    if (!finish_output(&gprof, &error) && ok)
        status = fail(&gprof, &error);
    release(&gprof);
    return status;
}
