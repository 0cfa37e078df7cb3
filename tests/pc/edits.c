/* SPDX-License-Identifier: MIT */
#include "edits.h"

#include <math.h>
#include <string.h>

/* xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators, scrambled", 2016. */
uint64_t edits_any(uint64_t *state, uint64_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (*state * 0x2545F4914F6CDD1D >> 16) % below;
}

bool edits_flip_bits(uint8_t *stream, size_t size, uint64_t *random)
{
    enum { STEPS = 1 << 20 };
    double rate = pow(10, -2 - 4.0 * (double)edits_any(random, STEPS) / STEPS), at = 0;
    bool flipped = false;

    for (;;) {
        at += floor(log((1.0 + (double)edits_any(random, STEPS)) / STEPS) / log1p(-rate));
        if (at >= 8.0 * (double)size)
            return flipped;
        stream[(size_t)at / 8] ^= (uint8_t)(1u << (size_t)at % 8);
        flipped = true;
        at++;
    }
}

/* Replaces `bytes` bytes at `at` by others; returns the new size. */
static size_t replace(uint8_t *stream, size_t size, size_t at, size_t bytes,
                      const uint8_t *others, size_t count)
{
    bytes = bytes < size - at ? bytes : size - at;
    memmove(stream + at + count, stream + at + bytes, size - at - bytes);
    memcpy(stream + at, others, count);
    return size - bytes + count;
}

size_t edits_make(uint8_t *stream, size_t size, uint64_t *random)
{
    size_t at = edits_any(random, size), length = 1 + edits_any(random, BURST_MAX);
    uint8_t bytes[BURST_MAX], *byte = stream + at;

    switch (edits_any(random, 10)) {
    case 0:
    case 1:
        *byte ^= (uint8_t)(1u << edits_any(random, 8));
        return size;
    case 2:
        *byte = (uint8_t)edits_any(random, 256);
        return size;
    case 3: /* the top bit stays */
        *byte = (uint8_t)((*byte & 0x80) | edits_any(random, 128));
        return size;
    case 4:
        return replace(stream, size, at, 1, bytes, 0);
    case 5:
        return replace(stream, size, at, 0, byte, 1);
    case 6:
        return replace(stream, size, at, length, bytes, 0);
    case 7: /* bytes doubled */
        length = length < size - at ? length : size - at;
        memcpy(bytes, byte, length);
        return replace(stream, size, at, 0, bytes, length);
    case 8: /* noise */
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)edits_any(random, 256);
        return replace(stream, size, at, edits_any(random, 2) * length, bytes, length);
    default: /* text */
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)(' ' + edits_any(random, 95));
        return replace(stream, size, at, edits_any(random, 2) * length, bytes, length);
    }
}
