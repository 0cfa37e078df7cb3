/* SPDX-License-Identifier: MIT */
/* A recursive parser with a variable array at each level, as those of nested messages
 * have. */
#include "attack.h"

static NI unsigned work(const unsigned char *bytes, unsigned turns)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < turns; i++) {
        sum = sum * 31 + bytes[i % 8];
    }
    return sum;
}

static NI unsigned parse(unsigned depth)
{
    unsigned bytes = 8 + next_random() % 56, sum;
    unsigned char room[bytes];

    room[0] = (unsigned char)bytes;
    sum = work(room, 60 + bytes);
    if (depth && next_random() % 4) {
        sum += parse(depth - 1);
    }
    if (depth && next_random() % 3 == 0) {
        sum += parse(depth - 1);
    }
    return sum + room[0];
}

static NI unsigned small(unsigned depth, unsigned number)
{
    return parse(depth) + number;
}

static NI unsigned middle(unsigned depth, unsigned number)
{
    unsigned char room[24];

    __asm__ volatile("" : : "r"(room) : "memory");
    return parse(depth) + room[0] + number;
}

static NI unsigned large(unsigned depth, unsigned number)
{
    unsigned char room[40];

    room[0] = (unsigned char)depth;
    __asm__ volatile("" : : "r"(room) : "memory");
    return parse(depth) + room[0] + number;
}

uint32_t program(unsigned rounds)
{
    static fn const table[] = {small, middle, large};

    (void)rounds;
    while (board_samples < ATTACK_SAMPLES) {
        sink += table[next_random() % 3](next_random() % 6, 1);
    }
    return sink;
}
