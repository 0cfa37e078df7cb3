/* SPDX-License-Identifier: MIT */
/* mcuprof html: one self-contained page. */
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "pages.h"

static struct {
    struct input_options input;
    struct pages_options pages;
    const char *out, *before;
} given = {.pages.sources = PAGES_SOURCES};

static const struct option_spec options[] = {
    {'o', "output", OPTION_STRING, "OUT", "the file to write; default: standard output",
     &given.out},
    {0, "before", OPTION_STRING, "FILE", "compare with this capture", &given.before},
    {0, "base-elf", OPTION_STRING, "ELF", "the ELF of --before; default: that of -e",
     &given.input.base_elf},
    BASE_SHIPPED_OPTION_ROW(given.input),
    PAGES_OPTION_ROWS(given.pages),
    INPUT_OPTION_ROWS(given.input),
    TASK_OPTION_ROW(given.input),
    POWER_OPTION_ROW(given.input),
    COUNTS_OPTION_ROW(given.input),
    SHIPPED_OPTION_ROW(given.input),
    THROUGH_OPTION_ROW(given.input),
    TAIL_OPTION_ROW(given.input),
    {.name = NULL},
};

static bool write_output(const struct pages *pages, struct error *error)
{
    struct output output;

    if (!output_open(&output, given.out, error))
        return false;
    return output_close(&output,
                        page_write(output.file, &pages->page, error) &&
                            pages_had_memory(pages, error),
                        error);
}

/* Adds the profile to compare with, if one is given. */
static bool write_compared(struct pages *pages, struct error *error)
{
    struct analysed before = {0};
    const struct diff_of of = {&before.profile, &before.analysis};
    char *path = (char *)(uintptr_t)given.before;
    bool done = true;

    if (given.before != NULL) {
        done = input_analyse_base(&given.input, path, &before, error);
        pages->page.before = &of;
        pages->page.before_captures = given.before;
        pages->page.ended =
            done && loss_is_whole(&before.profile) && loss_is_whole(pages->page.profile);
    }
    if (done && given.before != NULL)
        cmd_warn_of_losses(&cmd_html, &given.input, &before.profile, given.before);
    done = done && write_output(pages, error) &&
           (given.before == NULL ||
            loss_allowed(given.input.strict, &before.profile, given.before, error));
    input_release(&before);
    return done;
}

/* --before is a capture: "-" is standard input. */
static bool output_is_other(const struct shown *shown, struct error *error)
{
    char *before = (char *)(uintptr_t)given.before;

    return output_differs(given.out, NULL, before != NULL, &before, error) &&
           input_differs(&given.input, given.out, shown->files, shown->paths, error);
}

static bool show(const struct shown *shown, struct error *error)
{
    char captures[64];
    struct pages pages;

    snprintf(captures, sizeof captures, "%d files", shown->files);
    if (!pages_init(&pages, &cmd_html, &given.pages, shown->image, error))
        return false;
    pages_set(&pages, shown->profile, shown->analysis,
              shown->files == 1 ? shown->paths[0] : captures);
    pages.page.energy = shown->energy;
    bool done = output_is_other(shown, error) && write_compared(&pages, error);
    pages_release(&pages);
    return done;
}

static int check(void)
{
    struct error error;

    if (given.input.base_elf != NULL && given.before == NULL)
        return cmd_usage(&cmd_html,
                         "--base-elf is the ELF of --before FILE, which is missing");
    if (given.input.base_shipped != NULL && given.before == NULL)
        return cmd_usage(&cmd_html,
                         "--base-shipped is of --before FILE, which is missing");
    if (!page_is_there(&error) || !input_check_base(&given.input, &error))
        return cmd_fail(&cmd_html, &error);
    if ((given.out == NULL || strcmp(given.out, "-") == 0) && isatty(STDOUT_FILENO))
        return cmd_usage(&cmd_html, "standard output is a terminal: give -o OUT.html");
    return pages_check(&cmd_html, &given.pages);
}

static const struct cmd_input input = {
    .options = &given.input,
    .files = "a capture FILE",
    .elf = true,
    .analyse = analyse,
    .check = check,
    .show = show,
};

const struct cmd cmd_html = {
    .name = "html",
    .summary = "one self-contained page: tables, flame graph, call graph, source",
    .synopsis = "-e ELF -o OUT.html FILE...",
    .details =
        "The page needs no network and no other file. Several FILEs are added up;\n"
        "--before FILE adds a comparison with that one.",
    .options = options,
    .takes_conf = true,
    .input = &input,
};
