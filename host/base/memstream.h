/* SPDX-License-Identifier: MIT */
/* The end of a stream that port_open_memstream() began. */
#ifndef MCUPROF_HOST_MEMSTREAM_H
#define MCUPROF_HOST_MEMSTREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../port/stream.h"

/* Closes the stream whose text is *text. false: out of memory, and *text is NULL.
 * (glibc's fclose() reports no error if memory lacks only for its last step, which
 * shrinks the text.) */
static inline bool memstream_close(FILE *stream, char **text)
{
    bool failed = ferror(stream) != 0;

    if (fclose(stream) == 0 && !failed && *text != NULL)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

#endif
