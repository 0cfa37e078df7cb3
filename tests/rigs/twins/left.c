/* SPDX-License-Identifier: MIT */
#include "twins.h"

#include "burn.h"

STEP void step(void)
{
    BURN(1500); /* [step] */
}

static ALONE void work(void)
{
    step();     /* [call] */
    BURN(4500); /* [work] */
}

ALONE void left(void)
{
    work();
    __asm__ volatile("");
}
