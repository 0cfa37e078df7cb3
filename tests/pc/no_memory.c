/* SPDX-License-Identifier: MIT */
/*
 * To be loaded before the C library: the allocation whose number NO_MEMORY_AT says fails,
 * of those from 1 up. Their count goes to the file NO_MEMORY_COUNT.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static long wanted = -1, count;

static int fails(void)
{
    if (wanted < 0) {
        const char *at = getenv("NO_MEMORY_AT");

        wanted = at == NULL ? 0 : atol(at);
    }
    if (++count != wanted)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return fails() ? NULL : __libc_calloc(items, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void tell_count(void)
{
    const char *path = getenv("NO_MEMORY_COUNT");
    FILE *file = path == NULL ? NULL : fopen(path, "w");

    if (file != NULL) {
        fprintf(file, "%ld\n", count);
        fclose(file);
    }
}
