/* SPDX-License-Identifier: MIT */
/* Functions of memory that not every C library has. */
#ifndef MCUPROF_HOST_PORT_MEMORY_H
#define MCUPROF_HOST_PORT_MEMORY_H

#include <stddef.h>

/* reallocarray(): realloc() of count * size bytes; NULL, too, if that product is no
 * size_t. */
void *port_reallocarray(void *items, size_t count, size_t size);

/* memmem(): the first place of the part among the bytes, or NULL. */
void *port_memmem(const void *bytes, size_t count, const void *part, size_t part_bytes);

/* memrchr(): the last byte of this value among the bytes, or NULL. */
void *port_memrchr(const void *bytes, int value, size_t count);

#endif
