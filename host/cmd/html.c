/* SPDX-License-Identifier: MIT */
/* mcuprof html: one self-contained page. */
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../page/page.h"
#include "cmd.h"
#include "loss.h"
#include "output.h"

enum { SOURCES = 200 };

static struct {
    struct input_options input;
    struct option_list directories, maps;
    const char *out, *before, *before_elf, *objdump;
    unsigned sources;
} given = {.sources = SOURCES};

static const struct option_spec options[] = {
    {'o', "output", OPTION_STRING, "OUT", "the file to write; default: standard output",
     &given.out},
    {0, "before", OPTION_STRING, "FILE", "compare with this capture", &given.before},
    {0, "base-elf", OPTION_STRING, "ELF", "that of --before; default: that of -e",
     &given.before_elf},
    {0, "sources", OPTION_UNSIGNED, "N",
     "source and instructions of the N hottest functions (200), 0: all", &given.sources},
    {'I', "source-dir", OPTION_LIST, "DIR", "look for source there, too",
     &given.directories},
    {0, "source-map", OPTION_LIST, "FROM=TO", "source below FROM is below TO here",
     &given.maps},
    {0, "objdump", OPTION_STRING, "PROGRAM", "what disassembles", &given.objdump},
    INPUT_OPTION_ROWS(given.input),
    TASK_OPTION_ROW(given.input),
    THROUGH_OPTION_ROW(given.input),
    {.name = NULL},
};

/* Warnings that were not printed: after the first few, one line counts the others. */
static unsigned unsaid;

static void warn(const char *text)
{
    enum { SAID = 3 };
    static unsigned said;
    struct error warning;

    if (said++ >= SAID) {
        unsaid++;
        return;
    }

    error_set(&warning, EXIT_DONE, "warning: %s", text);
    cmd_fail(&cmd_html, &warning);
}

static bool write_output(const struct page *page, struct error *error)
{
    struct output output;

    if (!output_open(&output, given.out, error))
        return false;
    return output_close(&output, page_write(output.file, page, error), error);
}

/* Adds the profile to compare with, if one is given. */
static bool write_compared(struct page *page, struct error *error)
{
    struct analysed before = {0};
    char *path = (char *)(uintptr_t)given.before;
    const char *elf = given.before_elf != NULL ? given.before_elf : given.input.elf;
    bool done = true;

    if (given.before != NULL) {
        done = input_analyse(&given.input, elf, 1, &path, &before, error);
        page->before = &before.analysis;
        page->before_captures = given.before;
    }
    done = done && write_output(page, error);
    input_release(&before);
    return done;
}

static bool show(const struct shown *shown, struct error *error)
{
    struct stat status;
    struct error warning;
    char events[LOSS_MAX], captures[64];
    struct texts texts = {
        .directories = given.directories.items,
        .maps = given.maps.items,
    };
    struct page page = {
        .profile = shown->profile,
        .analysis = shown->analysis,
        .image = shown->image,
        .captures = shown->files == 1 ? shown->paths[0] : captures,
        .events = events,
        .lost = loss_any(shown->profile),
        .texts = &texts,
        .objdump = given.objdump,
        .sources = given.sources,
        .warn = warn,
    };

    if (stat(image_path(shown->image), &status) == 0)
        texts.built = status.st_mtim;
    setlocale(LC_CTYPE, "C.UTF-8"); /* the page's, whatever the terminal's is */
    snprintf(captures, sizeof captures, "%d files", shown->files);
    loss_describe(shown->profile, events);
    bool done = write_compared(&page, error);
    cmd_warn_of_texts(&cmd_html, &texts);
    if (done && texts.no_memory)
        done = error_set(error, EXIT_BAD_INPUT, "out of memory");
    texts_release(&texts);
    if (done && unsaid > 0) {
        error_set(&warning, EXIT_DONE, "warning: and %u more like these", unsaid);
        cmd_fail(&cmd_html, &warning);
    }
    return done;
}

static int check(void)
{
    for (size_t i = 0; i < given.maps.count; i++)
        if (!texts_is_map(given.maps.items[i]))
            return cmd_usage(&cmd_html, "--source-map %s: expected FROM=TO",
                             given.maps.items[i]);
    if (given.before_elf != NULL && given.before == NULL)
        return cmd_usage(&cmd_html, "--base-elf is that of --before FILE");
    if ((given.out == NULL || strcmp(given.out, "-") == 0) && isatty(STDOUT_FILENO))
        return cmd_usage(&cmd_html, "standard output is a terminal: give -o OUT.html");
    return EXIT_DONE;
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
    .input = &input,
};
