/* SPDX-License-Identifier: MIT */
/*
 * What a page must be told so that it can make new data out of those it has: most of a
 * profile's data, the source above all, are the same from second to second.
 *
 * Both texts are cut behind each "],", the end of a row. The difference is an array of
 * JSON: a pair [FIRST, COUNT] stands for so many pieces of the text before, a string for
 * new text.
 */
#ifndef MCUPROF_HOST_PAGE_DIFFERENCE_H
#define MCUPROF_HOST_PAGE_DIFFERENCE_H

#include <stdbool.h>
#include <stdio.h>

/* false: out of memory, and what was written is incomplete. */
bool difference_write(FILE *out, const char *before, const char *after);

#endif
