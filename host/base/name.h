/* SPDX-License-Identifier: MIT */
/*
 * Looks for parts of symbols' names. A made-up ELF may give one name of many megabytes to
 * each of its symbols, so only the beginning of a name is read.
 */
#ifndef MCUPROF_HOST_NAME_H
#define MCUPROF_HOST_NAME_H

#include <stdbool.h>
#include <string.h>

#include "../port/memory.h"

enum { NAME_READ_MAX = 4096 };

static inline bool name_has(const char *name, const char *part)
{
    return port_memmem(name, strnlen(name, NAME_READ_MAX), part, strlen(part)) != NULL;
}

/* The name without underscores before it. */
static inline const char *name_bare(const char *name)
{
    for (int i = 0; *name == '_' && i < NAME_READ_MAX; i++)
        name++;
    return name;
}

#endif
