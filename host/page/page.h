/* SPDX-License-Identifier: MIT */
/*
 * One profile as one HTML file that needs nothing else: the page that web/ builds, with
 * the profile as a block of JSON in it. All figures come from profile/, as those of a
 * report do: the page's script finds, sorts and draws them, and computes none.
 */
#ifndef MCUPROF_HOST_PAGE_H
#define MCUPROF_HOST_PAGE_H

#include <stdio.h>

#include "../base/error.h"
#include "../image/image.h"
#include "../image/texts.h"
#include "../profile/analyse.h"
#include "../profile/profile.h"

struct page {
    const struct profile *profile;
    const struct analysis *analysis; /* by analyse() */
    struct image *image;
    const char *captures; /* what the profile was read from */
    const char *events;   /* what was received and lost, in words */
    const char *advice;   /* what is wrong in the firmware, in words; "" */
    bool lost;            /* events were lost or damaged, or nobody can know */
    struct texts *texts;  /* where source is looked for */
    const char *objdump;  /* as in disassemble() */
    size_t sources; /* so many functions, the hottest, with source and instructions */
    const struct analysis *before; /* another profile to compare with; NULL: none */
    const char *before_captures;
    const char *problem; /* why the data are not what was asked for; NULL: they are */
    bool live; /* the data are of now: the page asks its server for those that come */
    void (*warn)(const char *text); /* takes a line without its end; never NULL */
};

/* The locale's characters must be UTF-8. false: error filled in; whether writing to `out`
 * failed is for the caller to see (ferror). */
bool page_write(FILE *out, const struct page *page, struct error *error);

/* The same in parts: what stands before the data and behind them, and the data. */
void page_begin(FILE *out, bool live);
bool page_data(FILE *out, const struct page *page, struct error *error);
void page_end(FILE *out);

#endif
