/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../report/diff.h"
#include "cmd.h"
#include "loss.h"
#include "terminal.h"

static struct input_options input;
static struct terminal_options terminal = TERMINAL_OPTIONS;
static unsigned limit;
static bool all, json;

static bool compare(struct diff_view *view, struct error *error)
{
    struct diff diff;
    bool done = diff_find(&diff, &view->before.of, &view->after.of, error);

    view->diff = &diff;
    if (done && json)
        report_diff_json(view);
    else if (done) {
        pager_start(&terminal);
        done = report_diff(view, error);
        pager_finish();
    }
    diff_release(&diff);
    return done;
}

static int run(int files, char **paths)
{
    struct diff_view view = {.limit = limit, .all = all, .out = stdout};
    struct analysed before = {0}, after = {0};
    struct error error;
    int status;

    if (input.elf == NULL)
        return cmd_usage(&cmd_diff, "the firmware's ELF is needed: -e ELF");
    if (files != 2)
        return cmd_usage(&cmd_diff, "expected two captures, BEFORE and AFTER");
    if (!input_check_base(&input, &error))
        return cmd_fail(&cmd_diff, &error);
    status = terminal_style(&cmd_diff, &terminal, &view.style);
    if (status != EXIT_DONE)
        return status;
    bool done = input_analyse_base(&input, paths[0], &before, &error) &&
                input_analyse(&input, input.elf, 1, paths + 1, &after, &error);
    view.before.path = paths[0];
    view.before.of = (struct diff_of){&before.profile, &before.analysis};
    view.after.path = paths[1];
    view.after.of = (struct diff_of){&after.profile, &after.analysis};
    view.ended = loss_is_whole(&before.profile) && loss_is_whole(&after.profile);
    done = done && compare(&view, &error);
    done = done && loss_allowed(input.strict, &before.profile, paths[0], &error) &&
           loss_allowed(input.strict, &after.profile, paths[1], &error);
    if (done) {
        cmd_warn_of_losses(&cmd_diff, &input, &before.profile, paths[0]);
        cmd_warn_of_losses(&cmd_diff, &input, &after.profile, paths[1]);
        cmd_warn_of_same(&cmd_diff, &before.profile, paths[0], &after.profile, paths[1]);
    }
    input_release(&before);
    input_release(&after);
    return done ? EXIT_DONE : cmd_fail(&cmd_diff, &error);
}

static const struct option_spec options[] = {
    {0, "base-elf", OPTION_STRING, "ELF", "the ELF of BEFORE; default: that of -e",
     &input.base_elf},
    INPUT_OPTION_ROWS(input),
    TASK_OPTION_ROW(input),
    SHIPPED_OPTION_ROW(input),
    BASE_SHIPPED_OPTION_ROW(input),
    THROUGH_OPTION_ROW(input),
    TAIL_OPTION_ROW(input),
    {0, "all", OPTION_FLAG, NULL, "functions that did not change, too", &all},
    {0, "limit", OPTION_UNSIGNED, "N", "at most N functions", &limit},
    {0, "json", OPTION_FLAG, NULL, "all functions, as JSON", &json},
    TERMINAL_OPTION_ROWS(terminal),
    {.name = NULL},
};

const struct cmd cmd_diff = {
    .name = "diff",
    .summary = "what changed between two profiles, and whether by more than chance",
    .synopsis = "[--base-elf OLD.elf] -e ELF BEFORE AFTER",
    .details =
        "Shares of the program's time, each with its standard error, by function. "
        "Functions "
        "are\nmatched by name, a compiler's clones (foo.part.0) by the name without the "
        "suffix. A change\nis shown from 3 standard errors on (sigma): chance alone "
        "makes one "
        "in 370 so large.",
    .options = options,
    .takes_conf = true,
    .run = run,
};
