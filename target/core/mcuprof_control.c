/* SPDX-License-Identifier: MIT */
/* Start, stop, flush, end, text: what the program calls. */
#include "mcuprof_port.h"

#include "mcuprof_path_layout.h" /* after the port, on which it depends */

#define FN MCUPROF_NOT_PROFILED

/* Assembly finds the fields by these distances. */
_Static_assert(
    offsetof(struct mcuprof, ring) == MCUPROF_RING_OFFSET &&
        offsetof(struct mcuprof, hash) == MCUPROF_HASH_OFFSET &&
#if MCUPROF_LETS_IN
        offsetof(struct mcuprof, moves) == MCUPROF_HASH_OFFSET + MCUPROF_MOVES_DISTANCE &&
#endif
        offsetof(struct mcuprof, head) == MCUPROF_HASH_OFFSET + MCUPROF_HEAD_DISTANCE &&
        offsetof(struct mcuprof, tail) == MCUPROF_HASH_OFFSET + MCUPROF_TAIL_DISTANCE &&
        offsetof(struct mcuprof, due) == MCUPROF_HASH_OFFSET + MCUPROF_DUE_DISTANCE &&
        offsetof(struct mcuprof, busy) == offsetof(struct mcuprof, due) + 1,
    "layout");
_Static_assert(offsetof(struct mcuprof_entry, from) == 0 &&
                   offsetof(struct mcuprof_entry, to) == sizeof(mcuprof_key) &&
                   offsetof(struct mcuprof_entry, count) == 2 * sizeof(mcuprof_key) &&
                   sizeof(struct mcuprof_entry) == MCUPROF_ENTRY_BYTES,
               "layout");
#if MCUPROF_PATHS && __SIZEOF_POINTER__ <= 4 /* elsewhere there is no assembly */
_Static_assert(offsetof(struct mcuprof_paths, pages) == MCUPROF_PATHS_PAGES &&
                   offsetof(struct mcuprof_paths, rows) == MCUPROF_PATHS_ROWS &&
                   offsetof(struct mcuprof_paths, used) == MCUPROF_PATHS_USED &&
                   offsetof(struct mcuprof_paths, root) == MCUPROF_PATHS_ROOT &&
                   offsetof(struct mcuprof_paths, known) == MCUPROF_PATHS_KNOWN &&
                   offsetof(struct mcuprof_paths, said) == MCUPROF_PATHS_SAID &&
                   offsetof(struct mcuprof_paths, link) == MCUPROF_PATHS_LINK &&
                   offsetof(struct mcuprof_paths, said_link) == MCUPROF_PATHS_SAID_LINK &&
                   offsetof(struct mcuprof_paths, saying) == MCUPROF_PATHS_SAYING &&
                   offsetof(struct mcuprof_paths, pc) == MCUPROF_PATHS_SAID_PC &&
                   offsetof(struct mcuprof_paths, repeats) == MCUPROF_PATHS_REPEATS &&
                   offsetof(struct mcuprof_paths, said_used) == MCUPROF_PATHS_SAID_USED &&
#if MCUPROF_BY_TASK
                   offsetof(struct mcuprof_paths, task) == MCUPROF_PATHS_TASK &&
                   offsetof(struct mcuprof_paths, context) == MCUPROF_PATHS_CONTEXT &&
#endif
#ifdef MCUPROF_S_SAY
                   offsetof(struct mcuprof, paths) == MCUPROF_PATHS_OFFSET &&
#endif
                   offsetof(struct mcuprof_paths, block) == MCUPROF_PATHS_BLOCK &&
                   offsetof(struct mcuprof_paths, frame) == MCUPROF_PATHS_FRAME &&
                   offsetof(struct mcuprof_paths, slot) == MCUPROF_PATHS_SLOT &&
                   offsetof(struct mcuprof_context, pc) == MCUPROF_CONTEXT_PC &&
                   offsetof(struct mcuprof_context, sp) == MCUPROF_CONTEXT_SP &&
                   offsetof(struct mcuprof_context, top) == MCUPROF_CONTEXT_TOP &&
                   offsetof(struct mcuprof_context, fp) == MCUPROF_CONTEXT_FP &&
                   offsetof(struct mcuprof_context, registers) ==
                       MCUPROF_CONTEXT_REGISTERS,
               "layout");
#endif
#if MCUPROF_HOOKS
_Static_assert(offsetof(struct mcuprof, hooks_on) == MCUPROF_HOOKS_ON_OFFSET, "layout");
#endif
#if MCUPROF_RANDOM
_Static_assert(offsetof(struct mcuprof, random) == MCUPROF_RANDOM_OFFSET, "layout");
#endif

/* Appends the record of these words (enum mcuprof_words), a counter's, by its address, or
 * the timeline's; false: as mcuprof_put_words(). */
