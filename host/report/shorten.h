/* SPDX-License-Identifier: MIT */
/* Names and paths that are longer than their place: what tells them apart stays. */
#ifndef MCUPROF_HOST_REPORT_SHORTEN_H
#define MCUPROF_HOST_REPORT_SHORTEN_H

#include "style.h"

enum cut {
    CUT_END,  /* the beginning stays */
    CUT_NAME, /* of a function: "Pair<…>::value(…)", then "…value(…)" */
    CUT_PATH  /* of a file: "…/src/lapi.c" */
};

/* Prints a text in so many columns at most, SIZE_MAX: whole. Returns the columns
 * printed. */
size_t style_fit(const struct style *style, FILE *out, const char *text, size_t columns,
                 enum cut cut);

/* Prints one line's words from column `at` on; where one does not fit a new line begins,
 * with `indent` blanks. With CUT_PATH a path that is longer than a line is shortened. */
void style_words(const struct style *style, FILE *out, const char *text, size_t at,
                 size_t indent, enum cut cut);

/* The path without "DIRECTORY/.." and "." (symbolic links are not asked). The caller
 * frees it; NULL: out of memory. */
char *path_clean(const char *path);

#endif
