/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

void *port_reallocarray(void *items, size_t count, size_t size)
{
    return reallocarray(items, count, size);
}

void *port_memmem(const void *bytes, size_t count, const void *part, size_t part_bytes)
{
    return memmem(bytes, count, part, part_bytes);
}

void *port_memrchr(const void *bytes, int value, size_t count)
{
    return (void *)memrchr(bytes, value, count);
}
