/* SPDX-License-Identifier: MIT */
/*
 * As firmware under RTEMS: a clock whose interrupt samples, a histogram by profil(), and
 * the end of the system, which sends the end of the profile. Nothing calls mcuprof_end().
 */
#include <rtems.h>
#include <rtems/irq-extension.h>

#include "board.h"
#include "burn.h"
#include "leon3.h"
#include "mcuprof_gmon.h"
#include "mcuprof_rtems.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 300, BINS = 4096, CLOCK_US = 1000 };

const rtems_extensions_table rtems_extensions =
#ifdef NO_EXTENSION
    {0};
#else
    MCUPROF_RTEMS_EXTENSION;
#endif

static unsigned short histogram[BINS];

static ALONE void two(void)
{
    BURN(8000);
}

static ALONE void one(void)
{
    BURN(4000);
}

static void tick(void)
{
}

int main(void)
{
    (void)rtems_interrupt_handler_install(TICK_IRQ, "Clock", RTEMS_INTERRUPT_UNIQUE,
                                          board_clock, NULL);
    if (!mcuprof_rtems_hooked()) {
        return 1;
    }
    board_tick(CLOCK_US, tick);
    (void)profil(histogram, sizeof histogram, (size_t)0x40000000, 0x8000);
    for (unsigned i = 0; i < ROUNDS; i++) {
        two();
        one();
    }
    (void)profil(NULL, 0, 0, 0);
    for (unsigned bin = 0; bin < BINS; bin++) {
        if (histogram[bin] != 0) {
            board_printf("bin %u %u\n", bin, histogram[bin]);
        }
    }
    rtems_shutdown_executive(0);
}
