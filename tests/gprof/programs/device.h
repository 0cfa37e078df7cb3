/* SPDX-License-Identifier: MIT */
/* The functions of the firmware that is linked with libraries. */
#ifndef DEVICE_H
#define DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

extern volatile unsigned long sink;

unsigned weigh(unsigned n);
unsigned long divide(unsigned long a, unsigned long b);
unsigned scale(unsigned n);
unsigned forgotten(unsigned n);
unsigned objects(unsigned n);

/* Inlined in several files. */
static inline unsigned blend(unsigned a, unsigned b)
{
    unsigned x = a * 3u + b;

    if (x & 2u)
        sink += x;
    return x ^ (a << 2);
}

#ifdef __cplusplus
}
#endif

#endif
