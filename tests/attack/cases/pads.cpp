/* SPDX-License-Identifier: MIT */
/* Functions that spend their time where they catch: only the unwinder jumps there, so that
 * without -g nothing but the tables of C++ tells of these places. */
#include "attack.h"

extern "C" {

extern void (*__init_array_start[])(void);
extern void (*__init_array_end[])(void);
void *__dso_handle;

static NI unsigned fails(unsigned number)
{
    if (number % 2 != 0) {
        throw number;
    }
    return number;
}

static NI unsigned inner(unsigned number)
{
    unsigned sum = fails(number);

    try {
        sum += fails(number >> 1);
    } catch (unsigned caught) {
        spin(caught % 200 + 400);
        sum++;
    }
    return sum + fails(number >> 2);
}

static NI void outer(unsigned number)
{
    try {
        sink += inner(number);
    } catch (...) {
        spin(300);
        sink += number;
    }
}

uint32_t program(unsigned rounds)
{
    (void)rounds;
    for (void (**constructor)(void) = __init_array_start; constructor < __init_array_end;
         constructor++) {
        (*constructor)();
    }
    while (board_samples < ATTACK_SAMPLES) {
        outer(next_random());
    }
    return 7;
}
}
