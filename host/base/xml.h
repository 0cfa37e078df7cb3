/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_XML_H
#define MCUPROF_HOST_XML_H

#include <stdio.h>

/* At most so many bytes of a text, as an element or an attribute has it; what XML may not
 * have becomes '?'. */
void xml_text(FILE *out, const char *text, size_t most);

#endif
