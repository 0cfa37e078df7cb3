/* SPDX-License-Identifier: MIT */
/* Paths of files, as text. */
#ifndef MCUPROF_HOST_PATH_H
#define MCUPROF_HOST_PATH_H

#include <string.h>

/* The last `parts` parts of a path: folders and the file's name; all of it, if it has no
 * more. NULL if the path is. */
static inline const char *path_tail(const char *path, unsigned parts)
{
    const char *at = path != NULL ? path + strlen(path) : NULL;

    while (at > path && (at[-1] != '/' || --parts > 0))
        at--;
    return at;
}

#endif
