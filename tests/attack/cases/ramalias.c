/* SPDX-License-Identifier: MIT */
/* A function in RAM and one in flash, of ramalias_twins.S, are called in turn. */
#include "attack.h"

unsigned ramf(unsigned turns, unsigned number);
unsigned twin(unsigned turns, unsigned number);

static NI void inner(fn in_ram)
{
    in_ram(300, 0);
    sink++;
}

static NI void other(void)
{
    twin(200, 0);
    sink++;
}

uint32_t program(unsigned rounds)
{
    static fn volatile in_ram = ramf;

    (void)rounds;
    for (unsigned i = 0; board_samples < ATTACK_SAMPLES; i++) {
        inner(in_ram);
        if (i % 4 == 0) {
            other();
        }
    }
    return 7;
}
