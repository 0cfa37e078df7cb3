/* SPDX-License-Identifier: MIT */
/*
 * How text may look where it goes: colour, width, characters. Names come from the ELF,
 * which is hostile: whatever could move a cursor is shown as '?'.
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

/* "auto" (colour on a terminal unless NO_COLOR is set, CLICOLOR is 0 or TERM is dumb;
 * with CLICOLOR_FORCE also elsewhere), "always" or "never"; false if `when` is none of
 * them. The width is that of the terminal `out` is, or COLUMNS. Call setlocale(LC_CTYPE,
 * "") before. */
bool style_init(struct style *style, FILE *out, const char *when);

void style_tint(const struct style *style, FILE *out, enum tint tint);
/* The reverse: whether *text begins with what style_tint() printed, which is taken off.
 */
bool style_tinted(const char **text, enum tint *tint);
/* Takes one character off *text; returns its columns (0: it joins the one before), and in
 * `shown` what to print for it. */
size_t style_character(const struct style *style, const char **text, char shown[8]);
/* Bytes up to the first that is not plain ASCII: nearly all text is that throughout. */
size_t style_plain(const char *text);
/* Columns the text takes on the terminal, and whether all of it can be shown there;
 * as_is may be NULL. */
size_t style_columns(const struct style *style, const char *text, bool *as_is);
/* Prints the text, cut to `columns` (the last one then says so); returns the columns
 * printed. SIZE_MAX: whole. */
size_t style_text(const struct style *style, FILE *out, const char *text, size_t columns);
/* A line across, of that many columns. */
void style_rule(const struct style *style, FILE *out, size_t columns);

#endif
