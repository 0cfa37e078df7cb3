/* SPDX-License-Identifier: MIT */
#include "cursor.h"

#include <endian.h>
#include <string.h>

/* The number of `bytes` bytes at the cursor, in the file's byte order. Nearly all numbers
 * have one of these three sizes; a size that the compiler knows is copied fastest. */
static uint64_t number_at(const struct cursor *cursor, size_t bytes)
{
    uint64_t value = 0;
    uint32_t word;
    switch (bytes) {
    case 1:
        return *cursor->at;
    case sizeof word:
        memcpy(&word, cursor->at, sizeof word);
        return cursor->big_endian ? be32toh(word) : le32toh(word);
    case sizeof value:
        memcpy(&value, cursor->at, sizeof value);
        return cursor->big_endian ? be64toh(value) : le64toh(value);
    default:
        for (size_t i = 0; i < bytes; i++)
            value = value << 8 | cursor->at[cursor->big_endian ? i : bytes - 1 - i];
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
