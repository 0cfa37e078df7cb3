/* SPDX-License-Identifier: MIT */
#include "parts.h"

static unsigned twin(unsigned n)
{
    sink ^= n;
    return sink;
}

/* The same name, static, as one of leaf.c; and one that nobody calls. */
unsigned gamma_(unsigned n)
{
    return twin(n) + twin(n + 1);
}

__attribute__((used)) static unsigned unused_static(unsigned n)
{
    return twin(n);
}

unsigned self(unsigned n)
{
    if (n == 0)
        return delta(n);
    return self(n - 1) + mix(n, 2);
}

unsigned ping(unsigned n)
{
    return n == 0 ? alpha(n) : pong(n - 1) + 1;
}

unsigned pong(unsigned n)
{
    sink = n;
    return n == 0 ? beta(n) : ping(n - 1) + 2;
}

unsigned red(unsigned n)
{
    if (n > 5)
        return green(n - 1) + gamma_(n);
    return n ? red(n - 1) : 0;
}

unsigned green(unsigned n)
{
    return n > 3 ? blue(n - 2) + 1 : maybe(n);
}

unsigned blue(unsigned n)
{
    sink = n;
    return n > 3 ? red(n - 1) + green(n / 2) : delta_alias(n);
}
