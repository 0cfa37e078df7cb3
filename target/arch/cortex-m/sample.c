/* SPDX-License-Identifier: MIT */
/* The parts of a sample with its call path that are C: the timer and the stack's top,
 * which the board has as expressions. path.S is the rest. */
#include "mcuprof.h"
#include "mcuprof_port.h"

#if MCUPROF_PATHS
#include "mcuprof_sample.h"

/* Returns where the stack ends and, in the lower half, how late the interrupt is, for
 * mcuprof_sample_ends(). */
__attribute__((used)) FN uint64_t mcuprof_sample_begins(void)
{
    uint32_t late = 0;

#if MCUPROF_SAMPLES_TIMED
    late = MCUPROF_TIMER_SINCE();
    __asm__("" : "+r"(late)); /* keeps this value, not what it was made from */
#endif
    return (uint64_t)MCUPROF_STACK_TOP << 32 | late;
}

/* Returns the ticks to the next sample, for mcuprof_timer_set(). It does not call that
 * itself, so that it needs no stack. */
__attribute__((used)) FN uint32_t mcuprof_sample_ends(uint32_t late,
                                                      struct mcuprof_paths *p)
{
    mcuprof_sweep();
#if MCUPROF_SAMPLES_TIMED
    time_sampling(&p->sampling, late);
#endif
    (void)late;
    (void)p;
    return next_period();
}
#endif
