/* SPDX-License-Identifier: MIT */
/* The sampling interrupt, for ports that do not have it in assembly. */
#include "mcuprof_port.h"
#include "mcuprof_unwind.h"

#if MCUPROF_PROFIL && !defined(MCUPROF_C_SAMPLE)
#error "MCUPROF_PROFIL: on this processor samples do not go into profil()'s histogram"
#endif

#if MCUPROF_SAMPLES && defined(MCUPROF_C_SAMPLE)
#include "mcuprof_sample.h"

#if MCUPROF_PATHS && defined(MCUPROF_S_TABLE)
__attribute__((used)) FN void mcuprof_sample_path(const struct mcuprof_context *context)
{
    sample_path(context);
}
#elif MCUPROF_PATHS
__attribute__((used)) FN void mcuprof_sample_at(uint32_t pc, uintptr_t sp,
                                                const uint32_t *registers, uintptr_t fp)
{
    struct mcuprof_context context = {
        .pc = pc, .sp = sp, .top = MCUPROF_STACK_TOP, .fp = fp, .registers = registers};

    sample_path(&context);
}
#else
/* Whether the sample's counter was at its own place and has counted it. */
static inline FN bool count_here(uint32_t pc)
{
#if MCUPROF_ENTRIES
    mcuprof_key key = MCUPROF_KEY(pc);
    struct mcuprof_entry *entry = mcuprof_state.entry + mcuprof_own(key, key);

    if (entry->to != key || !MCUPROF_IS_SAMPLE(entry) || !MCUPROF_OF_CONTEXT(entry)) {
        entry += MCUPROF_OWN - 1; /* its second, if there is one */
    }
    if (entry->to == key && MCUPROF_IS_SAMPLE(entry) && MCUPROF_OF_CONTEXT(entry) &&
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
#if MCUPROF_PROFIL
    mcuprof_profil_sample(pc);
#endif
#if MCUPROF_BY_TASK
    mcuprof_state.context = mcuprof_what_runs();
#endif
    if (!count_here(pc)) {
        mcuprof_count(pc, pc, mcuprof_irq_mask());
    }
    mcuprof_sweep();
    mcuprof_timer_set(next_period());
}
#endif
#endif
