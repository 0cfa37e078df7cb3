/* SPDX-License-Identifier: MIT */
/* The functions of attack.h. */
#include "attack.h"

volatile unsigned sink, fuel;
jmp_buf *volatile jump;

NI void spin(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        sink += i;
    }
}

NI void touch(unsigned char *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(sink + i);
    }
}

NI void rare(unsigned number)
{
    sink ^= number;
}

NI unsigned many(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f,
                 unsigned g, unsigned h)
{
    spin(a % 20);
    return a + b * c + d * e + f * g + h;
}

int compare(const void *a, const void *b)
{
    return (int)(*(const unsigned *)a % 97) - (int)(*(const unsigned *)b % 97);
}
