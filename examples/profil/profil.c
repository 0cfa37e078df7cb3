/* SPDX-License-Identifier: MIT */
/*
 * Firmware that has its own histogram from profil(), and prints it: each bin that was
 * counted in, by its number. SCALE, BINS, FROM, where it begins, and FIRST, what its bins
 * are before, can be other ones.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"
#include "mcuprof_gmon.h"

#define ALONE __attribute__((noinline, noclone, noipa))

#ifndef SCALE
#define SCALE 0x8000
#endif
#ifndef BINS
#define BINS 1024
#endif
#ifndef FROM
#define FROM 0
#endif
#ifndef FIRST
#define FIRST 0
#endif

enum { ROUNDS = 300 };

static unsigned short histogram[BINS];

static ALONE void two(void)
{
    BURN(8000);
}

static ALONE void one(void)
{
    BURN(4000);
}

int main(void)
{
    int refused = profil(NULL, 0, 0, ~0u); /* too high a scale, but on AVR */

    for (unsigned bin = 0; bin < BINS; bin++) {
        histogram[bin] = FIRST;
    }
    (void)profil(histogram, sizeof histogram, (size_t)(FROM), SCALE);
    for (unsigned i = 0; i < ROUNDS; i++) {
        two();
        one();
    }
    (void)profil(NULL, 0, 0, 0);
    one(); /* not counted */
    _mcleanup();
    for (unsigned bin = 0; bin < BINS; bin++) {
        if (histogram[bin] != FIRST) {
            board_printf("bin %u %u\n", bin, histogram[bin]);
        }
    }
    board_printf("refused %d\n", refused != 0);
    return 0;
}
