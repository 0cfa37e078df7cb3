/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../hook_cost/timed.h"
#include "../report/report.h"
#include "advice.h"
#include "cmd.h"
#include "loss.h"
#include "terminal.h"

/* What is shown where nothing else was asked for: it fits a screen and a half. */
enum { USUAL_ROWS = 20, USUAL_PATHS = 10 };
#define NO_LIMIT_GIVEN UINT_MAX

static struct {
    struct input_options input;
    struct terminal_options terminal;
    const char *sort, *columns, *focus, *by, *callers, *callees;
    struct option_number paths;
    unsigned limit; /* NO_LIMIT_GIVEN: as many as are usual */
    bool all, lines, gain, flat, graph, sites, raw, timeline, percentiles;
} given = {.terminal = TERMINAL_OPTIONS,
           .by = "function",
           .paths = {.number = USUAL_PATHS},
           .limit = NO_LIMIT_GIVEN};

static const struct option_spec options[] = {
    INPUT_OPTION_ROWS(given.input),
    {0, "all", OPTION_FLAG, NULL, "all rows, all tables, all of the header", &given.all},
    {0, "columns", OPTION_STRING, "LIST",
     "only the flat profile, with these figures: self,calls", &given.columns},
    {0, "sort", OPTION_STRING, "LIST",
     "by name or these figures: self (default), total,calls", &given.sort},
    {0, "limit", OPTION_UNSIGNED, "N", "at most N rows of each table (0: all)",
     &given.limit},
    {0, "focus", OPTION_STRING, "FUNCTION", "only it, its callers and its callees",
     &given.focus},
    {0, "by", OPTION_STRING, "WHAT", "function (default) or task", &given.by},
    TASK_OPTION_ROW(given.input),
    POWER_OPTION_ROW(given.input),
    COUNTS_OPTION_ROW(given.input),
    SHIPPED_OPTION_ROW(given.input),
    THROUGH_OPTION_ROW(given.input),
    TAIL_OPTION_ROW(given.input),
    {0, "flat", OPTION_FLAG, NULL, "only the flat profile", &given.flat},
    {0, "graph", OPTION_FLAG, NULL, "only the call graph", &given.graph},
    {0, "paths", OPTION_OPTIONAL, "N", "the N (10; 0: all) most frequent call paths",
     &given.paths},
    {0, "callers", OPTION_STRING, "FUNCTION", "who called it, as a tree", &given.callers},
    {0, "callees", OPTION_STRING, "FUNCTION", "whom it called, as a tree",
     &given.callees},
    {0, "sites", OPTION_FLAG, NULL, "only the call sites of timed calls", &given.sites},
    {0, "percentiles", OPTION_FLAG, NULL, "how long single timed calls took: p50, p99",
     &given.percentiles},
    {0, "lines", OPTION_FLAG, NULL, "time by source line", &given.lines},
    {0, "gain", OPTION_FLAG, NULL, "how much faster all would be if a function cost less",
     &given.gain},
    {0, "timeline", OPTION_FLAG, NULL, "what ran when: load, longest stretches, marks",
     &given.timeline},
    {0, "raw", OPTION_FLAG, NULL, "timed calls with the profiler's cost put back",
     &given.raw},
    TERMINAL_OPTION_ROWS(given.terminal),
    {.name = NULL},
};

static bool focus(struct report *report, struct error *error)
{
    struct guess guess = {.wanted = given.focus};
    size_t found;
    if (given.focus == NULL)
        return true;
    if (!report_focus(report, given.focus, &found, error))
        return false;
    if (found > 0)
        return true;
    /* only functions that were counted are proposed */
    for (size_t i = 0; i < report->analysis->function_count; i++)
        cmd_guess(&guess, report->analysis->functions[i].name);
    return cmd_no_function(&guess, report->image, error);
}

static bool no_such_function(const struct report *report, const char *name,
                             struct error *error)
{
    const struct analysis *analysis = report->analysis;
    struct guess guess = {.wanted = name};
    for (size_t i = 0; i < analysis->frame_count; i++)
        if (analysis->frames[i].same == i)
            cmd_guess(&guess, analysis->frames[i].name);
    return cmd_no_function(&guess, report->image, error);
}

static bool print_tree(const struct report *report, const char *name, bool callees,
                       struct error *error)
{
    bool found;
    return report_tree(report, name, callees, &found, error) &&
           (found || no_such_function(report, name, error));
}

/* Prints the tables for which call paths are needed. */
static bool print_paths(const struct report *report, struct error *error)
{
    if (!report->analysis->measured) {
        fputs("\nno call paths: none came with the samples\n", report->out);
        return true;
    }
    if (given.paths.given && !report_paths(report, given.paths.number, error))
        return false;
    if (given.callers != NULL && !print_tree(report, given.callers, false, error))
        return false;
    return given.callees == NULL || print_tree(report, given.callees, true, error);
}

/* Whether no table was asked for by its option. */
static bool no_table_wanted(void)
{
    return !given.flat && !given.graph && !given.lines && !given.gain && !given.sites &&
           !given.percentiles && !given.timeline && !given.paths.given &&
           given.callers == NULL && given.callees == NULL && given.columns == NULL;
}

/* Whether the usual tables are shown, cut to a screen and a half. */
static bool is_usual(void)
{
    return no_table_wanted() && !given.all && given.focus == NULL;
}

/* Says how to see the tables that are not among the usual ones. */
static void print_more(const struct report *report, bool calls, bool sites)
{
    fputc('\n', report->out);
    style_tint(&report->style, report->out, TINT_DIM);
    fprintf(report->out, "%s%s%severything: --all",
            calls ? "who calls whom: --graph; " : "",
            sites ? "call sites: --sites; " : "",
            report->profile->timeline.hz > 0 ? "what ran when: --timeline; " : "");
    style_tint(&report->style, report->out, TINT_PLAIN);
    fputc('\n', report->out);
}

