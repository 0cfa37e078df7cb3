/* SPDX-License-Identifier: MIT */
/* This file is written like firmware for other ports of gprof, with declarations of its
 * own. Only one header is mcuprof's: it is included to compare these declarations with.
 */
#include <stddef.h>

#include "mcuprof_gmon.h"

extern void monstartup(unsigned long lowpc, unsigned long highpc);
extern void moncontrol(int mode);
extern void _mcleanup(void);
extern int profil(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale);

#define CALLED __attribute__((noinline, noclone, noipa))

static volatile unsigned sum;

static CALLED void counted(unsigned x)
{
    sum += x;
}

static CALLED void repeat(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        counted(i);
    }
}

int main(void)
{
    static unsigned short histogram[16];

    repeat(1000); /* not counted yet */
    monstartup((unsigned long)(size_t)main, (unsigned long)(size_t)main + 4096);
    repeat(20);
    moncontrol(0);
    repeat(1000);
    moncontrol(1);
    repeat(7);
    (void)profil(NULL, 0, 0, 0);
    repeat(1000);
    (void)profil(histogram, sizeof histogram, 0, 0x8000);
    repeat(3);
    _mcleanup();
    repeat(1000);
    return 0;
}
