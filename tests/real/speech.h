/* SPDX-License-Identifier: MIT */
/* What sounds a little like speech. */
#ifndef SPEECH_H
#define SPEECH_H

#include <stdint.h>

#include "real.h"

/* A buzz of a wandering pitch through two resonances, and some noise. */
static void speak(int16_t *sound, int count)
{
    static int32_t phase, first[2], second[2];
    int32_t pitch = 60 + (int32_t)(next_random() % 40);

    for (int i = 0; i < count; i++) {
        int32_t x = (int32_t)(next_random() % 400) - 200;

        if (++phase >= pitch) {
            phase = 0;
            x += 6000;
        }
        x += (first[0] * 15 - first[1] * 14) / 16;
        first[1] = first[0];
        first[0] = x;
        x += (second[0] * 3 - second[1] * 12) / 16;
        second[1] = second[0];
        second[0] = x;
        sound[i] = (int16_t)(x / 4);
    }
}

#endif
