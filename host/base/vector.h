/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef MCUPROF_HOST_VECTOR_H
#define MCUPROF_HOST_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one more item in an array. `items` is the address of the pointer to the
 * array, which has room for *room items of `size` bytes; `used` of them are in use.
 * false: out of memory, and nothing has changed. */
bool vector_grow(void *items, size_t used, size_t *room, size_t size);

#endif