/* Whether the profile has several tasks and the user chose none. */
static bool has_tasks(const struct report *report)
{
    return report->profile->task_count > 0 && given.input.task == NULL &&
           given.focus == NULL;
}

static bool print(const struct report *report, int files, char **paths,
                  struct error *error)
{
    bool all = no_table_wanted(), usual = is_usual();
    bool paths_only = given.paths.given || given.callers != NULL || given.callees != NULL;
    bool flat = all || given.flat;
    bool calls = report->analysis->has_calls || report->analysis->measured;
    bool timed = report->analysis->timed.known, sites = report->analysis->site_count > 0;
    bool counted = report->analysis->has_calls;
    char received[LOSS_MAX], advised[LOSS_MAX], source[64];
    loss_describe(report->profile, received);
    snprintf(source, sizeof source, "%d files", files);
    if (!report_summary(report, files == 1 ? paths[0] : source, received,
                        advice(report->profile, report->image, advised), error))
        return false;
    report_unplaced(report);
    if (given.sort != NULL)
        report_lacking(report, report->order, "Not sorted by ");
    if (given.columns != NULL &&
        report_lacking(report, report->columns, "No column ") == report->columns->count)
        return error_set(error, EXIT_BAD_INPUT, "--columns %s: none is in this profile",
                         given.columns);
    if (strcmp(given.by, "task") == 0)
        return report_tasks(report, error);
    if (all && has_tasks(report) && !report_tasks(report, error))
        return false;
    if (flat && given.columns == NULL && timed && !report_timed(report, error))
        return false;
    if (given.columns != NULL || (flat && (report->analysis->has_samples || !timed))) {
        if (!report_flat(report, error))
            return false;
    }
    if (given.lines && !report_lines(report, error))
        return false;
    if (given.gain && !report_gains(report, error))
        return false;
    if (given.timeline && !report_timeline(report, error))
        return false;
    if (paths_only && !print_paths(report, error))
        return false;
    if (given.sites && !sites)
        fprintf(report->out, "\nno timed calls, so no call sites%s\n",
                counted ? "; counted calls: --graph" : "");
    if (given.percentiles && !sites)
        fputs("\nno timed calls, so no percentiles\n", report->out);
    if (given.percentiles && sites && !report_singles(report, error))
        return false;
    if (((all && !usual) || given.sites) && sites && !report_sites(report, error))
        return false;
    if (given.graph && !calls)
        fputs("\nno calls: no call graph\n", report->out);
    if (((all && !usual) || given.graph) && calls && !report_graph(report, error))
        return false;
    if (all && report->analysis->measured && given.focus == NULL &&
        !report_top_paths(report, given.all ? 0 : given.paths.number, error))
        return false;
    if (usual)
        print_more(report, calls, sites);
    return true;
}

static struct figure_list order, columns;

static int check(void)
{
    struct error error;
    if (!figures_parse_order(&order, given.sort != NULL ? given.sort : "self", &error))
        return cmd_usage(&cmd_report, "--sort: %s", error.text);
    if (given.columns != NULL && !figures_parse(&columns, given.columns, &error))
        return cmd_usage(&cmd_report, "--columns: %s", error.text);
    if (given.columns != NULL && strcmp(given.by, "function") != 0)
        return cmd_usage(&cmd_report, "--columns are of functions: not with --by %s",
                         given.by);
    if (strcmp(given.by, "function") != 0 && strcmp(given.by, "task") != 0)
        return cmd_usage(&cmd_report, "--by %s: not function or task", given.by);
    if (given.percentiles && given.raw)
        return cmd_usage(&cmd_report, "--percentiles are of measured times: not with "
                                      "--raw");
    if (given.timeline && given.input.task != NULL)
        return cmd_usage(&cmd_report, "--timeline is of all tasks: not with --task");
    return EXIT_DONE;
}

static bool show_on(FILE *out, const struct shown *shown, struct error *error)
{
    struct report report = {
        .analysis = shown->analysis,
        .profile = shown->profile,
        .image = shown->image,
        .energy = shown->energy,
        .style = shown->style,
        .order = &order,
        .columns = given.columns != NULL ? &columns : NULL,
        .limit = given.limit != NO_LIMIT_GIVEN ? given.limit
                 : is_usual()                  ? USUAL_ROWS
                                               : 0,
        .brief = !given.all,
        .rest = is_usual() ? "--all" : NULL,
        .out = out,
    };
    if (given.raw)
        analysis_put_back(shown->analysis);
    bool done =
        focus(&report, error) && print(&report, shown->files, shown->paths, error);
    report_release(&report);
    return done;
}

static bool show(const struct shown *shown, struct error *error)
{
    return show_on(stdout, shown, error);
}

bool cmd_report_to(FILE *out, const struct shown *shown, struct error *error)
{
    return check() == EXIT_DONE && show_on(out, shown, error);
}

static const struct cmd_input input = {
    .options = &given.input,
    .files = "a capture FILE to report on",
    .elf = true,
    .tells_losses = true,
    .analyse = analyse,
    .terminal = &given.terminal,
    .check = check,
    .show = show,
};

const struct cmd cmd_report = {
    .name = "report",
    .summary = "hottest functions and call paths, for people",
    .synopsis = "-e ELF FILE...",
    .details =
        "Self time and calls are measured, and with sampled call paths totals and all "
        "times of\ncallers and callees, too. Without paths what is marked ~ is estimated "
        "by sharing a\nfunction's time among its callers in proportion to their calls. "
        "Times of timed calls\nare all measured.",
    .print_details = cmd_print_figures,
    .options = options,
    .takes_conf = true,
    .input = &input,
};
