/* SPDX-License-Identifier: MIT */
/* The hooks of calls and blocks, for ports that do not have them in assembly. */
#include "mcuprof_port.h"

#if (MCUPROF_ARCS || MCUPROF_BLOCKS) && defined(MCUPROF_C_HOOK)
#define FN MCUPROF_NOT_PROFILED

/* A function of its own, so that a hook that finds its counter needs no stack. */
static __attribute__((noinline)) FN void mcuprof_miss(uint32_t from, uint32_t to,
                                                      mcuprof_irq irq)
{
    mcuprof_count(from, to, irq);
    mcuprof_irq_restore(irq);
}

__attribute__((used)) FN void mcuprof_hook(uint32_t from, uint32_t to)
{
    mcuprof_irq irq;

    if (!mcuprof_state.hooks_on) {
        return;
    }
    irq = mcuprof_irq_mask();
#if MCUPROF_BY_TASK
    mcuprof_state.context = mcuprof_what_runs();
#endif
#if MCUPROF_ENTRIES
    struct mcuprof_entry *entry = mcuprof_state.entry + mcuprof_own(from, to);

    if (entry->to != to || entry->from != from || !MCUPROF_OF_CONTEXT(entry)) {
        entry += MCUPROF_OWN - 1; /* its second, if there is one */
    }
    if (entry->to == to && entry->from == from && MCUPROF_OF_CONTEXT(entry) &&
        entry->count + 1 != 0) {
        entry->count++;
        mcuprof_irq_restore(irq);
        return;
    }
#endif
    mcuprof_miss(from, to, irq);
}
#endif
