/* SPDX-License-Identifier: MIT */
/* Finds what is valid in foreign text, before other programs get it. */
#ifndef MCUPROF_HOST_UTF8_H
#define MCUPROF_HOST_UTF8_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the character that begins here. 0: no character that JSON and XML allow begins
 * here, but a control character, the end, U+FFFE, U+FFFF, or what is not UTF-8 (RFC
 * 3629); or one that has what follows shown in another order (U+202E and its kin). */
size_t utf8_length(const char *text);

/* How the character that begins here, which is not the end, is shown: as it is or, where
 * utf8_length() is 0, its first byte as "\x..". Returns how many bytes that stands for.
 */
enum { UTF8_SHOWN = 5 };
size_t utf8_show(const char *text, char shown[UTF8_SHOWN]);
/* Prints a text so. */
void utf8_print(FILE *out, const char *text);
/* A text so, cut with an ellipsis if it is longer than `most` bytes (0: never). The
 * caller frees it; NULL: out of memory. */
char *utf8_text(const char *text, size_t most);

#endif
