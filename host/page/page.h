/* SPDX-License-Identifier: MIT */
/*
 * Writes one profile as one HTML file that needs nothing else: the page that web/ builds,
 * with the profile as blocks of JSON in it. All figures come from analysis/ and answers/,
 * as a report's do: the page's script finds, sorts and draws them, and computes none but
 * sums of the samples that it merges and of the part of a timeline that is in sight.
 */
#ifndef MCUPROF_HOST_PAGE_H
#define MCUPROF_HOST_PAGE_H

#include <stdio.h>

#include "../analysis/analyse.h"
#include "../answers/diff.h"
#include "../answers/energy.h"
#include "../base/error.h"
#include "../image/image.h"
#include "../image/texts.h"
#include "../profile/profile.h"

struct page {
    const struct profile *profile;
    const struct analysis *analysis; /* by analyse() */
    struct image *image;
    const struct energy *energy;  /* NULL: it was not asked for */
    const char *captures;         /* names of the files that the profile was read from */
    const char *events;           /* what was received and lost, in words */
    const char *advice;           /* what is wrong in the firmware, in words; "" */
    bool lost;                    /* events were lost or damaged, or nobody can know */
    struct texts *texts;          /* where source is looked for */
    const char *objdump;          /* as in disassemble() */
    size_t sources;               /* so many of the hottest functions come with source and
                                   * instructions */
    const struct diff_of *before; /* another profile to compare with; NULL: none */
    const char *before_captures;
    bool ended;          /* both profiles have all of their program's time */
    const char *problem; /* why the data are not what was asked for; NULL: they are */
    bool live; /* the data are current, and the page asks its server for newer ones */
    void (*warn)(const char *text); /* takes a line without its end; never NULL */
};

/* Whether the program has its page, as all below need it: it can be built without
 * (PAGE=0). false: error filled in. */
bool page_is_there(struct error *error);

/* The locale's character set must be UTF-8. false: error filled in. The caller checks
 * whether writing to `out` failed (ferror). */
bool page_write(FILE *out, const struct page *page, struct error *error);

/* The same in parts: page_begin() writes what stands before the data, page_data() the
 * data, page_end() what stands behind them. */
void page_begin(FILE *out, bool live);
bool page_data(FILE *out, const struct page *page, struct error *error);
void page_end(FILE *out);

#endif
