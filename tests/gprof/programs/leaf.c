/* SPDX-License-Identifier: MIT */
#include "parts.h"

volatile unsigned sink;

static unsigned twin(unsigned n)
{
    unsigned x = n;

    for (unsigned i = 0; i < 3; i++)
        x += mix(x, i);
    sink = x;
    return x;
}

unsigned alpha(unsigned n)
{
    unsigned x = twin(n);

    if (n > 3)
        x += mix_twice(n);
    else
        x -= twin(n + 1);
    return x;
}

unsigned beta(unsigned n)
{
    unsigned x = mix(n, 1);

    while (n > 0) {
        sink = n;
        n /= 2;
    }
    return x + alpha(x);
}

unsigned delta(unsigned n)
{
    sink = n;
    return n + 1;
}

unsigned delta_alias(unsigned n) __attribute__((alias("delta")));

__attribute__((weak)) unsigned maybe(unsigned n)
{
    sink += n;
    return n - 1;
}

/* In code, but outside .text. */
__attribute__((section(".code2"), noinline)) unsigned elsewhere(unsigned n)
{
    sink = n * 2u;
    return delta(n);
}
