/* SPDX-License-Identifier: MIT */
/* The start without a call of the program's: MCUPROF_AUTO_START. */
#include "mcuprof_port.h"

#if MCUPROF_AUTO_START
__attribute__((weak)) MCUPROF_NOT_PROFILED void mcuprof_setup(void)
{
}

/* Start-up code calls it when memory is set up. */
__attribute__((constructor, used)) static MCUPROF_NOT_PROFILED void
mcuprof_auto_start(void)
{
    mcuprof_setup();
    mcuprof_start();
}
#endif
