/* SPDX-License-Identifier: MIT */
/* Encodes the targets of T32's long branches: ARM DDI 0403E, A7.7.12 (B), A7.7.18 (BL).
 */
#include "internal.h"

static void put_half(uint8_t *bytes, uint32_t half)
{
    bytes[0] = (uint8_t)half;
    bytes[1] = (uint8_t)(half >> 8);
}

/* BL and B.W: a sign and 24 bits, of which two are mixed with the sign. */
static void put_far(uint8_t *bytes, uint32_t low, uint32_t distance)
{
    uint32_t sign = distance >> 24 & 1;
    uint32_t j1 = !((distance >> 23 & 1) ^ sign), j2 = !((distance >> 22 & 1) ^ sign);
    put_half(bytes, 0xf000 | sign << 10 | (distance >> 12 & 0x3ff));
    put_half(bytes + 2, (low & 0xd000) | j1 << 13 | j2 << 11 | (distance >> 1 & 0x7ff));
}

/* B<c>.W: a sign and 20 bits. */
static void put_near(uint8_t *bytes, uint32_t high, uint32_t distance)
{
    put_half(bytes,
             (high & 0xfbc0) | (distance >> 20 & 1) << 10 | (distance >> 12 & 0x3f));
    put_half(bytes + 2, 0x8000 | (distance >> 18 & 1) << 13 | (distance >> 19 & 1) << 11 |
                            (distance >> 1 & 0x7ff));
}

static bool reaches(int64_t distance, unsigned bits)
{
    int64_t end = (int64_t)1 << (bits - 1);
    return distance >= -end && distance < end && (distance & 1) == 0;
}

bool arch_retarget_t32(uint8_t bytes[4], uint64_t at, uint64_t to)
{
    uint32_t high = arch_word(bytes, 2, false), low = arch_word(bytes + 2, 2, false);
    int64_t distance = (int64_t)(to - at - 4);
    if (high >> 11 != 0x1e)
        return false;
    if (((low & 0xd000) == 0xd000 || (low & 0xd000) == 0x9000) && reaches(distance, 25))
        put_far(bytes, low, (uint32_t)distance);
    else if ((low & 0xd000) == 0x8000 && (high & 0x380) != 0x380 && reaches(distance, 21))
        put_near(bytes, high, (uint32_t)distance);
    else
        return false;
    return true;
}
