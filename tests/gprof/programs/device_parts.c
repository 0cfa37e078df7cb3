/* SPDX-License-Identifier: MIT */
/* What needs libgcc: division, 64 bits, floating point, a switch. */
#include "device.h"

static unsigned choose(unsigned n)
{
    switch (n % 8) {
    case 0:
        return blend(n, 1);
    case 1:
        return n * 7u;
    case 2:
        return blend(n, 5) + 1;
    case 3:
        sink = n;
        return 3;
    case 4:
        return n / 3u;
    case 5:
        return blend(blend(n, 2), 4);
    default:
        return n;
    }
}

unsigned weigh(unsigned n)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += choose(i) % 11u;
    return sum;
}

unsigned long divide(unsigned long a, unsigned long b)
{
    unsigned long long wide = (unsigned long long)a * 1000003ull;

    return (unsigned long)(wide / (b + 1) + wide % (b + 7));
}

unsigned scale(unsigned n)
{
    float x = (float)n * 1.5f;
    double y = (double)x / 3.25 + (double)sink;

    return (unsigned)(int)y;
}

__attribute__((weak)) unsigned objects(unsigned n)
{
    return blend(n, 9);
}
