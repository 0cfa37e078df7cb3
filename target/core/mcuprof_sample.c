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
           (MCUPROF_PERIOD % 2 ? 1 : random >> 15 & 1); /* rounds */
#else
    return ((random >> 16) * (MCUPROF_PERIOD / 256) >> 8) + (MCUPROF_PERIOD + 1) / 2;
#endif
#else
    return MCUPROF_PERIOD;
#endif
}

#endif

#if MCUPROF_PATHS
static FN void lose(void)
{
    mcuprof_state.total[0].lost++;
}

#if MCUPROF_ENTRIES
/* Calls and blocks have bit 0 set. */
static inline FN bool is_sample(const struct mcuprof_entry *entry)
{
    return (entry->to & 1) == 0;
}
#endif

/* Sends a sample past the counters. */
static FN void count_alone(uint16_t node, uint32_t pc)
{
    struct mcuprof_entry event;

    event.from = (uint32_t)node << 1;
    event.to = pc;
    event.count = 1;
    MCUPROF_SET_CONTEXT(&event);
    if (!mcuprof_sample_fits() || !mcuprof_send_counter((uintptr_t)&event)) {
        lose();
    }
}

#if MCUPROF_ENTRIES
/* The better of the key's own entries to make room for a sample: the one with fewer
 * samples. A call's or a block's counter stays; NULL: both are such. */
static FN struct mcuprof_entry *victim_of(struct mcuprof_entry *own)
{
    struct mcuprof_entry *victim = NULL;

    for (struct mcuprof_entry *at = own; at < own + MCUPROF_OWN; at++) {
        if ((at->count == 0 || is_sample(at)) && (!victim || at->count < victim->count)) {
            victim = at;
        }
    }
    return victim;
}

/* Samples are in their own entries or nowhere: their program counters differ so much that
 * a search costs more than the few records it saves. */
static FN void count(uint16_t node, uint32_t pc)
{
    uint32_t from = (uint32_t)node << 1;
    struct mcuprof_entry *own = mcuprof_state.entry + mcuprof_own(from, pc), *victim;

    for (struct mcuprof_entry *at = own; at < own + MCUPROF_OWN; at++) {
        if (at->to == pc && at->from == from && MCUPROF_OF_CONTEXT(at) && at->count &&
            at->count != MCUPROF_EVENTS_MAX) {
            at->count++;
            return;
        }
    }
    victim = victim_of(own);
    if (!victim) {
        count_alone(node, pc);
    } else if (victim->count &&
               (!mcuprof_sample_fits() || !mcuprof_send_counter((uintptr_t)victim))) {
        lose();
    } else {
        victim->from = from;
        victim->to = pc;
        victim->count = 1;
        MCUPROF_SET_CONTEXT(victim);
    }
}
#else
static FN void count(uint16_t node, uint32_t pc)
{
    count_alone(node, pc);
}
#endif

FN void mcuprof_lose_samples(void)
{
#if MCUPROF_ENTRIES
    for (struct mcuprof_entry *at = mcuprof_state.entry;
         at < mcuprof_state.entry + MCUPROF_ENTRIES; at++) {
        if (at->count && is_sample(at)) {
            mcuprof_state.total[0].lost += at->count;
            at->count = 0;
        }
    }
#endif
}

/* Every so many samples, one counter is sent and one node defined again: so none stays
 * for long, and a reader that came late, or lost a definition, gets it. */
#define SWEEP_SAMPLES 64

static FN void sweep(void)
{
    struct mcuprof_paths *p = &mcuprof_state.paths;
    unsigned turn = p->swept++ / SWEEP_SAMPLES;
    const struct mcuprof_node *node = p->node + turn % MCUPROF_NODES;

    if (p->swept % SWEEP_SAMPLES != 0 || !mcuprof_sample_fits()) {
        return;
    }
#if MCUPROF_ENTRIES
    (void)mcuprof_send_counter((uintptr_t)(mcuprof_state.entry + turn % MCUPROF_ENTRIES));
#endif
    if (node->number && mcuprof_sample_fits()) {
        mcuprof_put_node(node);
    }
}

__attribute__((used)) FN void mcuprof_sample_path(const struct mcuprof_context *context)
{
    uint16_t node = mcuprof_walk(&mcuprof_state.paths, context);
    mcuprof_irq irq = mcuprof_irq_mask();

    if (node == MCUPROF_NO_NODE) {
        lose();
    } else {
        count(node, context->pc);
    }
    sweep();
    mcuprof_irq_restore(irq);
#ifndef MCUPROF_S_TIMER /* a port's assembly sets it */
    mcuprof_timer_set(next_period());
#endif
}

#ifdef MCUPROF_C_SAMPLE
__attribute__((used)) FN void mcuprof_sample_at(uint32_t pc, uintptr_t sp, uint32_t link)
{
    uint32_t registers[MCUPROF_UNWIND_LINK - MCUPROF_UNWIND_R0 + 1];
    struct mcuprof_context context = {
        .pc = pc, .sp = sp, .top = MCUPROF_STACK_TOP, .registers = registers};

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
