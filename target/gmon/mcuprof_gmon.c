/* SPDX-License-Identifier: MIT */
#include "mcuprof_gmon.h"

#include "mcuprof.h"

#define FN MCUPROF_NOT_PROFILED

FN void monstartup(unsigned long low, unsigned long high)
{
    (void)low;
    (void)high;
    mcuprof_start();
}

FN void moncontrol(int mode)
{
    if (mode) {
        mcuprof_start();
    } else {
        mcuprof_stop();
    }
}

FN void _mcleanup(void)
{
    mcuprof_end();
}

FN int profil(unsigned short *samples, size_t bytes, size_t offset, unsigned scale)
{
    (void)samples;
    (void)bytes;
    (void)offset;
    moncontrol(scale != 0);
    return 0;
}
