/* SPDX-License-Identifier: MIT */
/* Text of others, for other programs: what of it is valid. */
#ifndef MCUPROF_HOST_UTF8_H
#define MCUPROF_HOST_UTF8_H

#include <stddef.h>

/* Bytes of the character that begins here. 0: none does that JSON and XML may have: a
 * control character, the end, U+FFFE, U+FFFF, or what is not UTF-8 (RFC 3629). */
size_t utf8_length(const char *text);

#endif
