/* SPDX-License-Identifier: MIT */
#include "mcuprof_gmon.h"

#include "mcuprof_port.h"

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

#if MCUPROF_PROFIL
enum { SCALE_ONE = 65536, FULL = 0xFFFF };

static struct {
    unsigned short *bins;
    size_t count; /* 0: no sample is counted */
    size_t offset;
    uint32_t scale;
} histogram;

FN void mcuprof_profil_sample(uint32_t pc)
{
    uint32_t units = (pc - (uint32_t)histogram.offset) / 2;
    /* units * scale / SCALE_ONE, whose product may have 48 bits */
    uint32_t bin = units / SCALE_ONE * histogram.scale +
                   units % SCALE_ONE * histogram.scale / SCALE_ONE;

    if (pc >= histogram.offset && bin < histogram.count && histogram.bins[bin] != FULL) {
        histogram.bins[bin]++;
    }
}

FN int profil(unsigned short *samples, size_t bytes, size_t offset, unsigned scale)
{
    bool on = samples && scale > 1;
    uint32_t wide = scale; /* unsigned has 16 bits on AVR */
    mcuprof_irq irq;

    if (wide > SCALE_ONE) {
        return -1;
    }
    irq = mcuprof_irq_mask();
    histogram.bins = samples;
    histogram.count = on ? bytes / sizeof *samples : 0;
    histogram.offset = offset;
    histogram.scale = wide;
    mcuprof_irq_restore(irq);
    moncontrol(on);
    return 0;
}
#else
FN int profil(unsigned short *samples, size_t bytes, size_t offset, unsigned scale)
{
    (void)bytes;
    (void)offset;
    moncontrol(samples && scale > 1);
    return 0;
}
#endif
