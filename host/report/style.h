/* SPDX-License-Identifier: MIT */
/*
 * What text may look like at its output: colour, width, characters. Names come from the
 * ELF, which is hostile: a byte of one that could move the
 * cursor, or turn the text around, is shown as "\x..".
 */
#ifndef MCUPROF_HOST_STYLE_H
#define MCUPROF_HOST_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum tint { TINT_PLAIN, TINT_DIM, TINT_BOLD, TINT_WARM, TINT_HOT };

struct style {
    bool colour;
    bool utf8;      /* the locale's characters are UTF-8: ±, µ and … may be used */
    unsigned width; /* columns of the terminal; 0: no limit, as in a pipe or a file */
};

/* `when` is "auto" (colour on a terminal unless NO_COLOR is set, CLICOLOR is 0 or TERM is
 * dumb; with CLICOLOR_FORCE also elsewhere), "always" or "never"; else the result is
 * false. The width is that of `out`'s terminal, or COLUMNS. Call setlocale(LC_CTYPE, "")
 * before. */
bool style_init(struct style *style, FILE *out, const char *when);

void style_tint(const struct style *style, FILE *out, enum tint tint);
/* Whether *text begins with a tint that style_tint() printed; if so, *text moves behind
 * it.
 */
bool style_tinted(const char **text, enum tint *tint);
/* Moves *text behind its first character; returns that one's columns (0: it joins the one
 * before), and puts into `shown` what to print for it. */
size_t style_character(const struct style *style, const char **text, char shown[8]);
/* Bytes before the first one that is not plain ASCII: nearly all text has none. */
size_t style_plain(const char *text);
/* The columns that the text takes on the terminal, and whether all of it can be shown
 * there; as_is may be NULL. */
size_t style_columns(const struct style *style, const char *text, bool *as_is);
/* Prints the text, cut to `columns` (the last column then shows the cut); returns the
 * columns printed. SIZE_MAX: whole. */
size_t style_text(const struct style *style, FILE *out, const char *text, size_t columns);
/* Prints a line across of that many columns. */
void style_rule(const struct style *style, FILE *out, size_t columns);

#endif