#define TIMELINE (MCUPROF_PUT_FLUSHED + 1u)
static inline __attribute__((always_inline)) FN bool put(uintptr_t what, mcuprof_irq irq)
{
#if MCUPROF_TIMELINE
    if (what == TIMELINE) {
        return mcuprof_put_timeline(0, irq);
    }
#endif
#if MCUPROF_SITES
    if (what - (uintptr_t)mcuprof_site_counts < sizeof mcuprof_site_counts) {
        return mcuprof_send_site(what, irq);
    }
#endif
#if MCUPROF_ENTRIES
    if (what > TIMELINE) {
        return mcuprof_send_counter(what, irq);
    }
#endif
    return mcuprof_put_words(what, irq);
}

/* Does so as soon as there is room. Leaves interrupts masked; returns the state before.
 */
static FN mcuprof_irq put_masked(uintptr_t what)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    for (;;) {
        if (mcuprof_put_due(irq)) {
            if (put(what, irq)) {
                return irq;
            }
        } else if (MCUPROF_RTT && !MCUPROF_STILL_DUE()) {
            mcuprof_irq_restore(irq); /* there is room: a wait might give up a probe */
            (void)mcuprof_irq_mask();
            continue;
        }
        mcuprof_wait(irq);
    }
}

static FN void put_surely(uintptr_t what)
{
    mcuprof_irq_restore(put_masked(what));
}

static FN bool is_on(void)
{
#if MCUPROF_HOOKS
    return mcuprof_state.hooks_on == MCUPROF_ARCS_ON;
#else
    return mcuprof_state.sampling_on;
#endif
}

#if MCUPROF_SAMPLES
/* Ticks to the first sample. What is sampled may be shorter than a period, and must have
 * its share of the samples: so it begins anywhere in a period X, which is uniform from
 * P / 2 to 3 P / 2, and what is left of that has the density Pr(X >= t) / P. With W
 * uniform from 0 to 2 P, |X - W| has it: from W below X comes Pr(X >= t) / 2P, from W
 * above it Pr(X <= 2P - t) / 2P, which is the same. Less than P / 16 might be too short
 * for the timer. */
static inline FN uint32_t first_period(void)
{
#if MCUPROF_RANDOM && MCUPROF_TIMER_RESTARTS
    uint32_t random = mcuprof_state.random * 1664525u + 1u;
    uint_fast16_t x = (uint_fast16_t)(random >> 17) + 16384; /* P is 32768 */
    uint_fast16_t w = random & 0xFFFF, left = x > w ? x - w : w - x;

    mcuprof_state.random = random;
    left = left < 2048 ? 2048 : left;
#if MCUPROF_PERIOD < 65536
    return ((uint32_t)left * MCUPROF_PERIOD >> 15) + 1;
#else
    return (uint32_t)left * (MCUPROF_PERIOD / 256) >> 7;
#endif
#else
    return MCUPROF_PERIOD;
#endif
}
#endif

FN void mcuprof_start(void)
{
    MCUPROF_TELL_LINT();
    if (is_on()) { /* or an interrupt that starts again and again would fill the ring */
        return;
    }
    mcuprof_state.ended = false;
    mcuprof_state.due = 0; /* a hello is due */
#if MCUPROF_CALLS
    mcuprof_irq irq = put_masked(MCUPROF_PUT_BUILD_ID);

    if (is_on()) { /* another task has started it meanwhile */
        mcuprof_irq_restore(irq);
        return;
    }
    mcuprof_calls_start(irq);
    put_surely(MCUPROF_PUT_TIME);
#else
    put_surely(MCUPROF_PUT_BUILD_ID);
#endif
    put_surely(MCUPROF_PUT_CHECK); /* proves the records until here */
    mcuprof_link_push();
#if MCUPROF_SITES
    mcuprof_sites_start();
#endif
#if MCUPROF_CALLS
    mcuprof_calls_go_on();
#elif MCUPROF_HOOKS
    mcuprof_state.hooks_on = MCUPROF_ARCS_ON;
#else
    mcuprof_state.sampling_on = true;
#endif
    if (MCUPROF_PATHS) {
        mcuprof_paths_start();
    }
#if MCUPROF_TIMELINE
    mcuprof_timeline_start();
#endif
#if MCUPROF_SAMPLES
    mcuprof_timer_start(first_period());
#endif
}

FN void mcuprof_stop(void)
{
#if MCUPROF_CALLS
    mcuprof_calls_stop();
#elif MCUPROF_HOOKS
    mcuprof_state.hooks_on = 0;
#if MCUPROF_LETS_IN /* a hook that has let this in looks at its number alone */
    mcuprof_irq irq = mcuprof_irq_mask();
    mcuprof_state.moves++;
    mcuprof_irq_restore(irq);
#endif
#else
    mcuprof_state.sampling_on = false;
#endif
#if MCUPROF_SITES
    mcuprof_sites_stop();
#endif
    if (MCUPROF_SAMPLES) {
        mcuprof_timer_stop();
    }
#if MCUPROF_TIMELINE
    mcuprof_timeline_stop();
#endif
}

