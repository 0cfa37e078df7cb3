/* SPDX-License-Identifier: MIT */
/* Two handlers call one helper that has a variable array. The sizes make the helper's
 * frame begin at one place from both, so that old words lie where new ones are looked
 * for. */
#include "attack.h"

static NI void leaf(unsigned char *bytes)
{
    bytes[0] = 1;
    spin(500);
    bytes[1] = 2;
}

static NI void helper(unsigned bytes)
{
    unsigned char room[bytes];

    leaf(room);
    sink += room[0];
}

static NI void first(unsigned bytes)
{
    helper(bytes);
    sink++;
}

static NI void second(unsigned bytes)
{
    unsigned char room[16];

    __asm__ volatile("" : : "r"(room));
    helper(bytes);
    __asm__ volatile("" : : "r"(room));
    sink++;
}

uint32_t program(unsigned rounds)
{
    static void (*table[])(unsigned bytes) = {first, second};
    static const unsigned bytes[] = {64, 48};

    (void)rounds;
    while (board_samples < ATTACK_SAMPLES) {
        unsigned which = next_random() % 4 == 0;

        table[which](bytes[which]);
    }
    return 7;
}
