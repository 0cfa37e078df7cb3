/* SPDX-License-Identifier: MIT */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "../port/text.h"
#include "../report/budget.h"
#include "cmd.h"
#include "loss.h"
#include "output.h"
#include "terminal.h"

static struct input_options input;
static struct terminal_options terminal = TERMINAL_OPTIONS;
static const char *junit;
static bool github;
static struct error objection; /* what --strict objects to and was not printed yet; "":
                                * nothing */

/* A relative path of a baseline is relative to the file of budgets. NULL: out of memory.
 */
static char *baseline_path(const struct budget *budget, const char *budgets)
{
    char *folder = strdup(budgets), *path = NULL;

    if (folder != NULL && *budget->subject == '/')
        path = strdup(budget->subject);
    else if (folder != NULL &&
             port_asprintf(&path, "%s/%s", dirname(folder), budget->subject) < 0)
        path = NULL;
    free(folder);
    return path;
}

static void say_objection(void)
{
    if (*objection.text != '\0')
        cmd_fail(&cmd_check, &objection);
    objection = (struct error){.status = EXIT_DONE};
}

/* Warns of losses. With --strict they become the objection, and an earlier objection is
 * printed. */
static void tell_losses(const struct profile *profile, const char *path)
{
    struct error next;

    cmd_warn_of_losses(&cmd_check, &input, profile, path);
    if (loss_allowed(input.strict, profile, path, &next))
        return;
    say_objection();
    objection = next;
}

/* Whether a budget before this one has the same baseline. */
static bool is_known_baseline(const struct budgets *budgets, const struct budget *budget)
{
    for (const struct budget *i = budgets->items; i < budget; i++) {
        if (i->what == BUDGET_REGRESSION && strcmp(i->subject, budget->subject) == 0)
            return true;
    }
    return false;
}

static bool read_baseline(struct analysed *side, const struct budget_view *view,
                          const struct budget *budget, struct error *error)
{
    char *path = baseline_path(budget, view->path);
    bool done = path != NULL || error_set(error, EXIT_BAD_INPUT, "out of memory");

    done = done && input_analyse_base(&input, path, side, error);
    if (done && !is_known_baseline(view->budgets, budget))
        tell_losses(&side->profile, path);
    free(path);
    return done;
}

static bool check_one(const struct budget_view *view, const struct budget *budget,
                      struct budget_facts facts, struct budget_result *result,
                      struct error *error)
{
    struct analysed baseline = {0};
    bool done = true;

    if (budget->what == BUDGET_REGRESSION) {
        done = read_baseline(&baseline, view, budget, error);
        facts.baseline = &baseline.analysis;
    }
    if (done && budget->what == BUDGET_REGRESSION)
        cmd_warn_of_same(&cmd_check, &baseline.profile, budget->subject, facts.profile,
                         "the capture");
    done = done && (budget_check(budget, &facts, result) ||
                    error_set(error, EXIT_BAD_INPUT, "out of memory"));
    input_release(&baseline);
    return done;
}

static bool write_junit(const struct budget_view *view, struct error *error)
{
    struct output output;

    if (!output_open(&output, junit, error))
        return false;
    report_budgets_junit(view, output.file);
    return output_close(&output, true, error);
}

/* The budgets and the captures of regressions are inputs, too. */
static bool junit_differs(const struct budget_view *view, int files, char **paths,
                          struct error *error)
{
    bool done = output_differs(junit, view->path, 0, NULL, error) &&
                input_differs(&input, junit, files, paths, error);

    for (size_t i = 0; done && i < view->budgets->count; i++) {
        const struct budget *budget = &view->budgets->items[i];
        char *path = NULL;

        if (budget->what != BUDGET_REGRESSION)
            continue;
        path = baseline_path(budget, view->path);
        done = path != NULL ? output_differs(junit, path, 0, NULL, error)
                            : error_set(error, EXIT_BAD_INPUT, "out of memory");
        free(path);
    }
    return done;
}

/* Warns of calls that no budget sees. */
static void tell_uncounted(const struct budgets *budgets, const struct image *image)
{
    const char *text = image != NULL ? image_uncounted(image) : NULL;
    struct error warning;
    bool any = false;

    for (size_t i = 0; i < budgets->count; i++)
        any = any || budgets->items[i].what == BUDGET_CALLS;
    if (!any || text == NULL)
        return;
    error_set(&warning, EXIT_DONE, "warning: %s", text);
    cmd_fail(&cmd_check, &warning);
}

