/* SPDX-License-Identifier: MIT */
/* Shortens names and paths so that what distinguishes them stays. */
#ifndef MCUPROF_HOST_REPORT_SHORTEN_H
#define MCUPROF_HOST_REPORT_SHORTEN_H

#include "style.h"

enum cut {
    CUT_END,  /* the beginning stays */
    CUT_NAME, /* of a function: "Pair<…>::value(…)", then "…value(…)" */
    CUT_PATH  /* of a file: "…/src/lapi.c" */
};

/* Prints a text in at most `columns` columns; SIZE_MAX: whole. Returns the columns
 * printed. */
size_t style_fit(const struct style *style, FILE *out, const char *text, size_t columns,
                 enum cut cut);

/* Prints the words of one line, from column `at` on. A word that does not fit goes on a
 * new line, behind `indent` blanks. With CUT_PATH a path that is longer than a line is
 * shortened. */
void style_words(const struct style *style, FILE *out, const char *text, size_t at,
                 size_t indent, enum cut cut);

/* The path without "DIRECTORY/.." and "."; symbolic links are not followed. The caller
 * frees it; NULL: out of memory. */
char *path_clean(const char *path);

#endif
