/* SPDX-License-Identifier: MIT */
/* mcuprof annotate: source lines, or their instructions, with their counts. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "../analysis/annotate.h"
#include "../report/report.h"
#include "advice.h"
#include "cmd.h"
#include "loss.h"
#include "terminal.h"

/* So many functions, the hottest ones, are shown if the user chooses none. */
enum { HOT = 3 };
#define NO_LIMIT_GIVEN UINT_MAX

static struct {
    struct input_options input;
    struct terminal_options terminal;
    struct option_list directories, maps;
    const char *focus, *objdump;
    unsigned limit, context;
    bool code;
} given = {.terminal = TERMINAL_OPTIONS, .context = 3, .limit = NO_LIMIT_GIVEN};

static const struct option_spec options[] = {
    {'I', "source-dir", OPTION_LIST, "DIR", "look for source there, too",
     &given.directories},
    {0, "source-map", OPTION_LIST, "FROM=TO", "source below FROM is below TO here",
     &given.maps},
    {0, "limit", OPTION_UNSIGNED, "N", "at most N functions (3; 0: all)", &given.limit},
    {0, "focus", OPTION_STRING, "FUNCTION", "only it", &given.focus},
    {0, "context", OPTION_UNSIGNED, "N", "N lines around those with counts (3)",
     &given.context},
    {0, "asm", OPTION_FLAG, NULL, "the instructions of each line", &given.code},
    {0, "objdump", OPTION_STRING, "PROGRAM", "what disassembles for --asm",
     &given.objdump},
    TERMINAL_OPTION_ROWS(given.terminal),
    INPUT_OPTION_ROWS(given.input),
    TASK_OPTION_ROW(given.input),
    COUNTS_OPTION_ROW(given.input),
    THROUGH_OPTION_ROW(given.input),
    TAIL_OPTION_ROW(given.input),
    {.name = NULL},
};

/* Whether the function in focus exists and has something to show. */
static bool check_focus(const struct report *report, const struct annotate_view *view,
                        struct error *error)
{
    const struct annotation *annotation = view->annotation;
    struct guess guess = {.wanted = view->focus};
    bool inlined = false;
    if (view->focus == NULL)
        return true;
    for (size_t i = 0; i < annotation->function_count; i++) {
        const struct annotated_function *function = &annotation->functions[i];
        if (report_annotates(view, function))
            return true;
        inlined = inlined || analysis_is_named(function->name, NULL, view->focus);
        cmd_guess(&guess, function->name);
    }
    if (inlined)
        return error_set(error, EXIT_NO,
                         "'%s' is inlined wherever it is called: look at its callers",
                         view->focus);
    return cmd_no_function(&guess, report->image, error);
}

/* Disassembles all functions that are shown, in one run. */
static bool read_code(const struct report *report, const struct annotate_view *view,
                      struct disassembly *code, struct error *error)
{
    const struct annotation *annotation = view->annotation;
    struct image_range *ranges = calloc(annotation->function_count + 1, sizeof *ranges);
    size_t count = 0;
    for (size_t i = 0; ranges != NULL && i < annotation->function_count; i++) {
        const struct annotated_function *function = &annotation->functions[i];
        if (report_annotates(view, function) &&
            (report->limit == 0 || count < report->limit))
            ranges[count++] =
                (struct image_range){function->symbol->address, function->symbol->end};
    }
    bool done = ranges != NULL || error_set(error, EXIT_BAD_INPUT, "out of memory");
    done = done && disassemble(report->image, given.objdump, ranges, count, code, error);
    free(ranges);
    return done;
}

static bool print(const struct report *report, struct annotate_view *view, int files,
                  char **paths, struct error *error)
{
    struct disassembly code = {.items = NULL};
    char received[LOSS_MAX], advised[LOSS_MAX], source[64];
    view->code = given.code ? &code : NULL;
    if (!check_focus(report, view, error) ||
        (given.code && !read_code(report, view, &code, error)))
        return false;
    loss_describe(report->profile, received);
    snprintf(source, sizeof source, "%d files", files);
    bool done = report_summary(report, files == 1 ? paths[0] : source, received,
                               advice(report->profile, report->image, advised), error) &&
                report_annotation(report, view, error);
    disassembly_release(&code);
    return done;
}

static bool show(const struct shown *shown, struct error *error)
{
    unsigned usual = given.focus != NULL ? 0 : HOT;
    unsigned limit = given.limit == NO_LIMIT_GIVEN ? usual : given.limit;
    struct report report = {
        .analysis = shown->analysis,
        .profile = shown->profile,
        .image = shown->image,
        .style = shown->style,
        .limit = limit,
        .brief = true,
        .rest = given.limit == NO_LIMIT_GIVEN ? "--limit 0" : NULL,
        .out = stdout,
    };
    struct annotation annotation = {.functions = NULL};
    struct texts texts = {
        .directories = given.directories.items,
        .maps = given.maps.items,
    };
    struct annotate_view view = {
        .annotation = &annotation,
        .texts = &texts,
        .focus = given.focus,
        .context = given.context,
    };
    texts_begin(&texts, shown->image);
    bool done = annotate(&annotation, shown->profile, shown->analysis, shown->image,
                         given.focus == NULL ? limit : 0, error);
    done = done && print(&report, &view, shown->files, shown->paths, error);
    cmd_warn_of_texts(&cmd_annotate, &texts);
    if (done && texts.no_memory)
        done = error_set(error, EXIT_BAD_INPUT, "out of memory: some source is missing");
    if (done || annotation.functions != NULL)
        annotation_release(&annotation);
    texts_release(&texts);
    return done;
}

static int check(void)
{
    for (size_t i = 0; i < given.maps.count; i++)
        if (!texts_is_map(given.maps.items[i]))
            return cmd_usage(&cmd_annotate, "--source-map %s: expected FROM=TO",
                             given.maps.items[i]);
    return EXIT_DONE;
}

static const struct cmd_input input = {
    .options = &given.input,
    .files = "a capture FILE to annotate with",
    .elf = true,
    .tells_losses = true,
    .analyse = analyse_sums,
    .terminal = &given.terminal,
    .check = check,
    .show = show,
};

const struct cmd cmd_annotate = {
    .name = "annotate",
    .summary = "source lines with their time and counts",
    .synopsis = "-e ELF FILE...",
    .details =
        "Inlined code is shown at the line that it was inlined at, marked, and once "
        "more in\nthe function that it comes from.",
    .options = options,
    .takes_conf = true,
    .input = &input,
};
