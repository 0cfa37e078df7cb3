/* SPDX-License-Identifier: MIT */
/* What the sampling interrupt does. It is expanded in the one function that a port has
 * for it, for a call would cost 22 cycles. */
#ifndef MCUPROF_SAMPLE_H
#define MCUPROF_SAMPLE_H

#include "mcuprof_port.h"

#define FN MCUPROF_NOT_PROFILED

#ifndef MCUPROF_S_TIMER
/* Ticks to the next sample. With dither they are uniform from half the mean to one and
 * a half of it. That range is one mean long, so that for a program in step with the
 * mean each sample's phase is uniform and independent of the one before. The random
 * number is the upper half of Numerical Recipes' linear congruence. */
static inline __attribute__((always_inline)) FN uint32_t next_period(void)
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
static inline __attribute__((always_inline)) FN bool
is_repeat(const struct mcuprof_paths *p, uint32_t pc)
{
    return p->pc == pc && p->known == p->used && p->said_used == p->used &&
           p->link == p->said_link && p->repeats < MCUPROF_REPEATS_MAX &&
           MCUPROF_IS_SAID(p);
}

#if MCUPROF_SAMPLES_TIMED
/* Counts a sampling interrupt that read the timer first `late` ticks after it was due,
 * and adds the time that it took. It is called at the end, so that finding the path waits
 * for none of this. `late` is below 0 where the interrupt was due a second time before
 * the last one had set the period, and the timer shows that. If it took until the next
 * one was due, the timer has started over from a period that is not known; the mean is
 * taken for it. */
static inline __attribute__((always_inline)) FN void
time_sampling(struct mcuprof_sampling *s, uint32_t late)
{
    uint32_t ticks;

    s->samples++;
    if (s->least > late) {
        s->least = late;
    }
    if ((int32_t)s->most < (int32_t)late) {
        s->most = late;
    }
    if ((int32_t)late > (int32_t)(MCUPROF_PERIOD / 2)) {
        s->late++;
    }
    ticks = MCUPROF_TIMER_SINCE() - late; /* last: what comes behind is not measured */
    if ((int32_t)ticks < 0) {
        ticks += MCUPROF_PERIOD;
    }
    s->ticks += ticks;
}
#endif

static inline __attribute__((always_inline)) FN void
sample_path(const struct mcuprof_context *context)
{
    struct mcuprof_paths *p = mcuprof_the_paths();
#if MCUPROF_BY_TASK
    p->context = mcuprof_what_runs();
#endif
#if MCUPROF_SAMPLES_TIMED
    uint32_t late = MCUPROF_TIMER_SINCE();

    __asm__("" : "+r"(late)); /* keeps this value, not what it was made from */
#endif

    mcuprof_walk(p, context);
    p->saying = true;
    __asm__("" ::: "memory"); /* what `saying` guards must stay in between */
    if (is_repeat(p, context->pc)) {
        p->repeats++;
    } else {
        mcuprof_say_sample(p, context->pc);
    }
    __asm__("" ::: "memory");
    p->saying = false;
#if MCUPROF_PROFIL
    mcuprof_profil_sample(context->pc);
#endif
    mcuprof_sweep();
#if MCUPROF_SAMPLES_TIMED
    time_sampling(&p->sampling, late);
#endif
#ifndef MCUPROF_S_TIMER /* a port's assembly sets it */
    mcuprof_timer_set(next_period());
#endif
}
#endif

#endif
