/* SPDX-License-Identifier: MIT */
/* These lines are here so that no line of left.c
 * has the number
 * of one
 * in this file
 * that says
 * the same.
 */
#include "twins.h"

#include "burn.h"

STEP void step(void)
{
    BURN(1000); /* [step] */
}

static ALONE void work(void)
{
    step();     /* [call] */
    BURN(1000); /* [work] */
}

ALONE void right(void)
{
    work();
    __asm__ volatile("");
}
