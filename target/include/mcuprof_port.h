/* SPDX-License-Identifier: MIT */
/*
 * What a board provides: a serial line and a timer, in five functions. target/template
 * has them to fill in; boards/ has them filled in.
 */
#ifndef MCUPROF_PORT_H
#define MCUPROF_PORT_H

#include "mcuprof.h"
#include "mcuprof_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* First, if mcuprof_state.busy is 0: nothing, for sampling may get the link going between
 * a look at the transmitter and what follows. Else make sure that the transmitter
 * interrupts when it is ready; if it is ready now, take the next byte with
 * mcuprof_tx_next() and, unless it is -1, send it. This is the transmit interrupt; it is
 * also called to get an idle link going, and by whatever waits for the link. Context: the
 * link's interrupt, of a lower priority than sampling; or interrupts masked. */
void mcuprof_link_isr(void);

/* There is nothing more to send. Where the transmitter interrupts for as long as it is
 * ready, disable that; where it interrupts once for each byte, nothing. Context: from
 * mcuprof_tx_next(), with interrupts masked. */
void mcuprof_link_idle(void);

/* Starts the sampling timer; its interrupt comes after `ticks` of its clock.
 * Context: task. */
void mcuprof_timer_start(uint32_t ticks);

/* Acknowledges the sampling interrupt and sets the next period; where the timer reloads
 * by itself, the one after, which is as good. It must not start a timer that was stopped:
 * a sample may be pending then. A few stores: it is part of each sample's cost. Context:
 * the sampling interrupt, which has the highest priority. */
void mcuprof_timer_set(uint32_t ticks);

/* Stops the timer. An interrupt already pending may still come.
 * Context: any. */
void mcuprof_timer_stop(void);

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
    byte = m->ring[tail];
    m->tail = (mcuprof_index)((tail + 1u) % MCUPROF_RING_BYTES);
    return byte;
}

#ifdef __cplusplus
}
#endif

#endif
