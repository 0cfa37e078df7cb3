/* SPDX-License-Identifier: MIT */
/* The self-test on the boards of boards/, where the tick is the board's. */
#include "board.h"
#include "selftest.h"

#ifndef SELFTEST_TICK_US
#define SELFTEST_TICK_US 1000
#endif

int main(void)
{
    if (SELFTEST_TICK_US) {
        board_tick(SELFTEST_TICK_US, selftest_tick);
    }
    selftest();
    return 0;
}
