/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_DECODE_HEX_H
#define MCUPROF_HOST_DECODE_HEX_H

#include <stdint.h>

/* The value of a hexadecimal digit in either case; -1: it is not a digit. */
static inline int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
