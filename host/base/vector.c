/* SPDX-License-Identifier: MIT */
#include "vector.h"

#include <stdlib.h>
#include <string.h>

#include "../port/memory.h"

enum { ROOM_MIN = 16 };

bool vector_grow(void *items, size_t used, size_t *room, size_t size)
{
    if (used < *room)
        return true;
    size_t more = *room == 0 ? ROOM_MIN : *room * 2;
    void *array;
    memcpy(&array, items, sizeof array); /* copying the bytes works for a pointer of any
                                          * type */
    array = port_reallocarray(array, more, size);
    if (array == NULL)
        return false;
    memcpy(items, &array, sizeof array);
    *room = more;
    return true;
}
