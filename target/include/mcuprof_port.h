/* SPDX-License-Identifier: MIT */
/*
 * What a board provides: a serial line and a timer, in six functions. target/template
 * has them to fill in; boards/ has them filled in.
 */
#ifndef MCUPROF_PORT_H
#define MCUPROF_PORT_H

#include <stdbool.h>

#include "mcuprof.h"
#include "mcuprof_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* There is something to send, and the link is idle: make mcuprof_link_isr() come. Where
 * the transmitter interrupts for as long as it is ready, enable that; where it interrupts
 * once for each byte sent, call mcuprof_link_isr(). Context: any, with interrupts masked,
 * or the sampling interrupt; must not block. */
void mcuprof_link_start(void);

/* There is nothing more to send. Where the transmitter interrupts for as long as it is
 * ready, disable that; where it interrupts once for each byte sent, nothing. Context:
 * from mcuprof_tx_next(), with interrupts masked. */
void mcuprof_link_idle(void);

/* The transmit interrupt: if the transmitter is ready, take the next byte with
 * mcuprof_tx_next() and, unless it is -1, send it. Whatever waits for the link calls it
 * too. If mcuprof_link_start() calls it, it does nothing while mcuprof_state.busy is 0:
 * else sampling could send a byte between its look at the transmitter and its own byte.
 * Context: the link's interrupt, of no higher priority than sampling; or interrupts
 * masked; or, if mcuprof_link_start() calls it, the sampling interrupt. */
void mcuprof_link_isr(void);

/* The library's: lets the link send, by hand if it is ready, by its interrupt if that was
 * not masked. Inline, for interrupts come on top of what waits. */
static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED void
mcuprof_wait(mcuprof_irq irq)
{
    mcuprof_link_isr();
    mcuprof_irq_restore(irq);
    (void)mcuprof_irq_mask();
}

/* What to put into the vector table in place of mcuprof_link_isr(): where calls are
 * timed, its time is no call's. */
#if MCUPROF_CALLS
void mcuprof_link_entry(void);
#else
#define mcuprof_link_entry mcuprof_link_isr
#endif

/* Starts the sampling timer; its interrupt comes after `ticks` of its clock.
 * Context: task. */
void mcuprof_timer_start(uint32_t ticks);

/* Acknowledges the sampling interrupt and sets the next period; where the timer reloads
 * by itself, the one after, which is as good. It must not start a timer that was stopped:
 * a sample may be pending then. A few stores: it is part of each sample's cost. Context:
 * the sampling interrupt. */
void mcuprof_timer_set(uint32_t ticks);

/* Stops the timer. An interrupt already pending may still come.
 * Context: any. */
void mcuprof_timer_stop(void);

#if MCUPROF_WAIT
/* Whether the code running now may wait for the link: a task, or an interrupt that the
 * link's would preempt or follow at once. Where the processor itself knows (Cortex-M), a
 * board need not say. Context: any. */
bool mcuprof_may_wait(void);
#endif

/* The library's, on RISC-V and SPARC: the number of the interrupt that is handled, any
 * but 0; 0: none. The board sets it before it calls a handler, and then sets it back. */
extern volatile uint32_t mcuprof_handled_irq;

/* The next byte to send, or -1: then the link is idle.
 * Context: mcuprof_link_isr(); never blocks. */
static inline MCUPROF_NOT_PROFILED int mcuprof_tx_next(void)
{
    struct mcuprof *m = &mcuprof_state;
    mcuprof_index tail = m->tail;
    int byte;

    if (tail == m->head) {
        /* Sampling may fill the ring while we look: decide undisturbed. */
        mcuprof_irq irq = mcuprof_irq_mask();

        if (tail == m->head) {
            m->busy = 0;
            mcuprof_link_idle();
            mcuprof_irq_restore(irq);
            return -1;
        }
        mcuprof_irq_restore(irq);
    }
    byte = *(volatile uint8_t *)&m->ring[tail]; /* before it is given away */
    m->tail = (mcuprof_index)((tail + 1u) % MCUPROF_RING_BYTES);
    return byte;
}

#ifdef __cplusplus
}
#endif

#endif
