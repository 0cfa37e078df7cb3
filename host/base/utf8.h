/* SPDX-License-Identifier: MIT */
/* Finds what is valid in foreign text, before other programs get it. */
#ifndef MCUPROF_HOST_UTF8_H
#define MCUPROF_HOST_UTF8_H

#include <stddef.h>

/* Bytes of the character that begins here. 0: no character that JSON and XML allow begins
 * here, but a control character, the end, U+FFFE, U+FFFF, or what is not UTF-8 (RFC
 * 3629). */
size_t utf8_length(const char *text);

#endif
