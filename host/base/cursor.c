/* SPDX-License-Identifier: MIT */
#include "cursor.h"

#include <string.h>

/* A number of 4 bytes: the compiler makes one load of it. */
static uint64_t word_at(const uint8_t *at, bool big_endian)
{
    return big_endian ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
                            (uint32_t)at[2] << 8 | at[3]
                      : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 |
                            (uint32_t)at[1] << 8 | at[0];
}

/* The number of `bytes` bytes at the cursor, in the file's byte order. Nearly all numbers
 * have one of these three sizes. */
static uint64_t number_at(const struct cursor *cursor, size_t bytes)
{
    const uint8_t *at = cursor->at;
    bool big = cursor->big_endian;
    uint64_t value = 0;
    switch (bytes) {
    case 1:
        return *at;
    case 4:
        return word_at(at, big);
    case 8:
        return word_at(at + (big ? 0 : 4), big) << 32 | word_at(at + (big ? 4 : 0), big);
    default:
        for (size_t i = 0; i < bytes; i++)
            value = value << 8 | at[big ? i : bytes - 1 - i];
        return value;
    }
}

uint64_t cursor_take(struct cursor *cursor, size_t bytes)
{
    uint64_t value;
    if (bytes > 8 || (size_t)(cursor->end - cursor->at) < bytes) {
        cursor->at = cursor->end;
        cursor->failed = true;
        return 0;
    }
    value = number_at(cursor, bytes);
    cursor->at += bytes;
    return value;
}

void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
    uint64_t left = (uint64_t)(cursor->end - cursor->at);
    cursor->failed = cursor->failed || bytes > left;
    cursor->at += bytes > left ? left : bytes;
}

uint64_t cursor_leb(struct cursor *cursor, bool with_sign)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while ((byte & 0x80) != 0 && !cursor->failed) {
        byte = (uint8_t)cursor_take(cursor, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (with_sign && shift < 64 && (byte & 0x40) != 0)
        value |= ~(uint64_t)0 << shift;
    return value;
}

const char *cursor_string(struct cursor *cursor)
{
    const uint8_t *start = cursor->at;
    const uint8_t *end = memchr(start, '\0', (size_t)(cursor->end - start));
    if (end == NULL) {
        cursor->at = cursor->end;
        cursor->failed = true;
        return "";
    }
    cursor->at = end + 1;
    return (const char *)start;
}