/* Tasks' names are sent again, for a reader that came late. */
static inline FN void forget_names(void)
{
#if MCUPROF_BY_TASK
    for (unsigned i = 0; i < MCUPROF_TASKS; i++) {
        mcuprof_state.tasks[i].named = false;
    }
    mcuprof_state.sent_task = UINT32_MAX;
#endif
}

static FN void flush(void)
{
    forget_names();
#if MCUPROF_ENTRIES
    for (struct mcuprof_entry *entry = mcuprof_state.entry;
         entry < mcuprof_state.entry + MCUPROF_ENTRIES; entry++) {
        put_surely((uintptr_t)entry);
    }
#endif
#if MCUPROF_SITES
    for (unsigned i = 0; i < MCUPROF_SITE_PLACES; i++) {
        put_surely((uintptr_t)&mcuprof_site_counts[i]);
    }
#endif
#if MCUPROF_TIMED
    put_surely(MCUPROF_PUT_TIME);
#endif
    put_surely(MCUPROF_PUT_TOTALS);
#if MCUPROF_TIMELINE /* in the last block, so that a late reader knows what it missed */
    put_surely(TIMELINE);
#endif
}

FN void mcuprof_flush(void)
{
    if (mcuprof_state.ended) {
        return;
    }
    flush();
    put_surely(MCUPROF_PUT_FLUSHED);
    mcuprof_link_push();
}

/* Waits until the link has sent all that is in the ring. Inline, so that firmware with
 * one of the two functions that need it pays for no call. */
static inline __attribute__((always_inline)) FN void drain(void)
{
    mcuprof_irq irq;

    mcuprof_link_push();
    irq = mcuprof_irq_mask();
    while (mcuprof_state.busy) {
        mcuprof_wait(irq);
    }
    mcuprof_irq_restore(irq);
}

FN void mcuprof_end(void)
{
    if (mcuprof_state.ended) { /* what is sent now would make the run longer */
        return;
    }
    mcuprof_stop();
    flush();
    put_surely(MCUPROF_PUT_END);
    mcuprof_state.ended = true;
    drain();
}

#if MCUPROF_FLUSH_SAMPLES
/* These steps follow those of the counters. The totals close the block: they are last. */
enum {
    STEP_TIME = MCUPROF_ENTRIES + MCUPROF_SITE_PLACES,
    STEP_TIMELINE,
    STEP_TOTALS,
    STEPS
};

/* Does a step of a flush; false: it must be done again, as with mcuprof_put_words(). */
static FN bool flush_step(unsigned step, mcuprof_irq irq)
{
#if MCUPROF_ENTRIES
    if (step < MCUPROF_ENTRIES) {
        return mcuprof_send_counter((uintptr_t)(mcuprof_state.entry + step), irq);
    }
#endif
#if MCUPROF_SITES
    if (step < STEP_TIME) {
        return mcuprof_send_site((uintptr_t)&mcuprof_site_counts[step - MCUPROF_ENTRIES],
                                 irq);
    }
#endif
    if (step == STEP_TIME) {
        forget_names();
#if MCUPROF_TIMED
        return mcuprof_put_words(MCUPROF_PUT_TIME, irq);
#endif
    }
#if MCUPROF_TIMELINE
    if (step == STEP_TIMELINE) {
        return mcuprof_put_timeline(0, irq);
    }
#endif
    if (step == STEP_TOTALS) {
        if (!mcuprof_put_words(MCUPROF_PUT_TOTALS, irq)) {
            return false;
        }
        mcuprof_link_push();
    }
    return true;
}

__attribute__((used)) FN void mcuprof_sweep(void)
{
    struct mcuprof *m = &mcuprof_state;
    mcuprof_irq irq = mcuprof_irq_mask(); /* profiled interrupts may outrank sampling */
    unsigned step = m->swept;

    if (is_on() && (step >= STEPS || (mcuprof_put_due(irq) && flush_step(step, irq)))) {
        step++;
        m->swept = step < STEPS || step < MCUPROF_FLUSH_SAMPLES ? (uint16_t)step : 0;
    }
    mcuprof_irq_restore(irq);
}
#endif

FN size_t mcuprof_write(const char *text, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i++) {
        mcuprof_irq irq = mcuprof_irq_mask();
        bool fits = mcuprof_put_text((uint8_t)text[i], irq);

        mcuprof_irq_restore(irq);
        if (!fits) {
            break;
        }
    }
    if (i) { /* else sampling, which this code has interrupted, may use the ring */
        mcuprof_link_push();
    }
    return i;
}

FN size_t mcuprof_write_now(const char *text, size_t bytes)
{
    size_t taken = 0;

    while (!MCUPROF_SAYING() && taken < bytes) {
        taken += mcuprof_write(text + taken, bytes - taken);
        drain();
    }
    return taken;
}

#if !MCUPROF_CALLS
/* For vector tables in assembly and for --defsym, which know no macro. */
#undef mcuprof_link_entry
FN void mcuprof_link_entry(void)
{
#if MCUPROF_LINK_MASKED
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_link_isr();
    mcuprof_irq_restore(irq);
#else
    mcuprof_link_isr();
#endif
}
#endif
