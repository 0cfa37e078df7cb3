/* SPDX-License-Identifier: MIT */
/* The order of datagrams, for a shell that receives them: one link at a time. */
#include "source/datagrams.h"

bool shell_datagram_add(const uint8_t *bytes, size_t size);
size_t shell_datagram_take(uint8_t *bytes, size_t size, bool hurry);

static struct datagrams datagrams;

bool shell_datagram_add(const uint8_t *bytes, size_t size)
{
    return datagrams_add(&datagrams, bytes, size);
}

size_t shell_datagram_take(uint8_t *bytes, size_t size, bool hurry)
{
    return datagrams_take(&datagrams, bytes, size, hurry);
}
