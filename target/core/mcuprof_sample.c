/* SPDX-License-Identifier: MIT */
/* The sampling interrupt, for ports that do not have it in assembly. */
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "mcuprof_unwind.h"

#if MCUPROF_SAMPLES && (defined(MCUPROF_C_SAMPLE) || MCUPROF_PATHS)
#define FN MCUPROF_NOT_PROFILED

#ifndef MCUPROF_S_TIMER
/* Ticks to the next sample. With dither from half the mean to one and a half of it,
 * uniformly: over a whole mean, so that for a program in step with the mean each sample's
 * phase is uniform and independent of the one before. Numerical Recipes' linear
 * congruence; its upper half. */
static FN uint32_t next_period(void)
{
#if MCUPROF_RANDOM
    uint32_t random = mcuprof_state.random * 1664525u + 1u;

    mcuprof_state.random = random;
#if MCUPROF_PERIOD < 65536
    random = (random >> 16) * MCUPROF_PERIOD;
    return (random >> 16) + MCUPROF_PERIOD / 2 +
           (MCUPROF_PERIOD % 2 || random & 0x8000); /* rounds */
#else
    return ((random >> 16) * (MCUPROF_PERIOD / 256) >> 8) + (MCUPROF_PERIOD + 1) / 2;
#endif
#else
    return MCUPROF_PERIOD;
#endif
}

#endif

#if MCUPROF_PATHS
/* As the last one that was said; no more than so many are counted, that none waits for
 * long. */
#define REPEATS_MAX 64

static FN bool is_repeat(const struct mcuprof_paths *p, uint32_t pc)
{
    return p->pc == pc && p->known == p->used && p->link == p->said_link &&
           p->said == p->used / sizeof p->slot[0] + (p->link != 0) &&
           p->repeats < REPEATS_MAX && MCUPROF_OF_CONTEXT(p);
}

__attribute__((used)) FN void mcuprof_sample_path(const struct mcuprof_context *context)
{
    struct mcuprof_paths *p = mcuprof_paths();
    mcuprof_irq irq;

    mcuprof_walk(p, context);
    irq = mcuprof_irq_mask();
    if (is_repeat(p, context->pc)) {
        p->repeats++;
    } else if (!mcuprof_say_sample(context->pc)) {
        mcuprof_state.total[MCUPROF_OF_SAMPLES].lost++;
    }
    mcuprof_irq_restore(irq);
#ifndef MCUPROF_S_TIMER /* a port's assembly sets it */
    mcuprof_timer_set(next_period());
#endif
}

#if defined(MCUPROF_C_SAMPLE) && !defined(MCUPROF_S_TABLE)
__attribute__((used)) FN void mcuprof_sample_at(uint32_t pc, uintptr_t sp, uint32_t link,
                                                uintptr_t fp)
{
    uint32_t registers[MCUPROF_UNWIND_LINK - MCUPROF_UNWIND_R0 + 1];
    struct mcuprof_context context = {
        .pc = pc, .sp = sp, .top = MCUPROF_STACK_TOP, .fp = fp, .registers = registers};

    registers[MCUPROF_UNWIND_LINK - MCUPROF_UNWIND_R0] = link;
    mcuprof_sample_path(&context);
}
#endif
#else
/* Whether the sample's counter was at its own place and has counted it. */
static inline FN bool count_here(uint32_t pc)
{
#if MCUPROF_ENTRIES
    mcuprof_key key = MCUPROF_KEY(pc);
    struct mcuprof_entry *entry = mcuprof_state.entry + mcuprof_own(key, key);

    if (entry->to != key || !MCUPROF_IS_SAMPLE(entry)) {
        entry += MCUPROF_OWN - 1; /* its second, if there is one */
    }
    if (entry->to == key && MCUPROF_IS_SAMPLE(entry) &&
        entry->count != MCUPROF_EVENTS_MAX) {
        entry->count++;
        return true;
    }
#endif
    (void)pc;
    return false;
}

__attribute__((used)) FN void mcuprof_sample(uint32_t pc)
{
    if (!count_here(pc)) {
        mcuprof_count(pc, pc, mcuprof_irq_mask());
    }
    mcuprof_timer_set(next_period());
}
#endif
#endif
