/* SPDX-License-Identifier: MIT */
/* Transforms real and complex noise, of lengths with different factors, and transforms it
 * back. */
#include <stdlib.h>

#include "kiss_fft.h"
#include "kiss_fftr.h"
#include "real.h"

enum { LONGEST = 240 };

static kiss_fft_cpx in[LONGEST], out[LONGEST];
static kiss_fft_scalar real[LONGEST];

static uint32_t transform(int length, int inverse)
{
    kiss_fft_cfg plan = kiss_fft_alloc(length, inverse, NULL, NULL);

    for (int i = 0; i < length; i++) {
        in[i].r = (kiss_fft_scalar)next_random();
        in[i].i = (kiss_fft_scalar)next_random();
    }
    for (int i = 0; i < 20; i++) {
        kiss_fft(plan, in, out);
        kiss_fft(plan, out, in);
    }
    free(plan);
    return checksum(0, in, sizeof *in * (size_t)length);
}

static uint32_t transform_real(int length)
{
    kiss_fftr_cfg plan = kiss_fftr_alloc(length, 0, NULL, NULL);

    for (int i = 0; i < length; i++) {
        real[i] = (kiss_fft_scalar)next_random();
    }
    for (int i = 0; i < 20; i++) {
        kiss_fftr(plan, real, out);
    }
    free(plan);
    return checksum(0, out, sizeof *out * (size_t)length / 2);
}

uint32_t program(unsigned rounds)
{
    static const int lengths[] = {64, 60, 84, 128, 240, 105};
    uint32_t sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        int length = lengths[i % 6];

        sum = sum * 31 + transform(length, (int)(i & 1));
        sum = sum * 31 + transform_real(length & ~1);
    }
    return sum;
}
