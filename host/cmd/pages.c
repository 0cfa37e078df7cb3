/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <locale.h>
#include <stdlib.h>

#include "advice.h"
/* A page that is made again and again warns once. */
static bool warned;
static const struct cmd *warner;

static void warn(const char *text)
{
    struct error warning;

    error_set(&warning, EXIT_DONE, "warning: %s", text);
    if (!warned)
        cmd_fail(warner, &warning);
    warned = true;
}

int pages_check(const struct cmd *cmd, const struct pages_options *options)
{
    for (size_t i = 0; i < options->maps.count; i++)
        if (!texts_is_map(options->maps.items[i]))
            return cmd_usage(cmd, "--source-map %s: expected FROM=TO",
                             options->maps.items[i]);
    return EXIT_DONE;
}

bool pages_init(struct pages *pages, const struct cmd *cmd,
                const struct pages_options *options, struct image *image,
                struct error *error)
{
    static const char locale[] = "C.UTF-8"; /* the page needs it, whatever the
                                             * terminal's is */

    /* converting a character makes the locale load all it needs */
    if (setlocale(LC_CTYPE, locale) == NULL || mblen("\xc2\xb5", 2) != 2)
        return error_set(error, EXIT_BAD_INPUT,
                         "locale %s: there is none, or out of memory", locale);
    warner = cmd;
    *pages = (struct pages){
        .page = {.image = image,
                 .events = pages->events,
                 .advice = pages->advice,
                 .texts = &pages->texts,
                 .objdump = options->objdump,
                 .sources = options->sources,
                 .warn = warn},
        .texts = {.none = options->no_source,
                  .directories = options->directories.items,
                  .maps = options->maps.items},
    };
    texts_begin(&pages->texts, image);
    return true;
}

void pages_set(struct pages *pages, const struct profile *profile,
               const struct analysis *analysis, const char *captures)
{
    pages->page.profile = profile;
    pages->page.analysis = analysis;
    pages->page.captures = captures;
    pages->page.lost = loss_any(profile);
    loss_describe(profile, pages->events);
    advice(profile, pages->page.image, pages->advice);
}

bool pages_had_memory(const struct pages *pages, struct error *error)
{
    if (pages->texts.no_memory)
        return error_set(error, EXIT_BAD_INPUT, "out of memory: some source is missing");
    return input_had_memory(pages->page.image, error);
}

void pages_release(struct pages *pages)
{
    cmd_warn_of_texts(warner, &pages->texts);
    texts_release(&pages->texts);
}
