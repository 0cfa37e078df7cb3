/* SPDX-License-Identifier: MIT */
/* All unsure samples lie in one place: hidden(), which keeps its return address as nobody
 * could find it. What calls it is hardly seen: most() takes half of the time. */
#include "attack.h"

void hidden(unsigned turns);

static NI void most(void)
{
    spin(20);
    hidden(300);
    sink++;
}

static NI void few(void)
{
    spin(8);
    hidden(30);
    sink++;
}

static NI void other(void)
{
    spin(100);
    sink++;
}

uint32_t program(unsigned rounds)
{
    (void)rounds;
    while (board_samples < ATTACK_SAMPLES) {
        most();
        few();
        other();
    }
    return 7;
}
