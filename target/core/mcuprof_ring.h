/* SPDX-License-Identifier: MIT */
/*
 * The ring: the bytes between the program and the link. What appends to it has masked
 * interrupts, or is the sampling interrupt; the link takes from it (mcuprof_tx_next()).
 * It is a part of mcuprof.c alone.
 */
#ifndef MCUPROF_RING_H
#define MCUPROF_RING_H

#include "mcuprof_port.h"

#define FN MCUPROF_NOT_PROFILED

/* Whether `bytes` more fit; one place stays free, to tell full from empty. */
static inline __attribute__((always_inline)) FN bool room_here(unsigned bytes)
{
    const struct mcuprof *m = &mcuprof_state;
    bool fits = ((unsigned)m->tail - m->head - 1u) % MCUPROF_RING_BYTES >= bytes;

#if MCUPROF_SPAN_BYTES
    if (!fits) {
        mcuprof_link_push();
    }
#endif
    return fits;
}

/* Lets the link have the bytes up to `head`. */
static inline __attribute__((always_inline)) FN void publish(unsigned head)
{
#if MCUPROF_RTT /* the probe sees the bytes before the index */
    __sync_synchronize();
#endif
    mcuprof_state.head = (mcuprof_index)head;
}

static FN bool room(unsigned bytes)
{
    return room_here(bytes);
}

static FN void kick(void)
{
    if (!mcuprof_state.busy) {
        mcuprof_state.busy = 1;
        mcuprof_link_start();
    }
}

/* Waits for the link, so that there may be room by now; false: the code running now may
 * not wait. Interrupts may count meanwhile. */
static inline __attribute__((always_inline)) FN bool waited(mcuprof_irq irq)
{
    (void)irq;
#if MCUPROF_WAIT
    if (mcuprof_may_wait()) {
#if MCUPROF_BY_TASK
        uint32_t context = mcuprof_state.context;
#endif
        mcuprof_wait(irq);
#if MCUPROF_BY_TASK
        mcuprof_state.context = context;
#endif
        return true;
    }
#endif
    return false;
}

#endif
