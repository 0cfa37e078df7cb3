/* SPDX-License-Identifier: MIT */
/* What `html` and `serve` share: the content of their pages. */
#ifndef MCUPROF_HOST_PAGES_H
#define MCUPROF_HOST_PAGES_H

#include "../image/texts.h"
#include "../page/page.h"
#include "cmd.h"
#include "loss.h"

struct pages_options {
    struct option_list directories, maps;
    const char *objdump;
    unsigned sources;
    bool no_source;
};
enum { PAGES_SOURCES = 200 }; /* the default of --sources */

/* Rows for option tables. */
#define PAGES_OPTION_ROWS(given)                                                         \
    {0,                                                                                  \
     "sources",                                                                          \
     OPTION_UNSIGNED,                                                                    \
     "N",                                                                                \
     "source and instructions of the N hottest functions (200), 0: all",                 \
     &(given).sources},                                                                  \
        {0,                                                                              \
         "no-source",                                                                    \
         OPTION_FLAG,                                                                    \
         NULL,                                                                           \
         "no text of source files",                                                      \
         &(given).no_source},                                                            \
        {'I',                                                                            \
         "source-dir",                                                                   \
         OPTION_LIST,                                                                    \
         "DIR",                                                                          \
         "look for source there, too",                                                   \
         &(given).directories},                                                          \
        {0,                                                                              \
         "source-map",                                                                   \
         OPTION_LIST,                                                                    \
         "FROM=TO",                                                                      \
         "source below FROM is below TO here",                                           \
         &(given).maps},                                                                 \
    {                                                                                    \
        0, "objdump", OPTION_STRING, "PROGRAM", "what disassembles", &(given).objdump    \
    }

/* Checks the options: EXIT_DONE, or what cmd_usage() returned. */
int pages_check(const struct cmd *cmd, const struct pages_options *options);

/* A page, and where it looks for source; both serve all pages of the image. */
struct pages {
    struct page page;
    struct texts texts;
    char events[LOSS_MAX], advice[LOSS_MAX];
};

/* Warnings are printed in the command's name. The locale becomes the page's, UTF-8.
 * false: this machine does not have it, and there is nothing to release. */
bool pages_init(struct pages *pages, const struct cmd *cmd,
                const struct pages_options *options, struct image *image,
                struct error *error);
/* Sets the profile that the page shows. */
void pages_set(struct pages *pages, const struct profile *profile,
               const struct analysis *analysis, const char *captures);
/* false: memory ran out, and the page lacks some source or lines. */
bool pages_had_memory(const struct pages *pages, struct error *error);
/* Prints how many warnings were kept back, and releases the pages. */
void pages_release(struct pages *pages);

#endif
