/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_XML_H
#define MCUPROF_HOST_XML_H

#include <stdio.h>

/* Writes at most `most` bytes of a text, escaped for an element or an attribute;
 * characters that utf8.h refuses become "\x..". */
void xml_text(FILE *out, const char *text, size_t most);

#endif
