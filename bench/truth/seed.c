/* SPDX-License-Identifier: MIT */
/* Has the sampler begin at another of its random numbers: measure.py writes `bench_seed`
 * into the ELF, so that the same program is sampled at other places. */
#include "mcuprof.h"
#include "mcuprof_port.h"

const volatile uint32_t bench_seed =
    0xFFFFFFFFu; /* not 0, so that it has room in the ELF */

void __real_mcuprof_start(void);
void __wrap_mcuprof_start(void);

MCUPROF_NOT_PROFILED void __wrap_mcuprof_start(void)
{
#if MCUPROF_RANDOM
    mcuprof_state.random += bench_seed;
#endif
    __real_mcuprof_start();
}
