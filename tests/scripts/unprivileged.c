/* SPDX-License-Identifier: MIT */
/* What runs after mcuprof_start() is unprivileged, as a user's thread of a system with an
 * MPU. */
#include "mcuprof.h"

void __real_mcuprof_start(void);
void __wrap_mcuprof_start(void);

MCUPROF_NOT_PROFILED void __wrap_mcuprof_start(void)
{
    __real_mcuprof_start();
    __asm__ volatile("msr control, %0\n\tisb" : : "r"(1));
}
