/* SPDX-License-Identifier: MIT */
#include "stream.h"

FILE *port_open_memstream(char **text, size_t *size)
{
    return open_memstream(text, size);
}

void port_fwrite_unlocked(const void *bytes, size_t size, size_t count, FILE *out)
{
    fwrite_unlocked(bytes, size, count, out);
}

void port_fputs_unlocked(const char *text, FILE *out)
{
    fputs_unlocked(text, out);
}
