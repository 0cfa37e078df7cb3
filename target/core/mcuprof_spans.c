/* SPDX-License-Identifier: MIT */
/* The functions that take spans of bytes out of the ring, for links that send spans. */
#include "mcuprof_link.h"

#if MCUPROF_SPAN_BYTES
#define FN MCUPROF_NOT_PROFILED

_Static_assert(MCUPROF_SPAN_BYTES + (MCUPROF_PATHS ? MCUPROF_PATH_ROOM
                                                   : MCUPROF_RECORD_BYTES_MAX + 2) <=
                   MCUPROF_RING_BYTES,
               "MCUPROF_SPAN_BYTES: the ring has no room for a record beside them");

/* Bytes from `tail` to what is in the ring now. */
static inline __attribute__((always_inline)) FN unsigned waiting(unsigned tail)
{
    return (mcuprof_state.head - tail) % MCUPROF_RING_BYTES;
}

/* Called when a record is in the ring and the link is idle: the link stays idle until
 * there are enough bytes. */
FN void mcuprof_link_start(void)
{
    if (waiting(mcuprof_state.tail) < MCUPROF_SPAN_BYTES) {
        mcuprof_state.busy = 0;
        return;
    }
    mcuprof_link_isr();
}

FN void mcuprof_link_push(void)
{
    struct mcuprof *m = &mcuprof_state;
    mcuprof_irq irq = mcuprof_irq_mask();

    if (waiting(m->tail)) {
        m->push = 1;
        if (!m->busy) {
            m->busy = 1;
            mcuprof_link_isr();
        }
    }
    mcuprof_irq_restore(irq);
}

static inline __attribute__((always_inline)) FN bool too_few(unsigned count)
{
    return count < (mcuprof_state.push ? 1 : MCUPROF_SPAN_BYTES);
}

/* Makes the link idle if too few bytes wait, and returns whether it did. It masks
 * interrupts, for sampling may fill the ring meanwhile, and an interrupt may push. */
static FN bool rests(unsigned tail)
{
    struct mcuprof *m = &mcuprof_state;
    mcuprof_irq irq = mcuprof_irq_mask();
    bool idle = too_few(waiting(tail));

    if (idle) {
        m->push = 0;
        m->busy = 0;
        mcuprof_link_idle();
    }
    mcuprof_irq_restore(irq);
    return idle;
}

FN unsigned mcuprof_tx_span(const uint8_t **bytes, unsigned most)
{
    struct mcuprof *m = &mcuprof_state;
    unsigned tail = ((unsigned)m->tail + m->span) % MCUPROF_RING_BYTES;
    unsigned count;

    m->tail = (mcuprof_index)tail;
    m->span = 0; /* before the link is idle, for then another may take one */
    if (too_few(waiting(tail)) && rests(tail)) {
        return 0;
    }
    *bytes = m->ring + tail;
    count = waiting(tail);
    if (count > MCUPROF_RING_BYTES - tail) {
        count = MCUPROF_RING_BYTES - tail;
    }
    if (count > most) {
        count = most;
    }
    m->span = (uint16_t)count;
    return count;
}
#endif