static bool check(struct budget_view *view, const struct budget_facts *facts,
                  struct error *error)
{
    struct budget_result *results = calloc(view->budgets->count, sizeof *results);
    bool done = results != NULL || error_set(error, EXIT_BAD_INPUT, "out of memory");

    for (size_t i = 0; done && i < view->budgets->count; i++)
        done = check_one(view, &view->budgets->items[i], *facts, &results[i], error);
    view->results = results;
    if (done) {
        pager_start(&terminal);
        done = report_budgets(view, stdout, error);
        if (done && github)
            report_budgets_github(view, stdout);
        pager_finish();
    }
    done = done && (junit == NULL || write_junit(view, error));
    if (done && report_broken(view) > 0)
        done = error_set(error, EXIT_NO, "%zu of %zu budgets are broken",
                         report_broken(view), view->budgets->count);
    free(results);
    return done;
}

static bool check_files(struct budget_view *view, int files, char **paths,
                        struct error *error)
{
    struct budgets budgets;
    struct analysed side = {0};
    struct power power = {.path = NULL};
    struct energy energy = {.power = NULL};
    bool done = budgets_read(&budgets, view->path, error);

    view->budgets = &budgets;
    done = done && junit_differs(view, files, paths, error) &&
           input_analyse(&input, input.elf, files, paths, &side, error) &&
           input_find_energy(&cmd_check, &input, &side.profile, &side.analysis,
                             side.image, &power, &energy, error);
    const struct budget_facts facts = {.profile = &side.profile,
                                       .analysis = &side.analysis,
                                       .image = side.image,
                                       .energy = energy.power != NULL ? &energy : NULL,
                                       .lost_unknown =
                                           done && profile_loses_more(&side.profile)};

    if (done) {
        tell_losses(&side.profile, NULL);
        tell_uncounted(&budgets, side.image);
    }
    done = done && check(view, &facts, error);
    if (!done) {
        say_objection();
    } else if (*objection.text != '\0') {
        *error = objection;
        done = false;
    }
    energy_release(&energy);
    power_release(&power);
    input_release(&side);
    budgets_release(&budgets);
    return done;
}

static int run(int argc, char **argv)
{
    struct budget_view view = {0};
    struct error error;
    int status;

    if (input.elf == NULL)
        return cmd_usage(&cmd_check, "the firmware's ELF is needed: -e ELF");
    if (argc < 2)
        return cmd_usage(&cmd_check, "expected a file of BUDGETS and a capture FILE");
    if (!input_check_base(&input, &error))
        return cmd_fail(&cmd_check, &error);
    status = input_check_power(&cmd_check, &input);
    if (status == EXIT_DONE)
        status = terminal_style(&cmd_check, &terminal, &view.style);
    if (status != EXIT_DONE)
        return status;
    view.path = argv[0];
    return check_files(&view, argc - 1, argv + 1, &error) ? EXIT_DONE
                                                          : cmd_fail(&cmd_check, &error);
}

static const struct option_spec options[] = {
    INPUT_OPTION_ROWS(input),
    TASK_OPTION_ROW(input),
    POWER_OPTION_ROW(input),
    SHIPPED_OPTION_ROW(input),
    THROUGH_OPTION_ROW(input),
    TAIL_OPTION_ROW(input),
    {0, "base-elf", OPTION_STRING, "ELF",
     "the ELF of a regression's baseline; default: of -e", &input.base_elf},
    BASE_SHIPPED_OPTION_ROW(input),
    {0, "junit", OPTION_STRING, "OUT", "write the results as JUnit's XML, too", &junit},
    {0, "github", OPTION_FLAG, NULL, "and print broken ones as GitHub's annotations",
     &github},
    TERMINAL_OPTION_ROWS(terminal),
    {.name = NULL},
};

const struct cmd cmd_check = {
    .name = "check",
    .summary = "fail where a profile breaks its budgets, for CI",
    .synopsis = "-e ELF BUDGETS FILE...",
    .details =
        "A budget a line; # begins a comment:\n"
        "  main_loop mean < 50us        also self, total (% or time), calls, min, max\n"
        "  task idle > 20%              of a task or interrupt; task [IRQ 8] max < 20us\n"
        "  task radio energy < 3mJ      with --power; also energy, current, life\n"
        "  profiler < 5%\n"
        "  lost = 0\n"
        "  regression against base.mprof < 3%\n"
        "A sampled figure breaks its budget where it is beyond it by more than 2 "
        "standard\n"
        "errors.",
    .options = options,
    .takes_conf = true,
    .run = run,
};
