/* SPDX-License-Identifier: MIT */
/* The functions of the judged firmware. Nothing here needs a library. */
#ifndef PARTS_H
#define PARTS_H

extern volatile unsigned sink;

unsigned alpha(unsigned n);
unsigned beta(unsigned n);
unsigned gamma_(unsigned n);
unsigned delta(unsigned n);
unsigned delta_alias(unsigned n);
unsigned maybe(unsigned n);
unsigned self(unsigned n);
unsigned ping(unsigned n);
unsigned pong(unsigned n);
unsigned red(unsigned n);
unsigned green(unsigned n);
unsigned blue(unsigned n);
unsigned elsewhere(unsigned n);
unsigned from_cxx(unsigned n);
int main(void);

/* Inlined in several files: code of this header within functions of others. */
static inline unsigned mix(unsigned a, unsigned b)
{
    unsigned x = a * 5u + b;

    if (x & 1u)
        sink += x;
    return x ^ (a << 1);
}

static inline unsigned mix_twice(unsigned a)
{
    return mix(mix(a, 3), 7);
}

#endif
